"""Which library belongs to whom. Which room may import which is held by import-linter (pyproject.toml)."""

import ast
import functools
import graphlib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import pytest

OWNERS = {
    "click": "cli.*",
    "dotenv": "settings",
    "gguf": "embedding.gguf_export",
    # The hub library raises errors of httpx2.
    "httpx2": "model.remote cli.client download",
    "huggingface_hub": "download",
    "jinja2": "model.chat_template web.site",
    "llama_cpp": "model.library embedding.gguf",
    "rich": "cli.*",
    "safetensors": "embedding.gguf_export",
    "sentence_transformers": "embedding.sentence_transformers",
    "sqlite3": "store.*",
    # These run their own transactions on the database that the store hands them, and name its type.
    "sqlite_utils": (
        "store.* focus.* tagging.centroids attention.sessions memories.* retrieval.* recall.recall"
        " agents.import_conversations"
    ),
    "segno": "cli.check",
    "starlette": "http.* web.* app",
    "h11": "http.connections",
    "uvicorn": "http.connections service",
    "watchdog": "focus_file.watcher",
}

HEAVY = {"gguf", "jinja2", "llama_cpp", "safetensors", "segno", "sentence_transformers"}
"""Libraries that take long to import or may be absent: their owners import them inside the function that needs them."""

IMPORT_LATE = "web.site cli.check model.library model.chat_template embedding.gguf* embedding.sentence_transformers"
UNUSED_BY_MOST = {
    "app": {"pi_memory.http.openapi.document"},
    "focus_file.watcher": {"watchdog.observers.polling.PollingObserver"},
    "memories.memories": {
        "pi_memory.memories.export.export",
        "pi_memory.memories.restore.restore",
    },
    "settings": {"difflib", "dotenv.dotenv_values"},
    "backends": {
        "pi_memory.model.remote.RemoteModel",
        "pi_memory.model.from_file.open_model",
        "pi_memory.model.probe.trusted",
        "pi_memory.embedding.gguf.GgufEmbedder",
        "pi_memory.embedding.sentence_transformers.SentenceTransformersEmbedder",
        "pi_memory.embedding.sentence_transformers.installed",
        "pi_memory.learning.llm_extraction.LlmExtraction",
        "pi_memory.tagging.llm_tagger.LlmTagger",
    },
    "service": {"pi_memory.http.wyoming"},
    # A shell that completes a word waits for these.
    "cli.client": {"httpx2"},
    "cli.table": {"rich.cells"},
    "cli.focus": {"rich.live.Live", "rich.text.Text"},
    "cli.chat": {"pi_memory.cli.terminal"},
    "__main__": {"pi_memory.agents.hook", "pi_memory.agents.mcp_pipe", "pi_memory.cli"},
}
"""What only some settings or calls need, and brings a library that the others can do without."""

READ_ENVIRONMENT = "__main__ settings service agents.hook agents.mcp_pipe cli.mcp"

ROOT = Path(__file__).parents[1]
PACKAGE = "pi_memory"


@dataclass(frozen=True)
class Import:
    module: str
    late: bool
    """Inside a function."""

    @property
    def library(self) -> str:
        return self.module.partition(".")[0]


@functools.cache
def modules() -> dict[str, ast.Module]:
    """The source of every module, keyed by its name without the package's; the package itself is ''."""
    found = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT / PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@functools.cache
def imports(module: str) -> tuple[Import, ...]:
    return tuple(_imports(modules()[module], late=False))


def _imports(node: ast.AST, *, late: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, late) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert not child.level, "imports are absolute"
            yield from (Import(f"{child.module}.{alias.name}", late) for alias in child.names)
        inside = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _imports(child, late=inside)


def own(module: str) -> set[str]:
    """The modules of this package that `module` imports."""
    named = {i.module.removeprefix(f"{PACKAGE}.") for i in imports(module) if i.library == PACKAGE}
    return {name if name in modules() else name.rpartition(".")[0] for name in named}


def within(module: str, patterns: str) -> bool:
    """Whether the patterns, with blanks between, name the module. `cli.*` is also the package `cli` itself."""
    return any(fnmatch(module, p) or f"{module}.*" == p for p in patterns.split())


def test_no_module_imports_itself_in_a_circle() -> None:
    try:
        tuple(graphlib.TopologicalSorter({module: own(module) - {module} for module in modules()}).static_order())
    except graphlib.CycleError as error:
        pytest.fail(f"Circle: {' < '.join(error.args[1])}")


@pytest.mark.parametrize("library", OWNERS)
def test_a_library_is_imported_by_its_owners(library: str) -> None:
    users = [m for m in modules() if any(i.library == library for i in imports(m))]
    strangers = [m for m in users if not within(m, OWNERS[library])]
    assert not strangers, f"{library} belongs to {OWNERS[library]}"


def test_heavy_libraries_and_no_others_are_imported_inside_functions() -> None:
    for module in modules():
        late = {i.library for i in imports(module) if i.late and i.module not in UNUSED_BY_MOST.get(module, ())}
        early = {i.library for i in imports(module) if not i.late}
        allowed = HEAVY if within(module, IMPORT_LATE) else set()
        assert not late - allowed, f"Import {', '.join(late - allowed)} at the top of {module}"
        assert not early & HEAVY, f"Import {', '.join(early & HEAVY)} in the function of {module} that needs it"


def test_the_environment_is_read_in_few_places() -> None:
    readers = [module for module in modules() if any(map(_reads_environment, ast.walk(modules()[module])))]
    strangers = [module for module in readers if not within(module, READ_ENVIRONMENT)]
    assert not strangers, f"{', '.join(strangers)} reads the environment: make it a setting"


def _reads_environment(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="os"), attr="environ" | "environb" | "getenv" | "getenvb"):
            return True
        case ast.ImportFrom(module="os", names=names):
            return any(alias.name in ("environ", "getenv") for alias in names)
    return False


def test_the_rule_sees_a_breach() -> None:
    assert within("cli", "cli.*")
    assert within("store.database", "store.*")
    assert not within("http.chat", OWNERS["sqlite3"])
