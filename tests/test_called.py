"""The dog that is called Bosun."""

import pytest

from pi_memory.retrieval.called import Called, introduced, known, with_names

SAID = [
    "Hello, I'm Wilma. My husband Desmond and I are retired.",
    "The user's husband Desmond and the user are retired.",
    "Our cat is called Mustard and the dog is called Bosun.",
    "Our vet is Dr. Quilter in Hembridge.",
    "Juno, our daughter, is six.",
    "unser Hund heißt Bello",
    "notre jardinier s'appelle Luc",
    "Aunt Hilda will be ninety.",
]


def test_what_is_called_what_is_read_from_what_was_said() -> None:
    assert known(SAID) == [
        Called("husband", "Desmond"),
        Called("cat", "Mustard"),
        Called("dog", "Bosun"),
        Called("vet", "Dr. Quilter"),
        Called("daughter", "Juno"),
        Called("Hund", "Bello"),
        Called("jardinier", "Luc"),
        Called("Aunt", "Hilda"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "The NAS is at 10.0.0.2",
        "Our next gig is Saturday.",
        "Since the summer Freya has had a cold.",
        "My mum's birthday is in May.",
        "The Tin Lantern pays well.",
        "The user works at Linden Park.",
        "We have a babysitter now, her name is Freya.",
        "The ladder is at Ingrid's.",
    ],
)
def test_a_place_a_day_or_a_firm_is_nobodys_name(said: str) -> None:
    assert known([said]) == []


@pytest.mark.parametrize(
    ("asked", "again"),
    [
        ("What is the dog afraid of?", "What is the Bosun afraid of?"),
        ("Is there anything my husband won't eat?", "Is there anything my Desmond won't eat?"),
        ("bosun tablets when", "dog tablets when"),
        ("Is Juno, our daughter, six?", "Is Juno, our daughter, six?"),
        ("Where is the ladder?", "Where is the ladder?"),
    ],
)
def test_a_question_is_asked_with_the_other_word(asked: str, again: str) -> None:
    assert with_names(asked, known(SAID)) == again


@pytest.mark.parametrize(
    ("said", "before", "found"),
    [
        ("Maeve's moved to Limerick.", "My sister Maeve lives in Galway.", "My sister Maeve's moved to Limerick."),
        ("Since May Maeve is in Cork.", "My sister Maeve lives in Galway.", "Since May my sister Maeve is in Cork."),
        ("Harriet left, my boss is Tom now.", "My boss is called Harriet.", "Harriet left, my boss is Tom now."),
        ("We left Nordlink.", "Our provider is Nordlink.", "We left Nordlink."),
        ("The old Bramble has stopped barking.", "The loud one is Bramble.", "The old Bramble has stopped barking."),
        ("The red one is for the barn.", "The red key is for the shed.", "The red key is for the barn."),
        ("The red one is for the barn.", "The door is red and the shed is green.", "The red one is for the barn."),
        ("Priya comes on Friday.", "The dog walker, Priya, comes on Monday.", "The dog walker Priya comes on Friday."),
        ("Ode's put the eggs up.", "We get our eggs from Ode, a dozen for 3.", "Ode's put the eggs up."),
        ("Kit gave it back.", "The user lent Kit the saw.", "Kit gave it back."),
        ("The bins go on Monday.", "My sister Maeve lives in Galway.", "The bins go on Monday."),
    ],
)
def test_whom_an_earlier_text_introduced_is_introduced(said: str, before: str, found: str) -> None:
    assert introduced(said, before) == found
