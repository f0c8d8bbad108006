"""`/live`: what changes is passed on as it changes; who was away learns that they have missed something."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path

from pi_memory.background.live_events import BACKLOG, LiveEvent, LiveEvents
from pi_memory.event_bus import Events, ExchangeProcessed, FocusEdited
from tests.process import serving

EDITED = FocusEdited("(edited)")


def in_a_loop(test: Callable[[], Coroutine[None, None, None]]) -> Callable[[], None]:
    """A test that is a coroutine, as pytest runs it."""

    def run() -> None:
        asyncio.run(test())

    return run


async def next_kind(listening: AsyncIterator[LiveEvent]) -> str:
    return (await asyncio.wait_for(anext(listening), 5)).kind


@in_a_loop
async def test_changes_are_passed_to_all() -> None:
    events = Events()
    live = LiveEvents(events)
    listeners = [live.listen(), live.listen()]
    assert [await next_kind(each) for each in listeners] == ["here", "here"]
    await events.publish(ExchangeProcessed(1, "c", None))
    assert [await next_kind(each) for each in listeners] == ["exchange", "exchange"]


@in_a_loop
async def test_who_comes_back_learns_what_they_missed() -> None:
    events = Events()
    live = LiveEvents(events)
    first = await anext(live.listen())
    assert (await anext(live.listen(first.id))).kind == "here"
    await events.publish(EDITED)
    assert (await anext(live.listen(first.id))).kind == "missed"
    assert (await anext(live.listen("another-run"))).kind == "missed"


@in_a_loop
async def test_a_slow_listener_holds_nothing_up() -> None:
    events = Events()
    live = LiveEvents(events)
    slow = live.listen()
    await anext(slow)
    for _ in range(BACKLOG + 2):
        await events.publish(EDITED)
    assert await next_kind(slow) == "missed"


@in_a_loop
async def test_a_stop_ends_listening() -> None:
    live = LiveEvents(Events())
    listening = live.listen()
    await anext(listening)
    live.stop()
    assert await anext(listening, None) is None


def test_a_page_learns_what_changed_since_it_was_made(tmp_path: Path) -> None:
    with serving(tmp_path) as daemon, daemon.client as client:
        page = client.get("/ui/focus").text
        stream = re.search(r'hx-sse:connect="(/live\?since=[^"]+)"', page)
        assert stream is not None
        kinds = []
        for _ in range(2):
            with client.stream("GET", stream[1]) as lines:
                kinds.append(next(line for line in lines.iter_lines() if line.startswith("event")))
            client.put("/focus/kitchen").raise_for_status()
        assert kinds == ["event: here", "event: missed"]


def test_a_client_sees_a_memory_come_and_the_daemon_stop(tmp_path: Path) -> None:
    with serving(tmp_path) as daemon, daemon.client as client, daemon.client.stream("GET", "/live") as stream:
        lines = stream.iter_lines()
        assert "event: here" in next(line for line in lines if line.startswith("event"))
        client.post("/memories", json={"content": "The pump is red"}).raise_for_status()
        assert next(line for line in lines if line.startswith("event")) == "event: memory"
        assert '"id":1' in next(line for line in lines if line.startswith("data"))
        client.close()
        assert daemon.stop() == 0
