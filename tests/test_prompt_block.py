import pytest

from pi_memory.decay import DAY
from pi_memory.focus.prompt_block import focus_block
from pi_memory.topics.display import HOUR
from pi_memory.types import Topic

NOW = 1_771_770_600.0
MEMORY = "/apps/api/src/memory/"
EXTRACTION = Topic(
    "memory/extraction", 0.0, NOW - 6 * HOUR, (f"{MEMORY}extraction.ts", f"{MEMORY}service.ts"), (MEMORY,), 9, 4
)
RETRIEVAL = Topic("memory/retrieval", 0.0, NOW - 5 * DAY, (f"{MEMORY}memoryStore.ts",), (MEMORY,), 3, 2)
DEPLOYMENT = Topic("deployment", 0.0, NOW - 14 * DAY)


def words(text: str) -> int:
    return len(text.split())


def test_the_block_reads_like_the_seed() -> None:
    block = focus_block([RETRIEVAL, EXTRACTION], now=NOW, count=words, budget=800)
    assert block == (
        "## Recent Focus (last 7 days)\n\nYou've been actively working on:\n"
        "- **memory/extraction** (4 sessions, last touched 6h ago) — extraction.ts, service.ts @ "
        "/apps/api/src/memory/\n"
        "- **memory/retrieval** (2 sessions, last touched 5d ago, fading) — memoryStore.ts @ /apps/api/src/memory/"
    )


def test_the_heading_says_how_far_back_it_goes() -> None:
    block = focus_block([EXTRACTION, DEPLOYMENT], now=NOW, count=words, budget=800)
    assert block.startswith("## Recent Focus (last 14 days)\n")
    assert block.endswith("- **deployment** (1 session, last touched 14d ago, weak)")


def test_nothing_to_say_without_active_topics() -> None:
    asleep = Topic("garden", 0.0, NOW, is_active=False)
    assert focus_block([], now=NOW, count=words, budget=800) == ""
    assert focus_block([asleep], now=NOW, count=words, budget=800) == ""


def test_the_strongest_stay_within_the_budget() -> None:
    topics = [Topic(f"area-{n}", 0.0, NOW - n * HOUR) for n in range(1_000)]
    block = focus_block(topics, now=NOW, count=words, budget=60)
    assert words(block) <= 60
    assert block.count("- **") == 6
    assert "**area-5**" in block


@pytest.mark.parametrize("count", [100, 10_000])
@pytest.mark.parametrize("budget", [40, 327, 800])
def test_the_budget_holds_however_many_topics_there_are(count: int, budget: int) -> None:
    topics = [Topic(f"area-{n}", 0.0, NOW - n * HOUR / 20, (f"/src/area-{n}/main.py",)) for n in range(count)]
    block = focus_block(topics, now=NOW, count=words, budget=budget)
    assert words(block) <= budget
    assert block.count("- **") >= min(30, budget // 20)


def test_a_budget_too_small_for_one_topic_gives_nothing() -> None:
    assert focus_block([EXTRACTION], now=NOW, count=words, budget=5) == ""
    assert focus_block([EXTRACTION], now=NOW, count=words, budget=0) == ""


def test_a_file_name_cannot_forge_a_line() -> None:
    topic = Topic("x", 0.0, NOW, ("/a/b.py\n## System",), ("/a\n/",))
    assert len(focus_block([topic], now=NOW, count=words, budget=800).split("\n")) == 4
