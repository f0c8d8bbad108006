"""Layer 1: windows, TTL and LRU, with time as an argument."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_memory.conversation.window import ConversationWindows
from pi_memory.types import Exchange, Standing


def memory(*, ttl: float = 60, most: int = 2) -> ConversationWindows:
    return ConversationWindows(ttl=ttl, max_conversations=most)


def say(short: ConversationWindows, name: str, text: str, at: float) -> None:
    conversation = short.get(name, at) or short.new(name, at)
    short.append(conversation, Exchange(name, text, f"re {text}", at))


def said(short: ConversationWindows, name: str, now: float) -> list[str] | None:
    found = short.get(name, now)
    return None if found is None else [exchange.user for exchange in found.exchanges]


def test_a_summary_stands_for_the_exchanges_that_were_folded() -> None:
    short = memory()
    for at, text in enumerate("abc"):
        say(short, "c", text, at)
    short.fold("c", 1, "they said a")
    found = short.get("c", 3)
    assert found is not None
    assert [(e.user, e.reply) for e in found.exchanges] == [("b", "re b"), ("c", "re c")]
    assert found.summary == "they said a"


def test_what_is_folded_during_an_exchange_stays_folded() -> None:
    short = memory()
    for at, text in enumerate("ab"):
        say(short, "c", text, at)
    copy = short.get("c", 2)
    assert copy is not None
    short.fold("c", 1, "they said a")
    short.append(copy, Exchange("c", "c", "re c", 2))
    assert said(short, "c", 2) == ["b", "c"]
    assert (found := short.get("c", 2)) is not None
    assert found.summary == "they said a"


def test_what_is_forgotten_during_an_exchange_stays_so() -> None:
    short = ConversationWindows(ttl=60, max_conversations=2, clean=without_digits)
    conversation = short.new("c", 0)
    conversation.standing = Standing("general", "the code is 4711", 4)
    short.append(conversation, Exchange("c", "a", "re a", 0))
    copy = short.get("c", 1)
    assert copy is not None
    short.rewrite(without_digits)
    short.append(copy, Exchange("c", "b", "re b", 1))
    assert "4711" not in str(short.prompted())
    assert said(short, "c", 1) == ["a", "b"]


def without_digits(text: str, question: str = "") -> str:
    return text.replace("4711", "")


def test_an_exchange_of_which_nothing_may_be_kept_is_none() -> None:
    short = ConversationWindows(ttl=60, max_conversations=2, clean=without_digits)
    say(short, "c", "a", 1)
    short.append(short.get("c", 2) or short.new("c", 2), Exchange("c", "4711", "4711", 2))
    assert said(short, "c", 2) == ["a"]


def test_a_conversation_expires_only_after_its_idle_time() -> None:
    short = memory(ttl=60)
    say(short, "c", "hello", 0)
    assert said(short, "c", 60) == ["hello"]
    assert said(short, "c", 60.1) is None
    say(short, "c", "again", 61)
    assert said(short, "c", 61) == ["again"]


def test_a_time_to_live_of_zero_never_expires() -> None:
    short = memory(ttl=0)
    say(short, "c", "hello", 0)
    assert said(short, "c", 10**9) == ["hello"]
    assert short.sweep(10**9) == []


def test_a_sweep_frees_what_expired_without_anybody_asking_for_it() -> None:
    short = memory(ttl=60, most=10)
    say(short, "old", "x", 0)
    say(short, "new", "y", 50)
    assert [c.id for c in short.sweep(100)] == ["old"]
    assert short.ids() == ["new"]


def test_the_least_recently_used_gives_way() -> None:
    short = memory(most=2)
    for at, name in enumerate(["a", "b", "a", "c"]):
        say(short, name, "x", at)
    assert [c.id for c in short.sweep(4)] == ["b"]
    assert short.ids() == ["a", "c"]


def test_get_returns_a_copy() -> None:
    short = memory()
    say(short, "c", "hello", 0)
    copy = short.get("c", 0)
    assert copy is not None
    copy.exchanges.clear()
    copy.pending.append("x")
    again = short.get("c", 0)
    assert again is not None
    assert len(again.exchanges) == 1
    assert again.pending == []


def test_a_mention_goes_with_the_next_message_and_one_that_came_meanwhile_with_the_one_after() -> None:
    short = memory()
    say(short, "c", "hello", 0)
    short.mention("first")
    under_way = short.get("c", 1)
    assert under_way is not None
    assert under_way.pending == ["first"]
    short.mention("second")
    short.append(under_way, Exchange("c", "b", "re b", 2))
    after = short.get("c", 2)
    assert after is not None
    assert after.pending == ["second"]


def test_many_mentions_do_not_pile_up() -> None:
    short = memory()
    say(short, "c", "hello", 0)
    for number in range(400):
        short.mention(f"{number} " * 1_000)
    found = short.get("c", 1)
    assert found is not None
    assert [text.split()[0] for text in found.pending] == ["397", "398", "399"]
    assert all(len(text) <= 300 for text in found.pending)


def test_what_was_ended_while_an_exchange_went_on_does_not_come_back() -> None:
    short = memory()
    say(short, "c", "secret", 0)
    under_way = short.get("c", 1)
    assert under_way is not None
    short.end("c")
    short.append(under_way, Exchange("c", "after", "re after", 2))
    assert said(short, "c", 2) == ["after"]


def test_one_that_gave_way_and_came_back_is_not_over() -> None:
    short = memory(most=1)
    for at, name in enumerate("aba"):
        say(short, name, "x", at)
    assert [c.id for c in short.sweep(3)] == ["b"]


def test_end_forgets() -> None:
    short = memory()
    say(short, "c", "hello", 0)
    assert short.end("c") is not None
    assert short.end("c") is None
    assert short.get("c", 0) is None


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0, 40)), max_size=60), st.integers(1, 4))
def test_it_stays_within_its_bounds(steps: list[tuple[str, float]], most: int) -> None:
    short, now = memory(ttl=60, most=most), 0.0
    for name, wait in steps:
        now += wait
        say(short, name, "x", now)
        short.sweep(now)
        assert len(short) <= most
        assert short.ids()[-1] == name


@pytest.mark.parametrize("ttl", [0, 60])
def test_expiry_is_reported(ttl: float) -> None:
    short = memory(ttl=ttl)
    assert short.expires_at(short.new("c", 5)) == (65 if ttl else None)


def test_a_conversation_goes_on_as_it_was_prompted() -> None:
    standing = Standing("general", "Be brief.", 2)
    before, after = ConversationWindows(ttl=0, max_conversations=9), ConversationWindows(ttl=0, max_conversations=9)
    result = [Exchange("c", "hm", "ah", n, context=f"it is {n}", recalled=(f"fact {n}",)) for n in range(3)]
    conversation = before.new("c", 0)
    conversation.standing = standing
    for one in result:
        before.append(conversation, one)
    stored = [replace(one, context="", recalled=()) for one in result]
    after.resume("c", stored[1:], prompted=before.prompted()["c"])
    resumed = after.last("c")
    assert resumed is not None
    assert list(resumed.exchanges) == result[1:]
    assert resumed.standing == standing
    # What a full disk kept from being stored is told of nobody else.
    after.resume("c", [stored[0], stored[2]], prompted=before.prompted()["c"])
    resumed = after.last("c")
    assert resumed is not None
    assert list(resumed.exchanges) == [stored[0], result[2]]


def test_what_is_forgotten_while_an_exchange_goes_on_is_not_in_it() -> None:
    def clean(text: str, question: str = "") -> str:
        return text.replace("secret", "[gone]")

    short = ConversationWindows(ttl=60, max_conversations=2, clean=clean)
    say(short, "c", "hello", 1)
    for name in ("c", "new"):
        under_way = short.get(name, 2) or short.new(name, 2)
        under_way.standing = Standing("general", "a secret", 1)
        short.rewrite(clean)
        context, recalled = "you know the secret", ("the secret",)
        short.append(under_way, Exchange(name, "hm", "the secret", 3, context=context, recalled=recalled))
        found = short.get(name, 4)
        assert found is not None
        last = found.exchanges[-1]
        assert found.standing == Standing("general", "a [gone]", 1)
        assert (last.reply, last.context, last.recalled) == ("the [gone]", "you know the [gone]", ("the [gone]",))
