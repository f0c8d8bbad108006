import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.tagging.paths import as_file, directories, file_paths, in_text, working_directory
from pi_memory.types import ToolCall


def of(name: str, **arguments: object) -> tuple[str, ...]:
    return file_paths(tool_calls=[ToolCall(name, arguments)])


@pytest.mark.parametrize(
    "key", ["path", "file_path", "filePath", "target", "notebook_path", "filename", "uri", "targetFile", "paths"]
)
def test_a_path_is_found_whatever_its_key(key: str) -> None:
    assert of("tool", **{key: "src/a.py"}) == ("src/a.py",)


@pytest.mark.parametrize(
    ("tool", "arguments", "paths"),
    [
        ("bash", {"command": "cd /x && cat a.py | head"}, ("a.py",)),
        ("shell", {"command": ["bash", "-lc", "cat a.py"]}, ("a.py",)),
        ("Read", {"file_path": "/usr/local/bin/tool"}, ("/usr/local/bin/tool",)),
        ("LS", {"path": "/home/me/project"}, ()),
        ("Grep", {"pattern": "a.py", "path": "src"}, ()),
        ("Glob", {"pattern": "**/*.py"}, ()),
        ("WebFetch", {"url": "https://example.com/a.html"}, ()),
        ("Write", {"file_path": "a.py", "content": "import b\nopen('c.txt')"}, ("a.py",)),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "b.py", "new_string": "c.py"}]}, ("a.py",)),
        ("open", {"files": [{"path": "a.py"}, {"path": "b.py"}]}, ("a.py", "b.py")),
        ("Task", {"prompt": "read docs/a.md"}, ("docs/a.md",)),
        ("edit_file", {"target_file": "a.py", "code_edit": "open('c.txt')"}, ("a.py",)),
        ("read", {"uri": "file:///home/ada/a%20b.py"}, ("/home/ada/a b.py",)),
        ("bash", {"command": "pytest tests/test_a.py::test_b -k foo"}, ("tests/test_a.py",)),
        ("powershell", {"command": "Get-Content C:\\dev\\app\\Program.cs"}, ("C:\\dev\\app\\Program.cs",)),
        (
            "exec",
            {"cmd": "apply_patch <<'E'\n*** Begin Patch\n*** Delete File: web/a.tsx\n*** End Patch\nE"},
            ("web/a.tsx",),
        ),
        ("tool", {"path": None, "count": 3, "deep": True}, ()),
    ],
)
def test_arguments_of_every_shape(tool: str, arguments: dict[str, object], paths: tuple[str, ...]) -> None:
    assert of(tool, **arguments) == paths


@pytest.mark.parametrize(
    "patch",
    [
        "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-b.py\n*** Add File: Licence\n+c.py\n*** End Patch",
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-b.py\n--- /dev/null\n+++ b/Licence\n",
    ],
)
def test_a_patch_names_its_files(patch: str) -> None:
    assert of("apply_patch", input=patch) == ("src/a.rs", "Licence")
    assert of("bash", command=f"apply_patch <<'EOF'\n{patch}\nEOF") == ("src/a.rs", "Licence")


def test_text_and_calls_are_read_in_order_without_repeats() -> None:
    calls = [ToolCall("Read", {"file_path": "./src/a.py"}), ToolCall("Read", {"file_path": "/p/src/a.py"})]
    assert file_paths("fix src/b.py", "then src/a.py", tool_calls=calls) == ("src/b.py", "src/a.py", "/p/src/a.py")


def test_a_bare_name_gives_way_to_a_longer_path() -> None:
    assert file_paths("fix a.py and c.py", "I read src/a.py") == ("c.py", "src/a.py")


def test_directories_of_files() -> None:
    assert directories(["/p/src/a.py", "/p/src/b.py", "~/x.md", "lib/c.py", "d.py"]) == ("/p/src/", "~/", "lib/")
    assert directories(["lib/c.py", "d.py", "../e.py", "/f.py"], base="/p") == ("/p/lib/", "/p/", "/")


def test_a_command_says_where_it_works() -> None:
    calls = [ToolCall("bash", {"command": "cd sub && make"}), ToolCall("bash", {"command": "ls"})]
    assert working_directory(calls, "/p") == "/p/sub"
    assert working_directory(calls, None) is None
    assert working_directory([ToolCall("bash", {"command": "cd /q"})], "/p") == "/q"
    assert working_directory([], "/p") == "/p"


def test_a_huge_text_is_read_in_reasonable_time() -> None:
    began = time.process_time()
    for text in ("a" * 200_000, "a/" * 100_000, "a." * 100_000, "(" * 100_000, "'/a " * 50_000, "x@" * 100_000):
        file_paths(text, tool_calls=[ToolCall("bash", {"command": text}), ToolCall("t", {"path": text, "x": text})])
    assert time.process_time() - began < 10


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.text(), st.dictionaries(st.sampled_from(["path", "command", "input", "x"]), values))
def test_anything_can_be_read(text: str, arguments: dict[str, object]) -> None:
    paths = file_paths(text, tool_calls=[ToolCall(text, arguments)])
    assert len(set(paths)) == len(paths)
    directories(paths, base="/p")


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
