"""The measures of the house, each at its limit or below (`python -m tests.house --verbose` names what counts)."""

import fnmatch
import subprocess
import sys
from pathlib import Path

import pytest

from tests import house

LIMITS = {
    "files_in_a_folder": 12,
    "folders_that_import_both_ways": 0,
    "upward_arrows": 0,
    "attributes_set_after_construction": 2,
    "class_names_used_twice": 0,
    "module_names_used_twice": 0,
    "modules_entered_until_the_reply": 45,
    "modules_without_a_test_or_a_reason": 0,
    "test_files_without_a_module": 0,
    "pattern_constants": 59,
}


@pytest.mark.parametrize(("measure", "limit"), LIMITS.items())
def test_a_measure_keeps_its_limit(measure: str, limit: int) -> None:
    assert house.measures()[measure] <= limit


def test_every_room_has_a_row() -> None:
    rooms = {house.room_of(path) for path in house.sources()} - {"__init__"}
    assert rooms <= set(house.rank())


def test_the_rows_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter], cwd=house.SOURCE.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_reason_and_exception_is_still_needed() -> None:
    patterns = [pattern for row in house.TESTED_ELSEWHERE for pattern in row.split()]
    assert [pattern for pattern in patterns if not fnmatch.filter(house.without_test(), pattern)] == []
    beyond = [pattern for row in house.BEYOND_A_MODULE for pattern in row.split()]
    assert [pattern for pattern in beyond if not fnmatch.filter(house.test_files(), pattern)] == []
