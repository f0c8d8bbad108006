"""The user's own notes, within their budget."""

from pathlib import Path

import pytest

from pi_memory.chat.notes import notes


def lines(text: str) -> int:
    return len(text.splitlines())


def test_notes_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("I like tea.\n")
    (tmp_path / "ASSISTANT.md").write_text("Be brief.\n")
    assert list(notes(tmp_path, count=lines, tokens=10).items()) == [
        ("ASSISTANT.md", "Be brief."),
        ("MEMORY.md", "I like tea."),
    ]


def test_a_long_note_is_cut_at_a_line_and_leaves_no_room_for_the_next(tmp_path: Path) -> None:
    (tmp_path / "ASSISTANT.md").write_text("\n".join(f"rule {n}" for n in range(100)))
    (tmp_path / "MEMORY.md").write_text("I like tea.")
    found = notes(tmp_path, count=lines, tokens=10)
    assert found["ASSISTANT.md"].startswith("rule 0\nrule 1")
    assert sum(map(lines, found.values())) <= 10


def test_no_notes_no_text(tmp_path: Path) -> None:
    assert notes(tmp_path, count=lines, tokens=10) == {}


def test_a_binary_note_is_left_out_and_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "MEMORY.md").write_bytes(b"\xff\xfe\x00")
    assert notes(tmp_path, count=lines, tokens=10) == {}
    assert "MEMORY.md is left out" in caplog.text
