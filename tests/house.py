"""The measures of the house: what keeps the rooms small, the arrows pointing down and the names apart.

`python -m tests.house` prints them; `tests/test_house.py` holds them to their limits.
"""

import ast
import asyncio
import functools
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from pi_memory.daemon import running
from pi_memory.embedding.none import NoEmbedder
from pi_memory.settings import build
from pi_memory.types import Turn
from tests.fakes import FakeModel

SOURCE = Path(__file__).parents[1] / "pi_memory"

ROWS = (
    "types protocols errors event_bus settings config decay clock tasks log_limit private atomic_file loader worker"
    " heap",
    "text",
    "store",
    "model embedding download",
    "topics",
    "focus_file",
    "tagging",
    "focus",
    "attention",
    "memories",
    "judges",
    "retrieval",
    "recall",
    "merging",
    "learning",
    "conversation",
    "background",
    "chat",
    "agents",
    "parts",
    "http",
    "web",
    "backends",
    "daemon",
    "app",
    "service",
    "cli",
    "__main__",
)
"""Rooms, lowest first: a room imports from earlier rows only, and those of the first row from each other."""

ONE_A_RESOURCE = frozenset({"http", "web", "cli", "store", "model"})
"""Rooms with a file for each resource, command or group of tables: they may hold more than a dozen, and share names."""


TESTED_ELSEWHERE = {
    "types protocols parts errors": "data and protocols: nothing happens in them",
    "__main__ app daemon": "every test of a whole daemon starts them (tests/conftest.py, tests/process.py)",
    "cli/*": "each command runs in test_cli.py and test_cli_*.py",
    "web/*": "test_pages.py asks for every page, test_page_browser.py uses them",
    "http/live http/usage": "test_live_events.py and test_http_setup.py",
    "http/clients http/named_tokens": "test_tokens.py",
    "http/activity http/import_format": "test_http_focus.py and test_http_import_export.py are their clients",
    "http/client_chat http/turns http/openai_*": "test_http_openai.py and the programs' own clients",
    "http/events http/gone": "test_http_memories.py and test_http_exchanges.py are their clients",
    "agents/json_lines agents/history_files agents/transcript agents/chat_exports": "test_history.py reads such files",
    "agents/import_conversations": "test_http_import_export.py and test_http_search.py import",
    "conversation/summary": "test_compaction.py",
    "embedding/none": "test_embedder_contract.py runs every embedder",
    "embedding/reading": "test_embedder_contract.py and test_neighbours.py read texts",
    "embedding/sentence_bert": "test_gguf_export.py reads such folders",
    "model/no_prefix": "test_model_contract.py runs every model",
    "model/grammar model/library model/llama_context model/sampling model/tokenizer": "test_engine.py",
    "focus/last_tags focus/topic_changes": "test_recorder.py, test_recent_focus.py and test_tagger_sessions.py",
    "focus_file/*": "test_parse.py, test_merge.py, test_file.py and test_sync.py go through all of it",
    "memories/changes memories/undo": "test_memories.py and test_memories_always.py change and undo",
    "memories/export memories/restore": "test_http_import_export.py goes through both",
    "memories/redaction": "test_forget.py",
    "retrieval/memory_index": "test_search.py",
    "http/client_chat http/openai_embeddings http/openai_responses http/turns": "test_http_openai.py",
    "http/mcp_tools": "test_mcp.py",
    "store/attention": "test_sessions.py",
    "store/copies store/inspection store/restamp": "test_opening.py, test_backup.py and test_clock.py",
    "store/fts store/memory_fts store/messages": "test_candidates.py and test_message_fts.py",
    "store/embedders store/topics": "test_centroids.py and test_recent_focus.py",
    "store/events store/exchanges store/imports store/state": "test_database.py and the http tests read them back",
    "atomic_file": "test_private.py and test_sync.py write with it",
    "model/from_file": "test_backends.py",
}
"""Modules without a test file of their name, as patterns, and who tests them instead."""

BEYOND_A_MODULE = {
    "page_browser": "a browser that uses the pages",
    "attacks fuzz": "what no part should do, whatever it is sent",
    "crash day doors focus_edits focus_midway story weeks": "a daemon over some time",
    "clients_*": "the programs that speak these interfaces, against a daemon",
    "benchmarks docs house layers packaging readme scripts systemd": "what is not in the package",
    "embedder_contract model_contract memories_always model_fuzz": "every implementation, or every order of events",
}
"""Test files that are not those of one module, as patterns."""


@dataclass(frozen=True)
class Arrow:
    """`room` imports from `other`, in `path`."""

    room: str
    other: str
    path: str


@functools.cache
def sources() -> dict[str, ast.Module]:
    """The tree of each source file, by its path below the package."""
    return {p.relative_to(SOURCE).as_posix(): ast.parse(p.read_text()) for p in sorted(SOURCE.rglob("*.py"))}


def room_of(path: str) -> str:
    return path.partition("/")[0].removesuffix(".py")


def arrows() -> Iterator[Arrow]:
    """Imports from one room to another."""
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == SOURCE.name:
                named = node.module.split(".")[1:2] or [alias.name for alias in node.names]
                yield from (Arrow(room_of(path), o, path) for o in named if o in rank() and o != room_of(path))


@functools.cache
def rank() -> dict[str, int]:
    return {room: number for number, row in enumerate(ROWS) for room in row.split()}


def upward() -> list[Arrow]:
    return [
        a
        for a in arrows()
        if a.room != "__init__" and (rank()[a.room], rank()[a.other]) != (0, 0) and rank()[a.other] >= rank()[a.room]
    ]


def both_ways() -> list[tuple[str, str]]:
    seen = {(a.room, a.other) for a in arrows()}
    return sorted(
        (one, other) for one, other in seen if one < other and (other, one) in seen and rank()[one] + rank()[other]
    )


def crowded() -> dict[str, int]:
    """Files of each room that may hold a dozen at most, without its `__init__`."""
    counts = Counter(room_of(p) for p in sources() if "/" in p and not p.endswith("__init__.py"))
    return {room: count for room, count in counts.items() if room not in ONE_A_RESOURCE}


def shared_classes() -> dict[str, list[str]]:
    """Class names that stand in two modules, with these."""
    found = defaultdict(list)
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def shared_modules() -> dict[str, list[str]]:
    """Module names that stand in two rooms, but for those with a file for each resource."""
    found = defaultdict(list)
    for path in sources():
        if not path.endswith("__init__.py") and room_of(path) not in ONE_A_RESOURCE:
            found[path.rpartition("/")[2]].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def patterns() -> list[str]:
    """Constants that are regular expressions or tables of words."""
    found = []
    for path, tree in sources().items():
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                called = ast.unparse(node.value.func)
                if called in ("re.compile", "words", "patterns.words"):
                    found += [f"{path}:{ast.unparse(target)}" for target in node.targets]
    return found


def set_afterwards() -> list[str]:
    """Public attributes of a part that others set on it after it was made."""
    found = []
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in [
                    t for each in node.targets for t in (each.elts if isinstance(each, ast.Tuple) else [each])
                ]:
                    is_part = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Attribute)
                    if is_part and not ast.unparse(target).startswith(("self._", "self.")):
                        found.append(f"{path}:{node.lineno}: {ast.unparse(target)}")
    return found


@functools.cache
def test_files() -> set[str]:
    """The names of the test files, without `test_` and ending."""
    return {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}


def is_of(test: str, path: str) -> bool:
    """Whether a test file is that of a module: named like it, with its room in front, or with more words behind."""
    room, _, name = path.removesuffix(".py").rpartition("/")
    return any(test == each or test.startswith(f"{each}_") for each in (name, f"{room}_{name}", room) if each)


@functools.cache
def without_test() -> list[str]:
    """Modules, such as `http/times`, without a test file of their name, their room in front or not."""
    modules = [path.removesuffix(".py") for path in sources() if not path.endswith("__init__.py")]
    return [path for path in modules if test_files().isdisjoint({path.rpartition("/")[2], path.replace("/", "_")})]


def untested() -> list[str]:
    """Modules without a test file of their name and without a reason."""
    reasons = [pattern for row in TESTED_ELSEWHERE for pattern in row.split()]
    return [path for path in without_test() if not any(fnmatch(path, pattern) for pattern in reasons)]


def stray_tests() -> list[str]:
    """Test files that are those of no module."""
    beyond = [pattern for row in BEYOND_A_MODULE for pattern in row.split()]
    alone = (test for test in test_files() if not any(is_of(test, path) for path in sources()))
    return sorted(test for test in alone if not any(fnmatch(test, pattern) for pattern in beyond))


def lines() -> int:
    return sum(len(p.read_text().splitlines()) for p in SOURCE.rglob("*.py"))


def entered() -> list[str]:
    """The modules whose functions one message enters until its reply is complete, traced on a real turn; not what goes
    on beside it.
    """
    seen: dict[str, None] = {}
    its: list[object] = []

    def trace(frame: object, event: str, _: object) -> None:
        name = frame.f_code.co_filename  # type: ignore[attr-defined]
        if event == "call" and name.startswith(str(SOURCE)) and asyncio.current_task() in its:
            seen.setdefault(Path(name).relative_to(SOURCE).as_posix())

    async def turn() -> None:
        with tempfile.TemporaryDirectory() as folder:
            settings = build({"PI_MEMORY_DATA_DIR": folder}, environ={})
            async with running(settings, model=FakeModel(), embedder=NoEmbedder()) as parts:
                await parts.inbox.drain()
                its.append(asyncio.current_task())
                sys.setprofile(trace)
                try:
                    async for _ in parts.assistant.turn(Turn(message="Where is the ladder?", conversation_id="c")):
                        pass
                finally:
                    sys.setprofile(None)

    asyncio.run(turn())
    return list(seen)


@functools.cache
def measures() -> dict[str, int]:
    """Each measure by its name."""
    return {
        "files_in_a_folder": max(crowded().values()),
        "folders_that_import_both_ways": len(both_ways()),
        "upward_arrows": len(upward()),
        "attributes_set_after_construction": len(set_afterwards()),
        "class_names_used_twice": len(shared_classes()),
        "module_names_used_twice": len(shared_modules()),
        "modules_entered_until_the_reply": len(entered()),
        "pattern_constants": len(patterns()),
        "modules_without_a_test_or_a_reason": len(untested()),
        "test_files_without_a_module": len(stray_tests()),
        "lines": lines(),
    }


def main() -> None:
    for name, value in measures().items():
        print(f"{name:40} {value}")
    if "--verbose" in sys.argv:
        for each in (
            crowded(),
            both_ways(),
            upward(),
            set_afterwards(),
            shared_classes(),
            shared_modules(),
            entered(),
            patterns(),
            untested(),
            stray_tests(),
        ):
            print(each)


if __name__ == "__main__":
    main()
