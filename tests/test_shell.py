import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.tagging.shell import directory_of, words_of


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cat a.py", ["a.py"]),
        ("./run.sh a.py && /opt/b.sh", ["a.py"]),
        ("FOO=x.py sudo nano b.conf", ["b.conf"]),
        ("grep -n 'c.py' d.py > out.log", ["d.py", ">", "out.log"]),
        ("sed -i '' 's/a.ts/b.ts/' c.ts", ["c.ts"]),
        ("tool --config=x.toml -v", ["x.toml"]),
        ("git show HEAD~1:src/a.ts", ["show", "src/a.ts"]),
        ("bash -lc 'cat a.py; cat b.py'", ["a.py", "b.py"]),
        ("cat > a.py <<'EOF'\nimport b.py\nEOF\ncat c.py", [">", "a.py", "c.py"]),
        ("cat 'a b.py", ["a b.py"]),
        ("cd src && echo x.py", []),
    ],
)
def test_what_a_command_names(command: str, words: list[str]) -> None:
    assert words_of(command)[0] == words


def test_messages_and_code_are_running_text() -> None:
    assert words_of("git commit -m 'Move a.py' b.py")[1] == ["Move a.py"]
    assert words_of("python -c 'import a' b.py") == (["b.py"], ["import a"])


def test_where_a_command_goes() -> None:
    assert directory_of("cd /a/b && make") == "/a/b"
    assert directory_of(" cd 'my dir'; ls") == "my dir"
    assert directory_of("cd $HOME") is None
    assert directory_of("make") is None


@given(st.text(alphabet="ab '\"\\<>|&;()$`\n-=E", max_size=60))
def test_any_command_can_be_read(command: str) -> None:
    words_of(command)
    directory_of(command)
