"""What resolved an error: only what belongs to it, also when a tool alone says that it is over."""

from pi_memory.learning.fixes import solutions
from pi_memory.types import Candidate, Exchange, ToolCall

AT = 1_771_770_600.0
FAILS = "KeyError: token_id\n"


def said(user: str, *calls: ToolCall, reply: str = "Done.") -> Exchange:
    return Exchange("c", user, reply, AT, tool_calls=calls)


def run(command: str, **result: str) -> ToolCall:
    return ToolCall("bash", {"command": command, **result})


def edit(path: str) -> ToolCall:
    return ToolCall("edit", {"file_path": path, "old_string": "a", "new_string": "b"})


def found(*exchanges: Exchange, known: int = 0) -> list[Candidate]:
    return list(solutions(list(enumerate(exchanges, 1)), known=known))


def test_a_run_that_passes_after_a_change_resolves_what_failed() -> None:
    (fix,) = found(said("Run the tests", run("pytest", error=FAILS)), said("go on", edit("session.py"), run("pytest")))
    assert fix.content == "Problem: KeyError: token_id. Resolved: Changing `session.py`."


def test_an_error_told_with_its_fix_is_told_once() -> None:
    told = "The deploy failed because the vault password was wrong, fixed it by rotating it."
    assert [fix.content for fix in found(said(told))] in ([], [told])


def test_so_does_one_in_the_same_exchange() -> None:
    calls = (run("pytest", error=FAILS), run("pip install attrs"), run("pytest"))
    (fix,) = found(said("Run the tests", *calls))
    assert fix.content == "Problem: KeyError: token_id. Resolved: `pip install attrs`."


def test_the_same_run_once_more_resolves_nothing() -> None:
    assert found(said("Run the tests", run("pytest", error=FAILS)), said("again", run("pytest"))) == []


def test_the_failing_command_is_no_part_of_its_fix() -> None:
    tried = said("fix it", run("pytest", error=FAILS), run("make config"), run("pytest"))
    (fix,) = found(said("Run the tests", run("pytest", error=FAILS)), tried, said("works now, thanks"))
    assert "pytest" not in fix.content
    assert "`make config`" in fix.content


def test_what_works_must_be_what_failed() -> None:
    fails = said("The login fails with KeyError: token_id", reply="Try `make config`.")
    assert found(fails, said("The printer works again")) == []
    assert len(found(fails, said("The login works again"))) == 1
    assert len(found(fails, said("ok, it works now"))) == 1


def test_what_was_known_before_is_not_found_again() -> None:
    fails, works = said("The tests fail with KeyError: token_id"), said("Works now, it was the default in session.py")
    assert len(found(fails, works)) == 1
    assert len(found(fails, works, known=1)) == 1
    assert found(fails, works, said("thanks"), known=2) == []
