"""Events reach those that follow them, in order."""

import asyncio

import pytest

from pi_memory.event_bus import Events, FocusEdited, TextForgotten


def test_listeners_are_called_in_their_order_and_waited_for() -> None:
    events, heard = Events(), list[str]()

    async def slowly(event: FocusEdited) -> None:
        await asyncio.sleep(0)
        heard.append(f"slowly {event.line}")

    events.subscribe(FocusEdited, slowly)
    events.subscribe(FocusEdited, lambda event: heard.append(f"at once {event.line}"))
    asyncio.run(events.publish(FocusEdited("now on it: garden")))
    assert heard == ["slowly now on it: garden", "at once now on it: garden"]


def test_a_listener_hears_of_its_own_kind_only() -> None:
    events, heard = Events(), list[object]()
    events.subscribe(FocusEdited, heard.append)
    asyncio.run(events.publish(TextForgotten(str)))
    assert heard == []


def test_what_a_listener_raises_is_raised_where_it_was_published() -> None:
    events, heard = Events(), list[object]()

    async def fail(event: TextForgotten) -> None:
        raise ValueError("the disk is full")

    events.subscribe(TextForgotten, fail)
    events.subscribe(TextForgotten, heard.append)
    with pytest.raises(ValueError, match="full"):
        asyncio.run(events.publish(TextForgotten(str)))
    assert heard == []
