from pi_memory.decay import DAY
from pi_memory.focus_file.document import MAX_ACTIVE, MAX_FADING, Notes, render, same_but_for_time
from pi_memory.focus_file.parse import parse
from pi_memory.topics.display import HOUR
from pi_memory.types import Topic

NOW = 1_771_770_600.0
MEMORY = "/apps/api/src/memory/"
SERVICES = "/apps/api/src/services/"
TOPICS = [
    Topic("deployment", 0.0, NOW - 7 * DAY, (f"{SERVICES}systemReliability.ts",), (SERVICES,)),
    Topic(
        "memory/extraction",
        0.0,
        NOW - 6 * HOUR,
        (f"{MEMORY}extraction.ts", f"{MEMORY}service.ts"),
        (MEMORY,),
        session_count=4,
    ),
    Topic("memory/retrieval", 0.0, NOW - 2 * DAY, (f"{MEMORY}memoryStore.ts",), (MEMORY,), session_count=2),
]
SEED = """\
# Recent Focus
> Auto-generated. Manual edits are respected — removals and additions sync back.
> Last updated: 2026-02-22T14:30:00Z

## Active
- **memory/extraction** | 4 sessions | last: 6h ago | strength: 0.97
  files: extraction.ts, service.ts
  dirs: /apps/api/src/memory/

- **memory/retrieval** | 2 sessions | last: 2d ago | strength: 0.81
  files: memoryStore.ts
  dirs: /apps/api/src/memory/

## Fading
- **deployment** | 1 session | last: 7d ago | strength: 0.48
  files: systemReliability.ts
  dirs: /apps/api/src/services/
"""


def test_the_file_has_the_form_of_the_seed() -> None:
    assert render(TOPICS, now=NOW) == SEED


def test_a_file_without_topics_says_so() -> None:
    text = render([Topic("garden", 0.0, NOW, is_active=False)], now=NOW)
    assert text.endswith("> Last updated: 2026-02-22T14:30:00Z\n\nNo recent topics tracked yet.\n")
    assert parse(text).entries == ()


def test_files_of_one_base_name_are_distinguished() -> None:
    topic = Topic("views", 0.0, NOW, ("/app/auth/views.py", "/app/shop/views.py"))
    assert "  files: auth/views.py, shop/views.py\n" in render([topic], now=NOW)


def test_the_file_stays_readable_with_thousands_of_topics() -> None:
    topics = [Topic(f"area-{n}", 0.0, NOW - n * HOUR / 8) for n in range(5_000)]
    text = render(topics, now=NOW)
    assert text.count("- **") == MAX_ACTIVE + MAX_FADING
    assert text.index("**area-0**") < text.index("**area-1**")
    assert text.endswith(f"\n… {5_000 - MAX_ACTIVE - MAX_FADING} more topics are not shown.\n")
    assert len(parse(text).entries) == MAX_ACTIVE + MAX_FADING


def test_a_topic_with_many_files_shows_the_newest() -> None:
    topic = Topic("big", 0.0, NOW, tuple(f"/a/{n}.py" for n in range(40)))
    assert "files: 32.py, 33.py, 34.py, 35.py, 36.py, 37.py, 38.py, 39.py, +32 more\n" in render([topic], now=NOW)


def test_notes_are_written_back_where_they_were() -> None:
    notes = Notes(("Ask Ana first.",), {"deployment": ("- wait for the new disk",)}, ("## Later", "", "- buy a fan"))
    text = render(TOPICS, now=NOW, notes=notes)
    assert "14:30:00Z\n\nAsk Ana first.\n\n## Active\n" in text
    assert text.endswith("services/\n  - wait for the new disk\n\n## Later\n\n- buy a fan\n")
    assert parse(text).notes == notes


def test_notes_of_a_topic_that_is_gone_are_kept() -> None:
    notes = Notes(topics={"garden": ("water it",)}, sections=("## Later", "- buy a fan"))
    text = render(TOPICS, now=NOW, notes=notes)
    assert text.endswith("\n\n## Later\n- buy a fan\n\n## Notes\n- garden: water it\n")
    assert render(TOPICS, now=NOW, notes=parse(text).notes) == text


def test_only_the_time_of_writing_makes_no_difference() -> None:
    later = render(TOPICS, now=NOW + 60)
    assert later != SEED
    assert same_but_for_time(later, SEED)
    assert not same_but_for_time(render(TOPICS, now=NOW + HOUR), SEED)
