"""Downloads against a small hub on loopback."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_memory.download import CHUNK, HubSource, fetch
from pi_memory.errors import PiMemoryError
from tests.hub_server import Hub, hub_server

WEIGHTS = bytes(range(256)) * 48_000
SOURCE = HubSource("owner/model-GGUF", "model-q4_0.gguf")
KEY = f"{SOURCE.repo}/{SOURCE.file}"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with hub_server(Hub(files={KEY: WEIGHTS})) as running:
        yield running


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_arrives_whole_and_under_its_name(hub: Hub, tmp_path: Path) -> None:
    path = fetch(SOURCE, tmp_path / "chat", endpoint=hub.url)
    assert path == tmp_path / "chat" / "model-q4_0.gguf"
    assert path.read_bytes() == WEIGHTS
    assert names(path.parent) == [path.name]


def test_a_file_that_is_there_is_not_fetched_again(hub: Hub, tmp_path: Path) -> None:
    fetch(SOURCE, tmp_path, endpoint=hub.url)
    fetch(SOURCE, tmp_path, endpoint=hub.url)
    assert len(hub.ranges) == 1


def test_a_file_that_changed_is_replaced(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / SOURCE.file).write_bytes(b"an older one")
    assert fetch(SOURCE, tmp_path, endpoint=hub.url).read_bytes() == WEIGHTS


def test_a_file_of_a_folder_goes_under_its_own_name(hub: Hub, tmp_path: Path) -> None:
    hub.files["owner/model-GGUF/deep/er/model.gguf"] = WEIGHTS
    path = fetch(HubSource("owner/model-GGUF", "deep/er/model.gguf"), tmp_path, endpoint=hub.url)
    assert path == tmp_path / "model.gguf"


def test_a_connection_that_breaks_is_taken_up_again(hub: Hub, tmp_path: Path) -> None:
    hub.cut_after = [11_500_000]
    assert fetch(SOURCE, tmp_path, endpoint=hub.url).read_bytes() == WEIGHTS
    assert hub.ranges == ["bytes=0-", f"bytes={11 * CHUNK}-"]


def test_the_next_run_goes_on_where_the_last_one_stopped(hub: Hub, tmp_path: Path) -> None:
    hub.cut_after, hub.refuse = [11_500_000], 503
    with pytest.raises(PiMemoryError) as error:
        fetch(SOURCE, tmp_path, endpoint=hub.url)
    assert "cannot be reached" in error.value.message
    assert "Run this again" in error.value.hint
    assert not (tmp_path / SOURCE.file).exists()

    hub.refuse = 0
    hub.ranges.clear()
    assert fetch(SOURCE, tmp_path, endpoint=hub.url).read_bytes() == WEIGHTS
    assert hub.ranges == [f"bytes={11 * CHUNK}-"]
    assert names(tmp_path) == [SOURCE.file]


def test_a_hub_that_ignores_the_range_sends_the_whole_again(hub: Hub, tmp_path: Path) -> None:
    hub.cut_after, hub.whole_only = [11_500_000], True
    assert fetch(SOURCE, tmp_path, endpoint=hub.url).read_bytes() == WEIGHTS
    assert len(hub.ranges) == 2


def test_a_part_of_another_version_is_not_gone_on_with(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / ".model-q4_0.gguf.0123456789ab.part").write_bytes(WEIGHTS[::-1])
    assert fetch(SOURCE, tmp_path, endpoint=hub.url).read_bytes() == WEIGHTS
    assert names(tmp_path) == [SOURCE.file]


@pytest.mark.parametrize("by_hub", [True, False])
def test_a_wrong_hash_leaves_nothing_behind(hub: Hub, tmp_path: Path, by_hub: bool) -> None:
    wrong = hashlib.sha256(b"other").hexdigest()
    hub.etag = wrong if by_hub else "0123456789012345678901234567890123456789"
    source = SOURCE if by_hub else HubSource(SOURCE.repo, SOURCE.file, sha256=wrong)
    with pytest.raises(PiMemoryError, match=wrong):
        fetch(source, tmp_path, endpoint=hub.url)
    assert names(tmp_path) == []


def test_a_hash_that_differs_from_the_hubs_is_refused_before_the_download(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(PiMemoryError, match="not 0000"):
        fetch(HubSource(SOURCE.repo, SOURCE.file, sha256="0" * 64), tmp_path, endpoint=hub.url)
    assert hub.ranges == []


def test_a_hub_that_tells_no_hash_needs_one(hub: Hub, tmp_path: Path) -> None:
    hub.etag = "0123456789012345678901234567890123456789"
    with pytest.raises(PiMemoryError) as error:
        fetch(SOURCE, tmp_path, endpoint=hub.url)
    assert "--sha256" in error.value.hint
    known = HubSource(SOURCE.repo, SOURCE.file, sha256=hashlib.sha256(WEIGHTS).hexdigest())
    assert fetch(known, tmp_path, endpoint=hub.url).read_bytes() == WEIGHTS


def test_a_full_disk_is_noticed_before_the_download(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_memory.download.SPARE_BYTES", 10**15)
    with pytest.raises(PiMemoryError, match="are to come"):
        fetch(SOURCE, tmp_path, endpoint=hub.url)
    assert hub.ranges == []


@pytest.mark.parametrize(
    "source",
    [
        HubSource("owner/model-GGUF", "no-such.gguf"),
        HubSource("owner/model-GGUF", SOURCE.file, "v9"),
        HubSource("a/b/c", "x.gguf"),
    ],
)
def test_a_name_that_the_hub_does_not_know(hub: Hub, tmp_path: Path, source: HubSource) -> None:
    with pytest.raises(PiMemoryError, match="The hub has no") as error:
        fetch(source, tmp_path, endpoint=hub.url)
    assert "--repo" in error.value.hint


def test_without_a_network_it_says_how_to_bring_the_file(tmp_path: Path) -> None:
    with hub_server(Hub()) as gone:
        pass
    with pytest.raises(PiMemoryError, match="cannot be reached") as error:
        fetch(SOURCE, tmp_path, endpoint=gone.url)
    assert error.value.exit_code == 1
    assert f"copy it to {tmp_path / SOURCE.file}" in error.value.hint


def test_a_folder_that_cannot_be_made(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file is in the way")
    with pytest.raises(PiMemoryError, match="cannot be written"):
        fetch(SOURCE, tmp_path / "models" / "chat", endpoint=hub.url)


def test_a_hub_named_by_hand_gets_no_token(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_user")
    fetch(SOURCE, tmp_path, endpoint=hub.url)
    assert set(hub.tokens) == {""}
