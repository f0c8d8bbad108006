"""Flag over environment over file over default; what does not fit names its key."""

import os
import pwd
from pathlib import Path

import pytest

from pi_memory import settings
from pi_memory.errors import SettingsError
from pi_memory.settings import Settings, build, load, options

TOKEN = "PI_MEMORY_TOKEN"
STRONG = "correct-horse-battery-staple"


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home and a working directory without settings."""
    for key in [*os.environ]:
        if key.startswith(settings.PREFIX) or key in {option.key for option in options()}:
            monkeypatch.delenv(key)
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(settings, "SYSTEM_FILE", tmp_path / "system")
    monkeypatch.setattr(settings, "SERVICE_FILES", tmp_path / "etc")
    monkeypatch.setattr(settings, "SERVICE_STATE", tmp_path / "state")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def env(tmp_path: Path) -> Path:
    """The user's file of settings, which is not there yet; its folder is."""
    file = tmp_path / ".config" / "pi-memory" / "env"
    file.parent.mkdir(parents=True)
    return file


def refused(**values: object) -> SettingsError:
    with pytest.raises(SettingsError) as error:
        build(values, environ={})
    return error.value


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    loaded = load()
    assert (loaded.server.host, loaded.server.port) == ("127.0.0.1", 8765)
    assert loaded.data_dir == tmp_path / ".local" / "state" / "pi-memory"
    assert loaded.workspace == loaded.data_dir / "workspace"
    assert loaded.focus_file == loaded.workspace / "memory" / "RECENT_FOCUS.md"


def test_a_flag_stands_over_the_environment_over_the_file_over_the_default(
    env: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load().server.port == 8765
    env.write_text("PI_MEMORY_PORT=1001\n")
    assert load().server.port == 1001
    monkeypatch.setenv("PI_MEMORY_PORT", "1002")
    assert load().server.port == 1002
    assert load({"PI_MEMORY_PORT": "1003"}).server.port == 1003
    assert load({"PI_MEMORY_PORT": None}).server.port == 1002


def test_the_service_of_this_user_is_found(env: Path, tmp_path: Path) -> None:
    name = pwd.getpwuid(os.geteuid()).pw_name
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / f"{name}.env").write_text("PI_MEMORY_PORT=1001\n")
    env.write_text("PI_MEMORY_PORT=1002\n")
    (tmp_path / "state" / name).mkdir(parents=True)
    found = load()
    assert (found.server.port, found.data_dir) == (1001, tmp_path / "state" / name)
    assert found.workspace == tmp_path / "pi-memory"
    assert load({"PI_MEMORY_WORKSPACE": "/mine"}).workspace == Path("/mine")


def test_a_service_of_somebody_else_is_not(tmp_path: Path) -> None:
    (tmp_path / "state" / "somebody").mkdir(parents=True)
    assert load().data_dir == tmp_path / ".local" / "state" / "pi-memory"


def test_the_working_directory_has_no_say() -> None:
    Path(".env").write_text("PI_MEMORY_PORT=1001\nPI_MEMORY_HOST=evil.example\nnot = a \x00 setting\n")
    assert load() == build({}, environ={})


def test_the_file_may_be_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pi-memory").mkdir()
    (tmp_path / "pi-memory" / "env").write_text("PI_MEMORY_PORT=1001\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert load().server.port == 1001


def test_the_users_file_stands_over_the_systems(env: Path, tmp_path: Path) -> None:
    (tmp_path / "system").write_text("PI_MEMORY_PORT=1001\nMEMORY_MAX_TURNS=3\n")
    env.write_text("PI_MEMORY_PORT=1002\n")
    loaded = load()
    assert (loaded.server.port, loaded.memory.max_turns) == (1002, 3)


def test_a_named_file_is_read_instead_of_the_users(env: Path, tmp_path: Path) -> None:
    env.write_text("PI_MEMORY_PORT=1001\n")
    (tmp_path / "other.env").write_text("MEMORY_MAX_TURNS=3\n")
    loaded = load(env_file=tmp_path / "other.env")
    assert (loaded.server.port, loaded.memory.max_turns) == (8765, 3)


def test_a_named_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no settings file .*missing\.env"):
        load(env_file=tmp_path / "missing.env")


def test_a_file_that_is_not_text_is_an_error(env: Path) -> None:
    env.write_bytes(b"PI_MEMORY_TOKEN=\xff\xfe\n")
    with pytest.raises(SettingsError, match="Cannot read"):
        load()


def test_a_file_may_have_comments_quotes_blanks_and_dollars(env: Path) -> None:
    env.write_text('# a comment\n\nexport PI_MEMORY_PORT = 1001 # why\nPI_MEMORY_TOKEN="a b#$HOME"\n')
    server = load().server
    assert (server.port, server.token) == (1001, "a b#$HOME")


def test_an_unknown_setting_in_the_environment_is_an_error_with_a_suggestion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_MEMORY_PROT", "1001")
    with pytest.raises(SettingsError, match="PI_MEMORY_PROT in the environment") as error:
        load()
    assert error.value.hint == "Did you mean PI_MEMORY_PORT?"


def test_an_unknown_setting_of_ours_in_the_file_is_an_error_with_a_suggestion(env: Path) -> None:
    env.write_text("PI_MEMORY_MODL=3\n")
    with pytest.raises(SettingsError, match=r"PI_MEMORY_MODL in .*/env") as error:
        load()
    assert error.value.hint == "Did you mean PI_MEMORY_MODEL?"


def test_a_key_like_no_setting_is_reported_where_they_are_listed(env: Path) -> None:
    env.write_text(f"PI_MEMORY_{40 * 'Z'}=blue\n")
    with pytest.raises(SettingsError, match="ZZZ") as error:
        load()
    assert "docs/settings.md" in error.value.hint


def test_keys_of_other_programs_in_the_file_are_left_alone(env: Path) -> None:
    env.write_text("COLOUR=blue\nDATABASE_URL\nexport AWS_REGION=eu\nPI_MEMORY_PORT=1001\n")
    assert load().server.port == 1001


def test_other_keys_in_the_environment_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_OF_SOMEBODY_ELSE", "1")
    assert load() == build({}, environ={})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("PI_MEMORY_PORT", "http"),
        ("PI_MEMORY_PORT", "65536"),
        ("PI_MEMORY_PORT", "-1"),
        ("PI_MEMORY_PORT", "8765.5"),
        ("PI_MEMORY_PORT", ""),
        ("MEMORY_MAX_TURNS", "0"),
        ("MEMORY_TTL_MIN", "-1"),
        ("MEMORY_TTL_MIN", "nan"),
        ("MEMORY_TTL_MIN", "soon"),
        ("ENABLE_MEMORY", "perhaps"),
        ("ENABLE_MEMORY", ""),
        ("CTX_TOKENS", "4k"),
        ("PI_MEMORY_PROVIDER", "gpt"),
        ("PI_MEMORY_LOG_LEVEL", "loud"),
    ],
)
def test_a_value_that_does_not_fit_names_its_key(key: str, value: str) -> None:
    error = refused(**{key: value})
    assert error.message.startswith(f"{key}=")
    assert error.hint
    assert error.exit_code == 78


@pytest.mark.parametrize("word", ["true", "True", "1", "yes", "on", " TRUE "])
def test_true(word: str) -> None:
    assert build({"ENABLE_MEMORY": word}, environ={}).memory.enabled is True


@pytest.mark.parametrize("word", ["false", "FALSE", "0", "no", "off"])
def test_false(word: str) -> None:
    assert build({"ENABLE_MEMORY": word}, environ={}).memory.enabled is False


def test_a_path_may_begin_at_home_or_here(tmp_path: Path) -> None:
    paths = build({"PI_MEMORY_WORKSPACE": "~/notes", "PI_MEMORY_MODEL": "model.gguf"}, environ={})
    assert paths.workspace == tmp_path / "notes"
    assert paths.chat.model == tmp_path / "model.gguf"


def test_an_empty_path_is_none() -> None:
    built = build({"PI_MEMORY_MODEL": "", "PI_MEMORY_WORKSPACE": " "}, environ={})
    assert built.chat.model is None
    assert built.workspace == built.data_dir / "workspace"


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"STATE_DIRECTORY": "/var/lib/pi-memory/me"}, "/var/lib/pi-memory/me"),
        ({"STATE_DIRECTORY": "/var/lib/a:/var/lib/b"}, "/var/lib/a"),
        ({"STATE_DIRECTORY": "/var/lib/a", "XDG_STATE_HOME": "/state"}, "/var/lib/a"),
        ({"XDG_STATE_HOME": "/state"}, "/state/pi-memory"),
    ],
)
def test_the_data_directory_is_where_the_system_keeps_state(environ: dict[str, str], folder: str) -> None:
    assert build({}, environ=environ).data_dir == Path(folder)
    assert build({"PI_MEMORY_DATA_DIR": "/mine"}, environ=environ).data_dir == Path("/mine")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "pi.local"])
def test_a_host_that_others_reach_needs_a_token(host: str) -> None:
    assert "PI_MEMORY_HOST" in refused(PI_MEMORY_HOST=host).message
    assert build({"PI_MEMORY_HOST": host, TOKEN: STRONG}, environ={}).server.token == STRONG


@pytest.mark.parametrize("token", ["sesame", "a" * 64, "1212121212121212121212121212", "password12345"])
def test_a_token_that_can_be_guessed_is_refused_where_others_may_try(token: str) -> None:
    error = refused(PI_MEMORY_HOST="0.0.0.0", PI_MEMORY_TOKEN=token)
    assert token not in error.message + error.hint
    assert "openssl rand" in error.hint
    assert build({TOKEN: token}, environ={}).server.token == token


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_loopback_needs_none(host: str) -> None:
    assert build({"PI_MEMORY_HOST": host}, environ={}).server.host == host


def test_every_setting_has_a_key_of_its_own_and_a_sentence() -> None:
    keys = [option.key for option in options()]
    assert len(keys) == len(set(keys))
    for option in options():
        assert option.help.endswith("."), option.key
        assert settings.kind(option)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Settings().server.port = 1  # type: ignore[misc]


def test_a_setting_without_a_value_in_the_file_is_an_error(env: Path) -> None:
    env.write_text("PI_MEMORY_TOKEN\n")
    with pytest.raises(SettingsError, match="PI_MEMORY_TOKEN"):
        settings.load()


@pytest.mark.parametrize("token", ["schlüssel", "a\nb"])
def test_a_token_that_cannot_stand_in_a_header_is_refused(token: str) -> None:
    with pytest.raises(SettingsError, match=TOKEN):
        build({TOKEN: token}, environ={})


LONG = "/" + "x" * 5_000


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("PI_MEMORY_DATA_DIR", "~nobody-of-that-name/data"),
        ("PI_MEMORY_DATA_DIR", LONG),
        ("PI_MEMORY_DATA_DIR", "/" + "x/" * 2_000),
        ("PI_MEMORY_WORKSPACE", LONG),
        ("PI_MEMORY_CONFIG_DIR", LONG),
        ("PI_MEMORY_MODEL", LONG),
        ("MEMORY_MAX_TURNS", 2**63),
        ("MEMORY_MAX_TURNS", "9" * 5_000),
        ("MEMORY_TTL_MIN", "1e300"),
        ("MEMORY_TTL_MIN", "inf"),
        ("PI_MEMORY_TRANSCRIPT_DAYS", "1e300"),
        ("PI_MEMORY_OPENAI_TIMEOUT_SECONDS", "inf"),
        ("CTX_TOKENS", 2**40),
        ("PI_MEMORY_THREADS", 2**40),
    ],
)
def test_what_no_system_takes_is_refused_by_its_name(key: str, value: object) -> None:
    error = refused(**{key: value})
    assert error.message.startswith(key)
    assert error.hint
