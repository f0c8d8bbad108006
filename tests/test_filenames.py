import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.tagging.filenames import as_file, in_text


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("see src/a.ts:12:3, `lib/b.py` and (c.go).", ["src/a.ts", "lib/b.py", "c.go"]),
        ("src/a.ts#L12-L14, a.py(12) and src/index.ts:17-24", ["src/a.ts", "a.py", "src/index.ts"]),
        ("look at @src/foo.ts, ./b.py and ../c.py!", ["src/foo.ts", "./b.py", "../c.py"]),
        ("in /etc/nginx/nginx.conf or ~/.bashrc", ["/etc/nginx/nginx.conf", "~/.bashrc"]),
        ("**src/a.ts** is [here](docs/a.md)", ["src/a.ts", "docs/a.md"]),
        ("app/[id]/page.tsx and (group)/layout.tsx", ["app/[id]/page.tsx", "(group)/layout.tsx"]),
        ("the Dockerfile, .env.local and docs/README", ["Dockerfile", ".env.local", "docs/README"]),
        (r"C:\Users\me\a.py", [r"C:\Users\me\a.py"]),
        ("open '/home/me/My Docs/a list.txt'", ["/home/me/My Docs/a list.txt"]),
        ("küche/plan.md und 日本/ファイル.txt", ["küche/plan.md", "日本/ファイル.txt"]),
        ("foo.tar.gz, foo.py's and icon@2x.png", ["foo.tar.gz", "foo.py", "icon@2x.png"]),
    ],
)
def test_files_are_found_in_text(text: str, files: list[str]) -> None:
    assert in_text(text) == files


@pytest.mark.parametrize(
    "text",
    [
        "Node.js, Next.js and Vue.js with v1.2.3",
        "https://example.com/a.html, www.example.com/b.js or example.com/c.js",
        "git@github.com:me/tool.py and localhost:3000/x.js",
        "e.g. at 5 p.m., i.e. in 3.h",
        "console.log(x); process.env.HOME; res.json(); np.log",
        "**/*.ts, *.py, src/{a,b}.ts and test_*.py",
        "the .ts files in src/ and src/auth",
        "import a from './a.js'\nconst b = require(\"../b.json\")\n#include <stdio.h>",
        "the README and the LICENSE",
        "mail bob@example.py",
        "libfoo.so.1 and dev/test.py/",
        "$DIR/a.py and ${DIR}/b.py",
    ],
)
def test_what_only_looks_like_a_file_is_none(text: str) -> None:
    assert in_text(text) == []


@pytest.mark.parametrize(
    ("argument", "path"),
    [
        ("@src/a.py:3", "src/a.py"),
        ("file:///etc/fstab.conf", "/etc/fstab.conf"),
        ("My Docs/a list.pages", "My Docs/a list.pages"),
        ("/srv/data/", None),
        ("src/**/*.py", None),
        ("https://example.com/a.py", None),
        ("/srv/data", None),
        ("", None),
    ],
)
def test_a_whole_argument_may_be_a_file(argument: str, path: str | None) -> None:
    assert as_file(argument) == path


def test_a_file_argument_needs_no_extension() -> None:
    assert as_file("/usr/local/bin/tool:12", extension_needed=False) == "/usr/local/bin/tool"
    assert as_file("..", extension_needed=False) is None


@given(st.text(alphabet="abc/.@-*[](){}'\"` :…\\~\n\x00é", max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    assert all(path and "\n" not in path for path in in_text(text))
    as_file(text)
