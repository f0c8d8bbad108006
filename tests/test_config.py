"""Personas and patterns: shipped, and the user's own in front."""

from pathlib import Path

import pytest

from pi_memory.config import Config, persona
from pi_memory.errors import SettingsError, Unprocessable


def test_personas_are_shipped() -> None:
    assert {"general", "coder"} <= set(Config().personas())


def test_the_users_own_come_first_and_add_to_the_shipped_ones(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "general.md").write_text("Be a pirate.\n")
    (tmp_path / "agents" / "cook.md").write_text("Cook.\n")
    personas = Config(tmp_path).personas()
    assert personas["general"] == "Be a pirate."
    assert {"general", "coder", "cook"} <= set(personas)
    assert Config(tmp_path).file("topics.toml").is_file()


def test_an_unknown_agent_and_a_missing_file_are_reported_by_name(tmp_path: Path) -> None:
    with pytest.raises(Unprocessable, match="'nobody'") as caught:
        persona({"general": ""}, "nobody")
    assert "general" in caught.value.hint
    with pytest.raises(SettingsError, match=r"nothing\.toml"):
        Config(tmp_path).file("nothing.toml")


def test_a_persona_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "bad.md").write_bytes(b"\xff")
    with pytest.raises(SettingsError, match=r"bad\.md"):
        Config(tmp_path).personas()
