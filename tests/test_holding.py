import pytest

from pi_memory.judges.holding import instead, is_instead, subject_of


@pytest.mark.parametrize(
    ("now", "gone", "before", "says"),
    [
        (
            "they moved him to Thursday",
            "Jan's class is no longer Monday",
            "Jan has class Mondays.",
            "Jan's class: they moved him to Thursday",
        ),
        (
            "callum does the wages",
            "beth went and got a job with the council",
            "beth does our wages",
            "callum does the wages",
        ),
        (
            "the broker is Yvette Dahl",
            "Lenny handed us off",
            "The broker is Lenny.",
            "the broker is Yvette Dahl",
        ),
        (
            "Northfleet Care have got Stan",
            "we've dropped Beckwater",
            "Stan's carers are Beckwater.",
            "Northfleet Care have got Stan",
        ),
    ],
)
def test_what_is_named_in_the_place_of_what_is_over_is_told_alone(now: str, gone: str, before: str, says: str) -> None:
    assert instead(now, gone, [before], ", ") == says


@pytest.mark.parametrize(
    ("now", "gone", "before"),
    [
        ("my brother lives in York", "I don't work in Leeds any more", "I work in Leeds."),
        ("it broke down", "we sold the Volvo", "We drive a Volvo."),
        ("Anna told me", "Lenny is here", "The broker is Lenny."),
    ],
)
def test_what_names_nothing_in_its_place_is_not(now: str, gone: str, before: str) -> None:
    assert not instead(now, gone, [before], ", ")


def test_a_cause_need_not_say_that_something_is_over() -> None:
    now, gone, before = "they've given me box 44", "box 31 has a bad hinge", ["My box is number 31."]
    assert is_instead(now, gone, before, " so ")
    assert not is_instead(now, gone, before, ", ")


def test_the_subject_of_a_clause_stands_before_its_verb() -> None:
    assert subject_of("Our old vet has retired") == "Our old vet"
    assert not subject_of("it has retired")


@pytest.mark.parametrize(
    ("now", "gone", "before", "joint"),
    [
        ("a Miss Pell, she is strict", "Bo's got a new teacher since May", "Bo is in Mr Ott's class since June.", ", "),
        ("14 minutes a flight", "I switched the glider to 1900 cells", "The glider has 1500 cells, 5 of them.", ", "),
        ("they have moved to Bern", "Ada got into the choir", "Ada is in Lindau.", " and "),
        ("there she stays until Easter", "we took the Ada down to Bern", "The Ada lies at Lindau.", ", and "),
        (
            "their papers go in there",
            "the Otts put a rack on the porch",
            "I leave the Otts' papers in the barrel.",
            ", so ",
        ),
    ],
)
def test_what_only_goes_on_from_a_clause_that_holds_is_told_with_it(
    now: str, gone: str, before: str, joint: str
) -> None:
    assert not instead(now, gone, [before], joint)


def test_a_clause_without_a_word_says_nothing() -> None:
    assert not instead("'", "Bo no longer has our ladder", ["Bo has our ladder."], ", ")
    assert not instead(" ", "Bo no longer has our ladder", ["Bo has our ladder."], ", ")
