"""Locks, full and failing disks, signals, damaged and deleted files, wrong clocks: what is lost, and what is said?"""

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import _measure as measure
from benchmarks._bed import AGAIN, COMMIT_SECONDS, Bed, known, loss_is_named, until
from benchmarks._faults_of_machines import FAULTS_OF_MACHINES

Fault = Callable[[Bed], None]
AT_A_TIME = 4
"""Most of them wait most of the time."""


# Another program's lock.


def lock_for_a_moment(bed: Bed) -> None:
    bed.start()
    with bed.locked():
        time.sleep(0.3)
    bed.talk("anchor")


def lock_while_somebody_chats(bed: Bed) -> None:
    bed.start()
    with bed.locked():
        bed.chat("the anchor is by the door")
        loss_is_named(bed)
        bed.chat("the barrel is by the door")
    bed.expect_well(AGAIN)


def lock_while_something_must_be_saved(bed: Bed) -> None:
    bed.start()
    with bed.locked():
        assert not bed.remember("I like the anchor."), "nobody may confirm it"
        assert not bed.topic("anchor")
        loss_is_named(bed)
    bed.expect_well(AGAIN)


def lock_at_a_start(bed: Bed) -> None:
    known(bed)
    with bed.locked():
        assert "Another program is using" in bed.refused_start()
    bed.start()


def lock_at_a_stop(bed: Bed) -> None:
    bed.start()
    bed.talk("anchor")
    bed.wait_for_commit()
    with bed.locked():
        bed.chat("the barrel is by the door")
        bed.heard.discard("the barrel is by the door")  # the log says that it is lost
        assert bed.stop() == 1
    bed.noticed &= bed.log().count("could not be saved:") == 1
    bed.start()


# No room, no permission.


def disk_full_at_the_first_start(bed: Bed) -> None:
    bed.own_disk()
    bed.fill()
    bed.start()
    without_a_disk(bed, bed.make_room)


def disk_full_at_a_start(bed: Bed) -> None:
    bed.own_disk()
    known(bed)
    bed.fill()
    bed.start()
    without_a_disk(bed, bed.make_room)


def disk_read_only_at_the_first_start(bed: Bed) -> None:
    bed.own_disk()
    bed.read_only()
    bed.start()
    without_a_disk(bed, bed.writable)


def disk_read_only_at_a_start(bed: Bed) -> None:
    bed.own_disk()
    known(bed)
    bed.read_only()
    bed.start()
    without_a_disk(bed, bed.writable)


def disk_read_only_after_a_crash(bed: Bed) -> None:
    bed.own_disk()
    crashed(bed)
    bed.read_only()
    bed.start()
    without_a_disk(bed, bed.writable)


def disk_full_while_it_runs(bed: Bed) -> None:
    bed.own_disk()
    bed.start()
    bed.talk("anchor")
    bed.fill()
    for number in range(60):
        bed.chat(f"number {number} of what needs room {'x' * 400}")
    loss_is_named(bed)
    bed.make_room()
    bed.expect_well(AGAIN)
    with bed.client() as client:
        found = until(lambda: "needs room" in client.get("/memories/search?q=room+number+59").text)
    assert found, "what was said on a full disk is found later"


def disk_full_and_then_killed(bed: Bed) -> None:
    bed.own_disk()
    bed.start()
    bed.talk("anchor")
    bed.wait_for_commit()
    bed.fill()
    bed.kill()
    bed.make_room()
    bed.start()


def disk_full_at_a_stop(bed: Bed) -> None:
    bed.own_disk()
    bed.start()
    bed.talk("anchor")
    bed.wait_for_commit()
    bed.fill()
    bed.stop()
    bed.make_room()
    bed.start()


def a_file_in_place_of_the_folder(bed: Bed) -> None:
    bed.data.write_text("in the way")
    bed.start()
    without_a_disk(bed, bed.data.unlink)


# Deleted or replaced while it is open.


def folder_deleted_while_it_runs(bed: Bed) -> None:
    bed.start()
    bed.talk("anchor")
    shutil.rmtree(bed.data)
    bed.talk("barrel")
    bed.expect("was deleted while it was in use")


def database_deleted_while_it_runs(bed: Bed) -> None:
    bed.start()
    bed.talk("anchor")
    bed.database.unlink()
    bed.talk("barrel")
    bed.expect("was deleted while it was in use")


def log_deleted_while_it_runs(bed: Bed) -> None:
    bed.start()
    bed.talk("anchor")
    beside(bed, "-wal").unlink()
    bed.talk("barrel")
    bed.expect("was deleted while it was in use")


def database_replaced_while_it_runs(bed: Bed) -> None:
    bed.start()
    bed.talk("anchor")
    bed.wait_for_commit()
    shutil.copy(bed.database, bed.folder / "kept")
    shutil.copy(beside(bed, "-wal"), bed.folder / "kept-wal")
    (bed.folder / "other").write_bytes(b"of somebody else")
    (bed.folder / "other").replace(bed.database)
    assert not bed.topic("barrel")
    loss_is_named(bed)
    bed.stop()
    assert bed.database.read_bytes() == b"of somebody else"
    shutil.copy(bed.folder / "kept", bed.database)
    shutil.copy(bed.folder / "kept-wal", beside(bed, "-wal"))
    bed.start()


# Signals.


def killed_in_the_middle_of_talk(bed: Bed) -> None:
    for word in ("anchor", "barrel", "candle"):
        bed.start()
        bed.talk(word)
        bed.wait_for_commit()
        bed.chat("this may be lost: its group was not due")
        bed.heard.discard("this may be lost: its group was not due")
        bed.kill()
    bed.start()


def killed_right_after_it_confirmed(bed: Bed) -> None:
    bed.start(PI_MEMORY_COMMIT_SECONDS=60)
    bed.remember("I like the anchor.")
    bed.topic("anchor")
    bed.kill()
    bed.start()


def terminal_closed(bed: Bed) -> None:
    ended_by(bed, signal.SIGHUP)


def quit_key(bed: Bed) -> None:
    ended_by(bed, signal.SIGQUIT)


def interrupted(bed: Bed) -> None:
    ended_by(bed, signal.SIGINT)


def told_to_stop_twice(bed: Bed) -> None:
    bed.start(PI_MEMORY_COMMIT_SECONDS=60)
    bed.talk("anchor")
    bed.send(signal.SIGTERM)
    assert bed.stop() == 0
    bed.start()


def suspended_for_a_while(bed: Bed) -> None:
    bed.start()
    bed.talk("anchor")
    bed.send(signal.SIGSTOP)
    time.sleep(2 * COMMIT_SECONDS)
    bed.send(signal.SIGCONT)
    bed.talk("barrel")


def suspended_for_days(bed: Bed) -> None:
    by = bed.folder / "clock"
    by.write_text("0 0")
    bed.start(LD_PRELOAD=measure.preloaded(bed.folder, "set_clock"), SET_CLOCK_BY=by)
    bed.talk("anchor")
    bed.send(signal.SIGSTOP)
    by.write_text(f"{5 * 86_400} {5 * 86_400}")
    bed.send(signal.SIGCONT)
    bed.talk("barrel")
    bed.expect_well()
    assert bed.active() >= {"anchor", "barrel"}


# Damaged while it was off.


def database_zeroed(bed: Bed) -> None:
    put_aside(bed, lambda path: path.write_bytes(bytes(path.stat().st_size)))


def database_emptied(bed: Bed) -> None:
    put_aside(bed, lambda path: path.write_bytes(b""))


def database_of_nonsense(bed: Bed) -> None:
    put_aside(bed, lambda path: path.write_bytes(b"no database " * 999))


def database_with_broken_pages(bed: Bed) -> None:
    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[2048:-2048] = b"\x5a" * (len(data) - 4096)
        path.write_bytes(data)

    put_aside(bed, damage)


def database_gone(bed: Bed) -> None:
    known(bed)
    bed.heard.clear()
    bed.database.unlink()
    bed.start()
    bed.expect("is gone, and a new database was started")


def database_older_than_what_was_confirmed(bed: Bed) -> None:
    known(bed)
    shutil.copy(bed.database, bed.folder / "older")
    bed.start()
    bed.topic("barrel")
    bed.stop()
    bed.heard.discard("barrel")
    shutil.copy(bed.folder / "older", bed.database)
    bed.start()
    bed.expect("of the writes that were acknowledged")


def database_of_another_program(bed: Bed) -> None:
    known(bed)
    bed.database.rename(bed.folder / "kept")
    with closing(sqlite3.connect(bed.database)) as other:
        other.execute("create table photos (name text)")
    before = bed.database.read_bytes()
    bed.noticed &= "no database of pi-memory" in bed.refused_start()
    assert bed.database.read_bytes() == before
    (bed.folder / "kept").replace(bed.database)
    bed.start()


def write_ahead_log_flipped(bed: Bed) -> None:
    log_damaged(bed, lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:])


def write_ahead_log_emptied(bed: Bed) -> None:
    log_damaged(bed, lambda data: b"")


def write_ahead_log_zeroed(bed: Bed) -> None:
    log_damaged(bed, lambda data: bytes(len(data)))


def shared_memory_of_nonsense(bed: Bed) -> None:
    crashed(bed)
    beside(bed, "-shm").write_bytes(b"nonsense" * 4096)
    bed.start()


def count_of_commits_of_nonsense(bed: Bed) -> None:
    known(bed)
    beside(bed, "-commits").write_bytes(b"\xff\x00")
    bed.start()


def topic_that_cannot_be_decoded(bed: Bed) -> None:
    value_damaged(bed, "update topics set file_paths = '[broken'", "topics.file_paths of row")


def event_that_cannot_be_decoded(bed: Bed) -> None:
    value_damaged(bed, "update events set after = '{\"1\"'", "events.after of row")


def exchange_that_cannot_be_decoded(bed: Bed) -> None:
    value_damaged(bed, "update exchanges set tool_calls = '[{]'", "exchanges.tool_calls of row")


def text_that_is_not_unicode(bed: Bed) -> None:
    value_damaged(bed, "update memories set quote = cast(x'68ff' as text)", "memories.quote of row")


# The focus file.


def focus_file_emptied(bed: Bed) -> None:
    focus_file_comes_back(bed, lambda path: path.write_text(""))


def focus_file_of_bytes(bed: Bed) -> None:
    focus_file_comes_back(bed, lambda path: path.write_bytes(b"\x00\xff" * 999))


def focus_file_deleted(bed: Bed) -> None:
    focus_file_comes_back(bed, lambda path: path.unlink())


def focus_folder_deleted(bed: Bed) -> None:
    focus_file_comes_back(bed, lambda path: shutil.rmtree(path.parent))


def focus_file_without_end(bed: Bed) -> None:
    def huge(path: Path) -> None:
        with path.open("r+b") as file:
            file.truncate(10**10)

    focus_file_comes_back(bed, huge)


def focus_file_is_a_link_to_a_secret(bed: Bed) -> None:
    bed.start()
    bed.talk("anchor")
    assert until(bed.focus_file.exists)
    secret = bed.folder / "secret.txt"
    secret.write_text("my secret\n")
    bed.focus_file.unlink()
    bed.focus_file.symlink_to(secret)
    bed.talk("barrel")
    bed.stop()
    assert secret.read_text() == "my secret\n"
    bed.start()


# The clock.


def clock_twenty_years_ahead(bed: Bed) -> None:
    clock_set_by(bed, 20 * 365 * 86_400)


def clock_of_1970(bed: Bed) -> None:
    clock_set_by(bed, -int(time.time()) + 60)


FAULTS: tuple[Fault, ...] = (
    lock_for_a_moment,
    lock_while_somebody_chats,
    lock_while_something_must_be_saved,
    lock_at_a_start,
    lock_at_a_stop,
    disk_full_at_the_first_start,
    disk_full_at_a_start,
    disk_read_only_at_the_first_start,
    disk_read_only_at_a_start,
    disk_read_only_after_a_crash,
    disk_full_while_it_runs,
    disk_full_and_then_killed,
    disk_full_at_a_stop,
    a_file_in_place_of_the_folder,
    folder_deleted_while_it_runs,
    database_deleted_while_it_runs,
    log_deleted_while_it_runs,
    database_replaced_while_it_runs,
    killed_in_the_middle_of_talk,
    killed_right_after_it_confirmed,
    terminal_closed,
    quit_key,
    interrupted,
    told_to_stop_twice,
    suspended_for_a_while,
    suspended_for_days,
    database_zeroed,
    database_emptied,
    database_of_nonsense,
    database_with_broken_pages,
    database_gone,
    database_older_than_what_was_confirmed,
    database_of_another_program,
    write_ahead_log_flipped,
    write_ahead_log_emptied,
    write_ahead_log_zeroed,
    shared_memory_of_nonsense,
    count_of_commits_of_nonsense,
    topic_that_cannot_be_decoded,
    event_that_cannot_be_decoded,
    exchange_that_cannot_be_decoded,
    text_that_is_not_unicode,
    focus_file_emptied,
    focus_file_of_bytes,
    focus_file_deleted,
    focus_folder_deleted,
    focus_file_without_end,
    focus_file_is_a_link_to_a_secret,
    clock_twenty_years_ahead,
    clock_of_1970,
    *FAULTS_OF_MACHINES,
)


# What they share.


def beside(bed: Bed, suffix: str) -> Path:
    return bed.database.with_name(bed.database.name + suffix)


def crashed(bed: Bed) -> None:
    bed.start()
    bed.talk("anchor")
    bed.wait_for_commit()
    bed.kill()


def without_a_disk(bed: Bed, heal: Callable[[], object]) -> None:
    loss_is_named(bed)
    bed.chat("the barrel is by the door")
    assert not bed.remember("I like the barrel."), "nobody may confirm it"
    assert not bed.topic("barrel")
    heal()
    bed.expect_well(AGAIN)
    bed.talk("candle")


def ended_by(bed: Bed, number: int) -> None:
    bed.start(PI_MEMORY_COMMIT_SECONDS=60)
    bed.talk("anchor")
    assert bed.stop(number) == 0
    bed.start()


def put_aside(bed: Bed, damage: Callable[[Path], object]) -> None:
    known(bed)
    bed.heard.clear()  # it is in what was put aside
    damage(bed.database)
    broken = bed.database.read_bytes()
    bed.start()
    bed.expect("has been put aside")
    (aside,) = bed.data.glob("memory.db.corrupt-*")
    assert aside.read_bytes() == broken
    bed.talk("barrel")


def log_damaged(bed: Bed, damage: Callable[[bytes], bytes]) -> None:
    crashed(bed)
    bed.heard.clear()  # the damage is what lost it
    log = beside(bed, "-wal")
    log.write_bytes(damage(log.read_bytes()))
    bed.start()
    bed.expect("of the writes that were acknowledged")
    bed.talk("barrel")


def value_damaged(bed: Bed, statement: str, named: str) -> None:
    known(bed)
    bed.change(statement)
    bed.start()
    with bed.client() as client:
        assert all(client.get(path).is_success for path in ("/events", "/export", "/focus", "/memories"))
    bed.talk("barrel")
    bed.noticed &= until(lambda: named in bed.health()) and bed.log().count("were set aside") == 1


def focus_file_comes_back(bed: Bed, damage: Callable[[Path], object]) -> None:
    bed.start()
    bed.talk("anchor")
    assert until(bed.focus_file.exists)
    damage(bed.focus_file)
    bed.topic("barrel")
    assert until(lambda: "anchor" in beginning(bed.focus_file))


def beginning(path: Path) -> str:
    """Of a file that may be missing, or endless."""
    try:
        with path.open("rb") as file:
            return file.read(9999).decode(errors="replace")
    except OSError:
        return ""


def clock_set_by(bed: Bed, seconds: int) -> None:
    """The clock is wrong from a start on, then right; nothing has faded."""
    by = bed.folder / "clock"
    known(bed)
    by.write_text(str(seconds))
    bed.start(LD_PRELOAD=measure.preloaded(bed.folder, "set_clock"), SET_CLOCK_BY=by)
    bed.expect("the clock says")
    bed.talk("barrel")
    by.write_text("0")
    bed.expect_well("The clock is right again")
    assert bed.active() >= {"anchor", "barrel"}, "nothing has faded"


@dataclass(frozen=True)
class Outcome:
    """`told`: each loss or degradation was named by `/healthz` and by one line of the log."""

    survived: bool
    told: bool
    lost: list[str]
    log: str

    @property
    def is_well(self) -> bool:
        return self.survived and self.told and not self.lost


def tried(fault: Fault) -> Outcome:
    """Do something bad to a daemon, then see whether it answers, and what it has lost."""
    with measure.folder() as folder, ExitStack() as stack:
        bed = Bed(folder, stack)
        try:
            fault(bed)
            answers = bed.answers()
            bed.wait_for_commit()
            bed.stop()
            return Outcome(answers and not bed.has_traceback(), bed.noticed, bed.lost(), bed.log())
        except SystemExit as error:
            if error.code == measure.NOT_POSSIBLE:
                raise
            return Outcome(False, bed.noticed, [], f"{error}")
        except (AssertionError, OSError, subprocess.TimeoutExpired):
            return Outcome(False, bed.noticed, [], f"{traceback.format_exc()}\n{bed.log()}")


def main() -> None:
    options = measure.parser(__doc__)
    options.add_argument("--only", default="", help="faults whose name has this in it")
    options.add_argument("--log", action="store_true", help="print the log of those that fail")
    given = options.parse_args()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup(1) the daemons would ignore it too, as they should
    chosen = [fault for fault in FAULTS if given.only in fault.__name__]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        outcomes = dict(zip((fault.__name__ for fault in chosen), pool.map(tried, chosen), strict=True))
    failed = {name: outcome for name, outcome in outcomes.items() if not outcome.is_well}
    for name, outcome in failed.items():
        print(name, replace(outcome, log=""), *([outcome.log] if given.log else []), sep="\n", file=sys.stderr)
    measure.show(
        {
            "faults_tried": len(outcomes),
            "survived": sum(outcome.survived for outcome in outcomes.values()),
            "acknowledged_lost": sum(len(outcome.lost) for outcome in outcomes.values()),
            "told": sum(outcome.told for outcome in outcomes.values()),
            "failed": ", ".join(failed) or "none",
        },
        as_json=given.json,
    )


if __name__ == "__main__":
    main()
