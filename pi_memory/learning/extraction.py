"""Extracts candidates from a session by rules, each with its quote. Pure.

Only the user's words and tools' reports count; never what the assistant claims, and never what was put into the prompt.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from pi_memory.learning.fixes import chains, solutions
from pi_memory.learning.statements import statements
from pi_memory.memories import namespaces
from pi_memory.memories.said_on import dated
from pi_memory.text.intent import is_asking, names_only, supposes
from pi_memory.text.language import pattern
from pi_memory.text.persons import about_user
from pi_memory.text.secrets import secret_in
from pi_memory.text.user_text import Sentence, sentences
from pi_memory.types import NO_MEMORY, Candidate, Exchange, MemoryType, Numbered, Priority, Statement

MOST = 40
"""Most candidates of one session: with more the user is dictating, and search finds it word for word."""
FEWEST_WORDS, MOST_WORDS = 4, 60


def extract(said: Sequence[Numbered], before: Sequence[Numbered] = ()) -> list[Candidate]:
    """Candidates from exchanges of one session with their ids, in the order in which they were said. What came `before`
    was learned from already, but for an error that is resolved only now.

    Each has a verbatim quote of the exchange that it names; see `grounded`.
    """
    open_to_us, earlier = not_private(said), not_private(before)
    found = [c for number, exchange in open_to_us for c in _of_exchange(number, exchange)]
    whole = [*earlier, *open_to_us]
    projects = {number: exchange.project for number, exchange in whole}
    for lesson in (*solutions(whole, known=len(earlier)), *chains(open_to_us)):
        found.append(replace(lesson, namespace=located(lesson.namespace, projects[lesson.exchange_id or 0])))
    return grounded(found, whole)[:MOST]


def not_private(said: Sequence[Numbered]) -> list[Numbered]:
    """The exchanges without those that the user declared private."""
    looked = ((number, replace(exchange, stated=statements(exchange))) for number, exchange in said)
    return [(number, exchange) for number, exchange in looked if not _is_private(exchange)]


def located(name: str, project: str | None) -> str:
    """`fixes` as a namespace: of the project, or of everywhere. One that is whole already stays as it is."""
    return name if "/" in name else f"{_project(project) or 'global'}/{name}"


def of_fact(text: str, project: str | None) -> str:
    """The namespace of a plain fact: the project it was said in, unless it is about the user."""
    name = _project(project)
    return f"{name}/facts" if name and not pattern("of_user").search(text) else "user/facts"


def of_statement(stated: Statement, project: str | None, exchange_id: int | None = None) -> Candidate:
    """A statement as a candidate; not for what is to be forgotten."""
    return Candidate(
        stated.content,
        type="procedural" if stated.kind == "rule" or stated.content.startswith("Remember to ") else "semantic",
        namespace=_namespace(stated, _project(project)),
        priority="highest",
        source="user_stated",
        quote=stated.quote,
        exchange_id=exchange_id,
    )


def grounded(candidates: Sequence[Candidate], said: Sequence[Numbered]) -> list[Candidate]:
    """The candidates whose quote is the user's or a tool's, each content once, without secrets except those that the
    user asked to be remembered. All candidates pass through here.
    """
    words = {number: (exchange.user, *reported_by_tools(exchange)) for number, exchange in said}
    kept: dict[str, Candidate] = {}
    for candidate in candidates:
        quote, spoken = candidate.quote, words.get(candidate.exchange_id or 0, ())
        if not quote.strip() or not any(quote in text for text in spoken):
            continue
        if candidate.priority != "highest" and (secret_in(candidate.content) or secret_in(quote)):
            continue
        kept.setdefault(candidate.content.casefold(), candidate)
    return list(kept.values())


def reported_by_tools(exchange: Exchange) -> Iterator[str]:
    """The arguments and results of tools, as far as their caller reported them."""
    for call in exchange.tool_calls:
        for value in call.arguments.values():
            if isinstance(value, str):
                yield value


def _of_exchange(number: int, exchange: Exchange) -> Iterator[Candidate]:
    stated = [s for s in statements(exchange) if s.kind not in NO_MEMORY]
    for statement in stated:
        candidate = of_statement(statement, exchange.project, number)
        # Only "remember" is leave to keep a secret.
        if statement.kind == "remember" or not secret_in(statement.quote):
            yield candidate
    noticed = {statement.quote for statement in stated}
    said = sentences(exchange.user)
    explains = any(map(is_asking, said))
    for sentence in said:
        if any(quote in sentence.text for quote in noticed):
            continue
        if (found := _of_sentence(sentence, exchange, explains=explains)) is not None:
            yield replace(found, quote=sentence.text, exchange_id=number)


def _of_sentence(sentence: Sentence, exchange: Exchange, *, explains: bool) -> Candidate | None:
    """What a sentence states; nothing of the user's own if it only `explains` a question."""
    text = sentence.text.replace("’", "'")
    if sentence.is_question or supposes(text) or not FEWEST_WORDS <= len(text.split()) <= MOST_WORDS:
        return None
    project = _project(exchange.project)
    if pattern("decided").match(text) and (pattern("why").search(text) or pattern("specific").search(text)):
        return _candidate(text, f"{project or 'user'}/decisions", "medium", "pattern")
    if pattern("habit").match(text) or pattern("instead").match(text):
        return _candidate(
            text, f"{project}/rules" if project and pattern("in_project").search(text) else "user/preferences", "medium"
        )
    if pattern("own").match(text):
        is_passing = explains or names_only(text) or pattern("passing").match(text)
        if is_passing or not (pattern("specific").search(text) or pattern("people").search(text)):
            return None
        return _dated(_candidate(text, "user/facts", "low", "discovery"), exchange.at)
    if project and pattern("lasting").match(text) and pattern("specific").search(text):
        return _candidate(text, f"{project}/facts", "low", "discovery")
    return None


def _candidate(text: str, namespace: str, priority: Priority, source: str = "pattern") -> Candidate:
    return Candidate(about_user(text), namespace=namespace, priority=priority, source=source)


def _dated(candidate: Candidate, at: float) -> Candidate:
    """`yesterday` means nothing in a year: with the day on which it was said."""
    when: MemoryType = "episodic" if pattern("happened").search(candidate.content) else "semantic"
    if not pattern("relative_day").search(candidate.content):
        return replace(candidate, type=when)
    return replace(candidate, content=dated(candidate.content, at), type="episodic")


def _namespace(stated: Statement, project: str | None) -> str:
    if stated.kind == "personal":
        return "user/profile"
    if stated.kind == "preference":
        return "user/preferences"
    if stated.kind == "rule":
        return _rules(stated.quote, project)
    return f"{project}/facts" if project and not pattern("of_user").search(stated.content) else "user/facts"


def _rules(text: str, project: str | None) -> str:
    """How the user wants things to be done: everywhere, unless they say that it is about the project."""
    return f"{project}/rules" if project and pattern("in_project").search(text) else "user/preferences"


def _is_private(exchange: Exchange) -> bool:
    return any(stated.kind == "private" for stated in statements(exchange))


def _project(project: str | None) -> str | None:
    """The namespace of a project, None when it has none."""
    name = namespaces.named(project)
    return namespaces.of_project(name) if name else None
