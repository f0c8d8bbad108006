"""The shipped `config/` folder, and the user's own in front of it: personas, topic patterns, languages."""

from pathlib import Path

from pi_memory.errors import SettingsError, Unprocessable

PACKAGE = Path(__file__).parent


class Config:
    """Finds a configuration file: the user's if it exists, else the shipped one."""

    def __init__(self, override: Path | None = None) -> None:
        installed = PACKAGE / "config"
        self._folders = [override] if override else []
        self._folders.append(installed if installed.is_dir() else PACKAGE.parent / "config")

    def file(self, name: str) -> Path:
        for folder in self._folders:
            if (folder / name).is_file():
                return folder / name
        raise SettingsError(f"The configuration has no {name}", hint=f"Looked in {', '.join(map(str, self._folders))}.")

    def files(self, folder: str, pattern: str) -> dict[str, Path]:
        """The files of a folder by their names without the ending: the user's besides the shipped ones, or instead."""
        found = [path for each in reversed(self._folders) for path in sorted((each / folder).glob(pattern))]
        return {path.stem: path for path in found}

    def is_own(self, path: Path) -> bool:
        """Whether a file is the user's."""
        return not path.is_relative_to(self._folders[-1])

    def folder(self, name: str) -> Path:
        """A folder of the shipped configuration."""
        return self._folders[-1] / name

    def personas(self) -> dict[str, str]:
        """Persona texts (system prompts) by agent name, from `agents/*.md`."""
        return {name: _text(path) for name, path in self.files("agents", "*.md").items()}


def persona(personas: dict[str, str], agent: str) -> str:
    """The persona text of an agent. Raises `Unprocessable` with the names that exist."""
    if agent not in personas:
        raise Unprocessable(f"agent: there is no agent {agent!r}", hint=f"Known agents: {', '.join(sorted(personas))}.")
    return personas[agent]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"Cannot read {path}: {error}", hint="It must be UTF-8 text that you may read.") from error
