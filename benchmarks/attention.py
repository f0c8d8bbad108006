"""Recall with and without attention, in the middle of one of three projects that share a scope.

A week of work goes through a real daemon: what is worked on by `POST /activity`, what is stated by `POST /memories`, in
the scope of all projects. Then every ambiguous question is asked in the middle of each project.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

import httpx2

from benchmarks import _measure as measure
from benchmarks._week import FILES, NAMED, PROJECTS, SAID, THEMES, TODAY, WEEK

DAY, MINUTE = 86_400.0, 60.0
SESSIONS_A_DAY = 3
RESULTS = 50
NOBODY = "nobody"
"""A session that has just begun: it attends to nothing."""


@dataclass(frozen=True)
class Asked:
    """A question, the session in which it is asked, the memory that answers it, and those of the other projects that
    look like answers."""

    question: str
    session: str
    right: int
    wrong: tuple[int, ...]


class Week:
    """What Ada did, told to a daemon; `now` is the daemon's clock as the week began to be told.

    An agent names its `project` by its working directory; without it, files and sessions have to tell.
    """

    def __init__(self, client: httpx2.Client, now: float, *, names_project: bool) -> None:
        self._client = client
        self._names_project = names_project
        self._at = now - 8 * DAY
        self.memories: dict[tuple[str, str], int] = {}

    def live(self) -> None:
        """Five days of three sessions each; what there is to state is stated in the order of the themes."""
        themes = {project: list(THEMES) for project in PROJECTS}
        for number, (project, *areas) in enumerate(WEEK):
            session = f"{project}-{number}"
            for area in areas:
                self.work(session, project, area)
                for theme in themes[project][:2]:
                    self.state(session, project, theme)
                    themes[project].remove(theme)
            self._at += DAY / SESSIONS_A_DAY
        for project in PROJECTS:
            for area in TODAY[project]:
                self.work(f"today-{project}", project, area)

    def work(self, session: str, project: str, area: str) -> None:
        for number, said in enumerate(SAID):
            file = FILES[project][area][number % 2]
            body = {
                "session_id": session,
                "user_message": said.format(file=file.rpartition("/")[2]),
                "assistant_response": "Done.",
                "tool_calls": [{"name": "edit", "arguments": {"file_path": file}}],
                "at": self._at,
                "project": f"/home/ada/work/{project}" if self._names_project else None,
            }
            _checked(self._client.post("/activity?wait=1", json=body))
            self._at += 5 * MINUTE

    def state(self, session: str, project: str, theme: str) -> None:
        body = {"content": THEMES[theme][0][project], "namespace": "user", "session_id": session}
        self.memories[project, theme] = _checked(self._client.post("/memories", json=body)).json()["id"]

    def ambiguous(self, which: int) -> Iterator[Asked]:
        """Questions that mean another thing in each project: the first of each theme, or the second."""
        for theme, (_, *questions) in THEMES.items():
            for project in PROJECTS:
                yield self._asked(questions[which], project, project, theme)

    def named(self) -> Iterator[Asked]:
        """Questions about another project than the one that she is in, which they name."""
        for here, there, theme, question in NAMED:
            yield self._asked(question, here, there, theme)

    def _asked(self, question: str, here: str, there: str, theme: str) -> Asked:
        wrong = tuple(self.memories[other, theme] for other in PROJECTS if other != there)
        return Asked(question, f"today-{here}", self.memories[there, theme], wrong)


@dataclass(frozen=True)
class Score:
    mrr: float
    first: float
    """Share of the questions whose memory of the right project is above those of the others."""


def score(client: httpx2.Client, asked: list[Asked], *, attention: bool) -> Score:
    reciprocals, above = [], []
    for question in asked:
        ids = found(client, question, attention=attention)
        ranks = {number: rank for rank, number in enumerate(ids, 1)}
        reciprocals.append(1 / ranks[question.right] if question.right in ranks else 0.0)
        best_wrong = min((ranks[number] for number in question.wrong if number in ranks), default=RESULTS + 1)
        above.append(ranks.get(question.right, RESULTS + 2) < best_wrong)
    return Score(fmean(reciprocals), fmean(above))


def found(client: httpx2.Client, asked: Asked, *, attention: bool) -> list[int]:
    """Ids of the memories that the search finds, best first."""
    session = asked.session if attention else NOBODY
    query = {"q": asked.question, "k": str(RESULTS), "kind": "memory", "session_id": session}
    results = _checked(client.get("/memories/search", params=query)).json()["results"]
    return [result["id"] for result in results]


def figures(client: httpx2.Client, now: float, *, names_project: bool) -> dict[str, float | int | str]:
    week = Week(client, now, names_project=names_project)
    week.live()
    _checked(client.post("/session", json={"session_id": NOBODY}))
    asked = {"": week.ambiguous(0), "_held_out": week.ambiguous(1), "_named": week.named()}
    shown: dict[str, float | int | str] = {}
    for group, questions in ((group, list(questions)) for group, questions in asked.items()):
        with_it, without = (score(client, questions, attention=attention) for attention in (True, False))
        shown |= {
            f"questions{group}": len(questions),
            f"mrr_with{group}": with_it.mrr,
            f"mrr_without{group}": without.mrr,
            f"right_first_with{group}": with_it.first,
            f"right_first_without{group}": without.first,
        }
    return shown


def run(*, names_project: bool) -> dict[str, float | int | str]:
    with measure.folder() as folder, measure.daemon(folder, PI_MEMORY_PROVIDER="extractive") as daemon:
        daemon.wait_until_loaded()
        with daemon.client() as client:
            embedder = client.get("/healthz").json()["parts"].get("embedder")
            if "MiniLM" not in str(embedder):
                measure.not_possible(f"The embedder that set-up makes is needed, not {embedder}.")
            return figures(client, time.time(), names_project=names_project)


def _checked(answer: httpx2.Response) -> httpx2.Response:
    if answer.is_error:
        raise SystemExit(f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text}")
    return answer


def main() -> None:
    options = measure.parser(__doc__).parse_args()
    shown = run(names_project=True)
    unnamed = run(names_project=False)
    measure.show(shown | {f"{name}_no_project": value for name, value in unnamed.items()}, as_json=options.json)


if __name__ == "__main__":
    main()
