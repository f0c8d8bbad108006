"""What a project is made with: real folders, also hostile ones."""

import os
from pathlib import Path

import pytest

from pi_memory.attention.project_stack import MOST, MOST_BYTES, SIGNS, detect


def project(folder: Path, **files: str) -> str:
    """A folder with files; `_dot_` in a name stands for a dot."""
    for name, text in files.items():
        (folder / name.replace("_dot_", ".")).write_text(text)
    return str(folder)


@pytest.mark.parametrize(
    ("name", "text", "stack"),
    [
        (
            "pyproject.toml",
            "[project]\ndependencies = ['FastAPI>=0.1', 'sqlalchemy']",
            ("python", "fastapi", "database"),
        ),
        ("pyproject.toml", "[dependency-groups]\ndev = ['pytest']", ("python", "testing")),
        ("pyproject.toml", "[tool.poetry.group.dev.dependencies]\npytest = '*'", ("python", "testing")),
        ("requirements-dev.txt", "# tools\npytest==8\nflask\n-r other.txt", ("python", "testing", "flask")),
        (
            "package.json",
            '{"dependencies": {"next": "15", "react": "19"}, "devDependencies": {"typescript": "5"}}',
            ("javascript", "react", "nextjs", "typescript"),
        ),
        (
            "Cargo.toml",
            "[dependencies]\naxum = '0.8'\n[workspace.dependencies]\nsqlx = '1'",
            ("rust", "axum", "database"),
        ),
        ("go.mod", "module x\nrequire (\n\tgithub.com/gin-gonic/gin v1.9\n)", ("go", "gin")),
        ("pom.xml", "<artifactId>spring-boot-starter-web</artifactId>", ("java", "spring")),
        ("build.gradle", "", ("java",)),
        ("Gemfile", 'source "x"\ngem "rails"\ngem \'rspec\'', ("ruby", "rails", "testing")),
        ("composer.json", '{"require": {"laravel/framework": "11"}}', ("php", "laravel")),
        ("Dockerfile.dev", "FROM x", ("docker",)),
        ("platformio.ini", "", ("electronics",)),
        ("main.tf", "", ("infrastructure",)),
        ("notes.txt", "react django", ()),
    ],
)
def test_a_file_at_the_top_tells(tmp_path: Path, name: str, text: str, stack: tuple[str, ...]) -> None:
    assert set(detect(project(tmp_path, **{name: text}))) == set(stack)


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"dependencies": 3}', "[" * 100_000, '{"dependencies": {"": 1}}', "\0\ufffd"]
)
@pytest.mark.parametrize("name", ["package.json", "composer.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml"])
def test_a_malformed_file_is_taken_by_its_name_only(tmp_path: Path, name: str, text: str) -> None:
    assert detect(project(tmp_path, **{name: text})) == (SIGNS[name],)


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe\x00[project]")
    assert detect(str(tmp_path)) == ("python",)


@pytest.mark.parametrize("name", [None, "", "shop", "./shop", "~/shop", "/no/such/folder", "/\0", "/" + "x" * 10_000])
def test_only_a_folder_that_is_there_is_looked_at(name: str | None) -> None:
    assert detect(name) == ()


def test_a_file_is_no_project(tmp_path: Path) -> None:
    file = tmp_path / "package.json"
    file.write_text("{}")
    assert detect(str(file)) == ()


def test_links_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.json").write_text('{"dependencies": {"react": "1"}}')
    (inside / "package.json").symlink_to(tmp_path / "secret.json")
    (inside / "go.mod").symlink_to(inside / "go.mod")
    assert detect(str(inside)) == ("javascript", "go")


def test_a_project_may_itself_be_reached_by_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    project(real, package_dot_json='{"dependencies": {"react": "1"}}')
    (tmp_path / "link").symlink_to(real)
    assert detect(str(tmp_path / "link")) == ("javascript", "react")


def test_pipes_and_large_files_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "package.json")
    (tmp_path / "requirements.txt").write_text("flask\n" + "#" * MOST_BYTES)
    (tmp_path / "go.mod").mkdir()
    assert detect(str(tmp_path)) == ("python", "javascript", "go")


def test_nothing_below_the_folder_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "package.json").write_text("{}")
    assert detect(str(tmp_path)) == ()


def test_a_project_of_everything_begins_with_a_bounded_stack(tmp_path: Path) -> None:
    for glob in SIGNS:
        (tmp_path / glob.replace("*", "x")).write_text("")
    assert len(detect(str(tmp_path))) == MOST
