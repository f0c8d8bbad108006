"""RECENT_FOCUS.md on disk while an editor writes to it. Real files."""

import asyncio
import os
import stat
from pathlib import Path

import pytest

from pi_memory.focus_file.document import render
from pi_memory.focus_file.file import FocusFile
from pi_memory.focus_file.stability import Unsettled
from pi_memory.focus_file.validate import LARGEST
from pi_memory.types import Topic

NOW = 1_771_770_600.0
SETTLE = 0.02


def shown(*names: str) -> str:
    return render([Topic(name, NOW, NOW) for name in names], now=NOW)


async def written(folder: Path, text: str) -> FocusFile:
    file = FocusFile(folder / "FOCUS.md", settle=SETTLE)
    assert await file.read() is None
    assert await file.write(text)
    return file


def test_a_file_that_changed_since_the_last_look_is_not_replaced(tmp_path: Path) -> None:
    async def main() -> None:
        file = await written(tmp_path, shown("a1", "b1"))
        assert await file.read() is None
        file.path.write_text(shown("c1"))
        with pytest.raises(Unsettled):
            await file.write(shown("a1"))
        assert file.path.read_text() == shown("c1")

    asyncio.run(main())
    assert [path.name for path in tmp_path.iterdir()] == ["FOCUS.md"]


def test_what_is_written_to_the_replaced_file_is_the_users_edit(tmp_path: Path) -> None:
    async def main() -> None:
        file = await written(tmp_path, shown("a1", "b1"))
        with file.path.open("r+") as editor:
            await file.write(shown("a1", "b1", "later"))
            editor.truncate()
            asyncio.get_running_loop().call_later(2 * SETTLE, editor.write, shown("b1", "mine"))
            asyncio.get_running_loop().call_later(2 * SETTLE, editor.flush)
            edit = await file.read()
        assert edit is not None
        assert edit.base is not None
        assert ([e.name for e in edit.base.entries], [e.name for e in edit.theirs.entries]) == (
            ["a1", "b1"],
            ["b1", "mine"],
        )
        assert edit.agreed == file.path.read_text(), "the file itself is as we wrote it"
        assert file.must_write
        assert await file.read() is None
        file.close()

    asyncio.run(main())


def test_an_empty_file_is_rejected_only_when_it_stays_so(tmp_path: Path) -> None:
    async def main() -> None:
        file = await written(tmp_path, shown("a1"))
        file.path.write_text("")
        reading = asyncio.create_task(file.read())
        await asyncio.sleep(2 * SETTLE)
        assert not reading.done()
        assert await reading is None
        assert file.must_write

    asyncio.run(main())


def test_a_file_that_never_rests_is_given_up(tmp_path: Path) -> None:
    async def main() -> None:
        file = await written(tmp_path, shown("a1"))
        reading = asyncio.create_task(file.read())
        for number in range(1_000):
            file.path.write_text(shown("a1", f"t{number}"))
            await asyncio.sleep(SETTLE / 4)
            if reading.done():
                break
        with pytest.raises(Unsettled):
            await reading

    asyncio.run(main())


def test_what_is_rejected_is_kept_whole_and_an_empty_file_does_not_take_its_place(tmp_path: Path) -> None:
    async def main() -> None:
        file = await written(tmp_path, shown("a1"))
        for text in (f"{shown('b1')}\n{'my notes ' * LARGEST}", ""):
            file.path.write_text(text)
            assert await file.read() is None
            assert file.must_write
            assert await file.write(shown("a1"))

    asyncio.run(main())
    kept = (tmp_path / "FOCUS.md.rejected").read_text()
    assert (kept.count("**b1**"), kept.count("my notes")) == (1, LARGEST)
    assert (tmp_path / "FOCUS.md").read_text() == shown("a1")


def test_our_own_text_is_ours_however_large_it_is(tmp_path: Path) -> None:
    async def main() -> None:
        file = await written(tmp_path, f"{shown('a1')}\n{'notes ' * LARGEST}")
        assert await file.read() is None
        assert not file.must_write
        file.path.write_text(shown("b1"))
        edit = await file.read()
        assert edit is not None
        assert edit.base is not None
        assert [entry.name for entry in edit.base.entries] == ["a1"]

    asyncio.run(main())


def test_who_may_read_the_file_stays_as_the_user_has_said(tmp_path: Path) -> None:
    async def main() -> None:
        file = await written(tmp_path, shown("a1"))
        file.path.chmod(0o600)
        assert await file.write(shown("b1"))

    asyncio.run(main())
    assert stat.S_IMODE((tmp_path / "FOCUS.md").stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "synced").mkdir()
    (tmp_path / "FOCUS.md").symlink_to("synced/focus.md")
    asyncio.run(written(tmp_path, shown("a1")))
    assert (tmp_path / "FOCUS.md").is_symlink()
    assert (tmp_path / "synced" / "focus.md").read_text() == shown("a1")


def test_a_pipe_in_its_place_is_a_problem_and_no_wait(tmp_path: Path) -> None:
    async def main() -> None:
        file = FocusFile(tmp_path / "FOCUS.md", settle=SETTLE)
        assert await file.read() is None
        assert not await file.write(shown("a1"))
        assert file.problem is not None

    os.mkfifo(tmp_path / "FOCUS.md")
    asyncio.run(main())
