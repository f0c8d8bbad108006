"""Times as clients write and read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.clock import LAST, iso
from pi_memory.errors import RequestError
from pi_memory.http.times import unix


@given(st.integers(0, int(LAST)))
def test_a_time_is_read_as_it_was_written(at: int) -> None:
    assert unix(iso(at), "at") == unix(at, "at") == at


@pytest.mark.parametrize("text", ["2026-02-22T14:30:00Z", "2026-02-22T15:30:00+01:00", "2026-02-22 14:30"])
def test_a_time_without_a_zone_is_utc(text: str) -> None:
    assert unix(text, "at") == 1_771_770_600.0


@pytest.mark.parametrize("value", ["", "soon", "2026-13-01", -1, LAST + 1, float("nan"), float("inf")])
def test_what_is_no_time_names_its_field(value: str | float) -> None:
    with pytest.raises(RequestError, match="from: not a time"):
        unix(value, "from")
