"""Who may import whom. The tables below are the rule; a new module needs a place in them."""

import ast
import functools
import graphlib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROWS = (
    # Lowest first. A module imports from earlier rows; from its own row only inside one package, or in the pure row.
    "errors turn",
    # Pure: no database, no network, no model. Files at most.
    "settings decay prompt config workspace loader background loglimit precedence files private tasks "
    "conversation.short_memory "
    "focus.shown focus.topics focus.document focus.parse focus.merge focus.block focus.paths focus.commands "
    "focus.filenames focus.naming focus.wording focus.patterns focus.debounce focus.known focus.evidence focus.holders "
    "focus.intact focus.settling focus.renames focus.limits focus.asked focus.conflict focus.verbatim focus.entry "
    "focus.rebuild focus.headings focus.weights focus.context focus.related focus.mentions focus.stack agentlog "
    "agent_settings replay.* "
    "knowledge.own_words knowledge.person knowledge.phrases knowledge.contrast knowledge.notice knowledge.secrets "
    "knowledge.extraction knowledge.troubles knowledge.comparison knowledge.dedup knowledge.hints knowledge.meant "
    "knowledge.namespaces knowledge.fact knowledge.forgetting knowledge.checked knowledge.vectors knowledge.words "
    "knowledge.evidence knowledge.shelf",
    # Edges: each owns a library or a file.
    "store.* model.* embedding.* focus.watch focus.file focus.rejected hub clock",
    "conversation.summary conversation.compaction focus.nearest focus.centroids focus.meaning focus.tagger "
    "focus.asking focus.changes focus.sync",
    "focus.tagging focus.recent focus.attention focus.contexts",
    "knowledge.*",
    "remember reflect housekeeping",
    "briefing",
    "outside",
    "assistant",
    "turns",
    "http.*",
    "backends",
    "daemon",
    "app",
    "connections",
    "service",
    "hook",
    "cli.*",
    "__main__",
)
PURE = 1
"""The row whose modules may all import each other."""

OWNERS = {
    "click": "cli.*",
    "dotenv": "settings",
    "gguf": "embedding.export",
    # The hub library raises errors of httpx2.
    "httpx2": "model.remote cli.client hub",
    "huggingface_hub": "hub",
    "jinja2": "model.template",
    "llama_cpp": "model.llama embedding.gguf",
    "rapidfuzz": "focus.* knowledge.dedup",
    "rich": "cli.*",
    "safetensors": "embedding.export",
    "sentence_transformers": "embedding.sentence_transformers",
    "sqlite3": "store.*",
    # The focus runs its own transactions on the database that the store hands it, and names its type.
    "sqlite_utils": "store.* focus.changes focus.centroids focus.tagging focus.recent focus.contexts knowledge.*",
    "starlette": "http.* app",
    "h11": "connections",
    "uvicorn": "connections service",
    "watchdog": "focus.watch",
}

HEAVY = {"gguf", "jinja2", "llama_cpp", "safetensors", "sentence_transformers"}
"""Libraries that take long to import or may be absent: their owners import them inside the function that needs them."""

IMPORT_LATE = "model.llama model.template embedding.gguf embedding.sentence_transformers embedding.export"
UNUSED_BY_MOST = {
    "backends": {"pi_memory.model.remote.RemoteModel"},
    "__main__": {"pi_memory.agents.hook", "pi_memory.cli"},
}
"""What only some settings need, and brings a library that the others can do without."""

READ_ENVIRONMENT = "settings service hook"

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


def row(module: str) -> int | None:
    return next((number for number, patterns in enumerate(ROWS) if within(module, patterns)), None)


def empty(module: str) -> bool:
    """A package's `__init__` that imports nothing, or the package itself, which has the version."""
    is_package = any(other.startswith(f"{module}.") for other in modules())
    return not module or (is_package and not imports(module))


def may_import(module: str, other: str) -> bool:
    if empty(other):
        return True
    mine, theirs = row(module), row(other)
    if mine is None or theirs is None:
        return False
    same_package = module.partition(".")[0] == other.partition(".")[0]
    return theirs < mine or (theirs == mine and (mine == PURE or same_package))


@pytest.mark.parametrize("module", modules())
def test_a_module_has_a_row(module: str) -> None:
    assert empty(module) or row(module) is not None, f"Give {module} a place in ROWS of {Path(__file__).name}"


@pytest.mark.parametrize("module", modules())
def test_a_module_imports_from_earlier_rows(module: str) -> None:
    breaches = [other for other in sorted(own(module)) if not may_import(module, other)]
    assert not breaches, f"{module} (row {row(module)}) imports {', '.join(f'{o} (row {row(o)})' for o in breaches)}"


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
    assert may_import("assistant", "turn")
    assert may_import("store.database", "store.opening")
    assert not may_import("turn", "assistant")
    assert not may_import("store.database", "model.engine")
    assert not may_import("assistant", "new_module")
