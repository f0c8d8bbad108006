"""What is no focus file, at the place of the focus file: it is kept, or it is left alone. Real files, a real daemon."""

import os
import stat
import time
from pathlib import Path

import pytest

from tests.conftest import Client, Daemon

NAME = "RECENT_FOCUS.md"


def saved(client: Client, text: str) -> None:
    """A save by somebody else that the daemon has seen."""
    file = client.parts.settings.focus_file
    file.write_text(text)
    read(client)


def read(client: Client) -> None:
    assert client.portal is not None
    client.portal.call(client.parts.focus.read_file)


def focus_health(client: Client) -> dict[str, str]:
    part: dict[str, str] = client.get("/healthz").json()["parts"]["focus"]
    return part


def at_work(daemon: Daemon) -> tuple[Client, Path]:
    client = daemon()
    client.put("/focus/garden", json={}).raise_for_status()
    return client, client.parts.settings.focus_file


def kept(file: Path) -> set[str]:
    return {path.read_text() for path in file.parent.glob(f"{NAME}.rejected*")}


def test_several_rejected_texts_are_all_kept(daemon: Daemon) -> None:
    client, file = at_work(daemon)
    for text in ("one\n", "two\n", "one\n"):
        saved(client, text)
    assert kept(file) == {"one\n", "two\n"}
    assert len(list(file.parent.glob(f"{NAME}.rejected*"))) == 2, "one text is kept once"
    assert "**garden**" in file.read_text()


def test_when_no_more_can_be_kept_nothing_is_overwritten_until_there_is_room(daemon: Daemon) -> None:
    client, file = at_work(daemon)
    texts = [f"text {number}\n" for number in range(20)]
    for text in texts:
        saved(client, text)
        if file.read_text() == text:
            break
    assert kept(file) | {file.read_text()} == set(texts[: texts.index(text) + 1])
    assert client.put("/focus/auth", json={}).status_code == 200
    assert file.read_text() == text
    assert "rejected" in focus_health(client)["todo"]
    for path in file.parent.glob(f"{NAME}.rejected*"):
        path.unlink()
    read(client)
    assert (kept(file), "**auth**" in file.read_text()) == ({text}, True)


def test_a_rejected_text_is_named_until_it_is_removed(daemon: Daemon) -> None:
    client, file = at_work(daemon)
    saved(client, "my notes\n")
    client.stop()
    client = daemon()
    part = focus_health(client)
    assert part["status"] == "degraded"
    assert f"{file}.rejected" in part["todo"]
    file.with_name(f"{NAME}.rejected").unlink()
    assert focus_health(client)["status"] == "ok"


def test_a_rejected_copy_may_be_read_by_whom_the_file_may_be_read(daemon: Daemon) -> None:
    client, file = at_work(daemon)
    file.chmod(0o600)
    saved(client, "my notes\n")
    assert stat.S_IMODE(file.with_name(f"{NAME}.rejected").stat().st_mode) == 0o600
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_link_to_a_file_that_is_no_focus_file_leaves_that_file_alone(daemon: Daemon, tmp_path: Path) -> None:
    client, file = at_work(daemon)
    secret = tmp_path / "secret.txt"
    secret.write_text("the word is swordfish\n")
    file.unlink()
    file.symlink_to(secret)
    read(client)
    assert client.put("/focus/auth", json={}).status_code == 200
    assert secret.read_text() == "the word is swordfish\n"
    assert "link" in focus_health(client)["todo"]
    file.unlink()
    read(client)
    assert "**auth**" in file.read_text()
    assert focus_health(client)["status"] == "ok"


@pytest.mark.parametrize("name", [f".{NAME}.new", f"{NAME}.rejected"])
@pytest.mark.parametrize("there", [True, False])
def test_links_beside_the_file_are_not_followed(daemon: Daemon, tmp_path: Path, name: str, there: bool) -> None:
    client, file = at_work(daemon)
    victim = tmp_path / "victim.txt"
    if there:
        victim.write_text("untouched\n")
    file.with_name(name).symlink_to(victim)
    saved(client, "my notes\n")
    client.put("/focus/auth", json={}).raise_for_status()
    assert (victim.read_text() if victim.exists() else "") == ("untouched\n" if there else "")
    assert "**auth**" in file.read_text()
    assert "my notes\n" in {path.read_text() for path in file.parent.glob(f"{NAME}.rejected*") if path.exists()}


def test_a_new_focus_file_may_be_read_by_its_user_only(daemon: Daemon) -> None:
    _, file = at_work(daemon)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def links(target: str) -> object:
    return lambda file: file.symlink_to(target)


def sparse(file: Path) -> None:
    file.touch()
    os.truncate(file, 80 << 30)


@pytest.mark.parametrize(
    "put", [links("/dev/full"), links("/dev/zero"), sparse, os.mkfifo, Path.mkdir, links(NAME)],
    ids=["/dev/full", "/dev/zero", "sparse", "pipe", "folder", "loop"],
)  # fmt: skip
def test_what_has_no_end_or_is_no_file_is_neither_read_nor_copied_nor_written(daemon: Daemon, put: object) -> None:
    client, file = at_work(daemon)
    file.unlink()
    assert callable(put)
    put(file)
    before = os.lstat(file)
    began = time.monotonic()
    assert client.put("/focus/auth", json={}).status_code == 200
    assert time.monotonic() - began < 30, "what has no end takes for ever"
    assert os.lstat(file)[:7] == before[:7]
    assert [path.name for path in file.parent.iterdir()] == [NAME]
    assert str(file) in focus_health(client)["todo"]
    file.rmdir() if put is Path.mkdir else file.unlink()
    read(client)
    assert "**auth**" in file.read_text()


def test_what_is_forgotten_goes_out_of_every_copy(daemon: Daemon) -> None:
    client, file = at_work(daemon)
    for text in ("The word is swordfish.\nbread\n", "milk\nThe word is swordfish.\n"):
        saved(client, text)
    client.post("/chat", json={"message": "Remember that the word is swordfish."}).raise_for_status()
    client.post("/chat", json={"message": "Forget that the word is swordfish."}).raise_for_status()
    client.settle()
    assert "swordfish" not in "".join(kept(file))
    assert {"bread", "milk"} <= set("".join(kept(file)).split())
