"""The limit on requests of one client, in each protocol's own words."""

import pytest

from pi_memory.errors import TooMany
from pi_memory.http.rate_limit import FOR_OTHERS, MINUTE, MOST_CLIENTS, RateLimit
from tests.conftest import Daemon
from tests.fakes import FakeClock


def used_up(limit: RateLimit, client: str, *, is_owner: bool = False) -> int:
    """How many requests are let through, of ten times as many as there may be."""
    for number in range(10 * FOR_OTHERS):
        try:
            limit.count(client, is_owner=is_owner)
        except TooMany:
            return number
    return 10 * FOR_OTHERS


def test_each_client_has_its_own_minute() -> None:
    clock = FakeClock()
    limit = RateLimit(0, clock=clock)
    assert used_up(limit, "192.0.2.7") == used_up(limit, "token kitchen") == FOR_OTHERS
    clock.now += MINUTE - 5
    with pytest.raises(TooMany) as refused:
        limit.count("192.0.2.7", is_owner=False)
    assert refused.value.retry_after == 5
    clock.now += 5
    assert used_up(limit, "192.0.2.7") == FOR_OTHERS


def test_the_owner_has_no_limit_unless_one_is_set() -> None:
    assert used_up(RateLimit(0), "owner", is_owner=True) == 10 * FOR_OTHERS
    assert used_up(RateLimit(3), "owner", is_owner=True) == 3


def test_addresses_beyond_those_that_are_counted_share_a_count() -> None:
    limit = RateLimit(2)
    for number in range(MOST_CLIENTS):
        limit.count(f"2001:db8::{number:x}", is_owner=False)
    assert used_up(limit, "one more") == 2
    assert used_up(limit, "another") == 0
    assert used_up(limit, "2001:db8::1") == 1


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/chat", ("message",)),
        ("/v1/chat/completions", ("error", "message")),
        ("/api/chat", ("error",)),
        ("/mcp", ("error", "message")),
    ],
)
def test_who_asks_too_often_is_refused_in_the_words_of_the_protocol(
    daemon: Daemon, path: str, where: tuple[str, ...]
) -> None:
    client = daemon(PI_MEMORY_REQUESTS_PER_MINUTE=1)
    assert client.get("/version").status_code == 200
    answer = client.post(path, json={})
    assert answer.status_code == 429
    assert 55 <= int(answer.headers["retry-after"]) <= 60, "a slow machine has waited some of it already"
    said = answer.json()
    for name in where:
        said = said[name]
    assert said.startswith("More than 1 requests in a minute")
