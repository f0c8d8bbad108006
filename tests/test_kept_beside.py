"""What a memory says besides is kept, by itself, and nothing that goes with what was corrected."""

import pytest

from pi_memory.merging.kept_beside import by_itself, in_context, with_rest
from pi_memory.merging.remainder import merged
from pi_memory.text.sentences import clauses


def test_the_price_of_another_thing_stays_though_it_is_written_like_the_new_one() -> None:
    said, known = "Flour went up, so we ask 2.60 for a bun.", "Buns are 2.20 and the big pie is 4.80."
    assert merged(said, known, [0.9, 0.3]) == "Buns are 2.60 and the big pie is 4.80."


def test_what_is_said_of_somebody_who_only_has_something_no_longer_stays() -> None:
    said, known = "Ola no longer has the long drive, she's in Bern.", "Ola lives in Ulm and she's allergic to resin."
    claims = ["Ola lives in Ulm", "Ola is allergic to resin."]
    assert merged(said, known, [0.9, 0.1], claims) == f"{said} Ola is allergic to resin."


@pytest.mark.parametrize(
    ("said", "known", "rest"),
    [
        (
            "Choir's shifted to Wednesdays till Easter.",
            "I sing in a choir, the Mill Singers, Tuesday evenings at half seven.",
            "I sing in a choir, the Mill Singers.",
        ),
        (
            "The sweep wants fifteen now.",
            "The sweep comes in May, twelve pounds, cash in the tin.",
            "The sweep comes in May, cash in the tin.",
        ),
    ],
)
def test_a_list_keeps_its_pieces_of_other_kinds(said: str, known: str, rest: str) -> None:
    assert merged(said, known) == f"{said} {rest}"


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        (
            "The house has been sold. The new landlord is a Mrs. Ames.",
            "The rent for the shop is 1,150 and the landlord is Mr. Orr.",
            "The rent for the shop is 1,150.",
        ),
        (
            "Dad's packed it in, he's a gardener now.",
            "My mum lives in Assen and my dad works for the post.",
            "My mum lives in Assen.",
        ),
        (
            "I've had to shift the bakery's books to Thursdays, so I'm not in on Tuesdays any more.",
            "I do the books for the bakery on Tuesdays. Their return is due on the 7th of February.",
            "Their return is due on the 7th of February.",
        ),
        (
            "The bins are weekly now.",
            "The glass goes out on Tuesday night, bins every other week, in the brown box.",
            "The glass goes out on Tuesday night.",
        ),
        ("Gave Piotr a raise, he's on 18.50 now.", "Nadia gets 14.20 an hour, Piotr 17.", "Nadia gets 14.20 an hour."),
        ("Bo left, it's Ida on the horn now.", "Ada sings and Bo is on the horn.", "Ada sings."),
        ("Kit is a gamer now.", "Kit is 15 and plays drums.", "Kit is 15 and plays drums."),
        ("Ida quit the mill.", "Ida works at the mill and sings alto in our choir.", "Ida sings alto in our choir."),
    ],
)
def test_what_was_said_beside_what_is_corrected_is_kept(said: str, known: str, kept: str) -> None:
    assert merged(said, known) == f"{said} {kept}"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Trevor has retired, the boiler man is Lee Orr.", "The boiler man is Trevor Cope, he comes every October."),
        ("I quit Harbour Freight, I work at the mill.", "I work at Harbour Freight, the office is on High Street."),
        ("Our vet is Dr. Sandoval now.", "Our vet is Dr. Quilter in Hembridge."),
        ("Ida left, Piers is my boss now.", "My boss is Ida, she sits on the second floor."),
        ("We moved to Leeds.", "The key is in the shed and the bike is in the hall."),
        ("Ada has stopped.", "Ada plays on Mondays, cash in the tin."),
        ("Bo has brought it back.", "The man across the street, Bo, has borrowed our drill."),
        ("We shut at 5 now.", "We open at 8 and go at 4, shut on Mondays."),
    ],
)
def test_what_goes_with_what_is_corrected_is_not_kept(said: str, known: str) -> None:
    assert merged(said, known) is None


def test_what_somebody_does_besides_is_a_clause_of_its_own_whatever_the_verb() -> None:
    known = "The user's niece Ada paints in Bath and she phones the user on Friday evenings."
    parts = clauses(known)
    assert merged("Ada phones on Sundays after tea.", known, [0.1, 0.8], parts) == (
        "Ada phones on Sundays after tea. The user's niece Ada paints in Bath."
    )


def test_who_did_before_what_somebody_has_taken_over_is_not_kept() -> None:
    known = "We sell oats to the mill. My contact there is Mr Crane."
    assert (
        merged("Ms Holm has taken over the mill.", known, [0.2, 0.8])
        == "Ms Holm has taken over the mill. We sell oats to the mill."
    )
    assert merged("Ms Holm has taken over the mill.", known, [0.8, 0.2]) is None


def test_what_else_a_memory_says_is_kept_by_how_likely_each_clause_is_untrue() -> None:
    known = "We inherited a tortoise. He is called Otto and he was born in 1971. He sleeps in the garage."
    said = "Otto is in the cellar for the winter."
    kept = "We inherited a tortoise. He is called Otto. He was born in 1971."
    assert merged(said, known, [0.1, 0.1, 0.0, 0.9]) == f"{said} {kept}"
    said = "Our new vet is Ola."
    assert merged(said, "The vet is Dan, he charges 40. The surgery is closed.", [0.9, 0.1, 0.3]) is not None
    assert merged(said, "The vet is Dan, he charges 40.", [0.9, 0.1]) is None  # the vet who is no more


@pytest.mark.parametrize(
    ("said", "known", "context", "claim", "left"),
    [
        (
            "We have moved my mother, she is in Larch Terrace now.",
            "My mother, Rosa, lives in Ash Lane. She takes 5 mg of ramipril.",
            "My mother, Rosa, lives in Ash Lane.",
            "Rosa takes 5 mg of ramipril",
            "Rosa takes 5 mg of ramipril.",
        ),
        (
            "Ike has moved in with his girlfriend.",
            "The apprentice is Ike Moss. He's at college on Wednesdays.",
            "The apprentice is Ike Moss.",
            "Ike Moss is at college on Wednesdays",
            "Ike Moss is at college on Wednesdays.",
        ),
        (
            "My dentist is Dr Bell now.",
            "My dentist is Dr Okafor. She's on Mill Street.",
            "My dentist is Dr Okafor.",
            "Dr Okafor is on Mill Street.",
            "",
        ),
        (
            "My sister moved to Bern.",
            "The user's sister lives in Ulm. She takes 20 mg of citalopram.",
            "The user's sister lives in Ulm.",
            "Ulm takes 20 mg of citalopram.",
            "The user's sister takes 20 mg of citalopram.",
        ),
        (
            "The Lavery job is off.",
            "Mrs Lavery, fitted wardrobes. Quoted her 3650.",
            "Mrs Lavery, fitted wardrobes.",
            "Quoted her 3650.",
            None,
        ),
    ],
)
def test_what_is_said_in_a_context_stands_by_itself_without_it(
    said: str, known: str, context: str, claim: str, left: str | None
) -> None:
    assert by_itself(said, known, context, [claim]) == left


def test_a_clause_that_goes_on_from_a_corrected_one_is_kept_with_its_name() -> None:
    known = "Our yard is in Ash Lane, and it has room for two vans."
    chances, alone = [0.8, 0.2], ["Our yard is in Ash Lane", "Our yard has room for two vans"]
    said = "We keep the yard as a store, and the shop is at the quay since May."
    assert merged(said, known, chances, alone) == f"{said} Our yard has room for two vans."


def test_what_a_memory_refers_back_to_is_not_kept_as_its_own() -> None:
    context = "Vesna picks Kit up, she's at the gate at three."
    known = f"{context} His tutor is Bo Roth, in Ash Lane."
    said, likely = "Bo Roth has retired, Kit has Ida Holm now.", [0.0, 0.1, 0.9]
    assert merged(said, known, likely) == f"{said} Vesna picks Kit up."
    assert merged(said, known, likely, context=context) is None
    moved = "Vesna picks Kit up on Mondays only."
    assert merged(moved, known, [0.9, 0.0, 0.0], context=context) is not None, "it is about the context"


def test_the_only_price_that_was_told_does_not_stand_beside_another() -> None:
    known = "The tractor rattles, it is at the mill. He says that it is the pads, for £285. The seat is torn."
    said = "Fetched the tractor and it came to £340 in the end."
    left = with_rest(said, known, [0.9] + [0.0] * (len(clauses(known)) - 1))
    assert left is not None
    assert "torn" in left
    assert "285" not in left


def test_who_is_there_no_more_goes_with_what_names_them() -> None:
    known = "The tractor is loud again, Borge at the yard swears that it is the belt. The seat is torn."
    left = with_rest(
        "Borge retired. Taking it to Tollef from now on.", known, [0.9] + [0.0] * (len(clauses(known)) - 1)
    )
    assert left is not None
    assert "torn" in left
    assert "swears" not in left


def test_what_holds_beside_is_kept_where_who_is_meant_is_named_anew() -> None:
    known = "Greta has her class on Monday 3rd. They hold it in Ash Lane now."
    said = "The school rang about Greta's class. They want her on Friday 7th instead."
    kept = merged(said, known, [0.98, 0.0], ["Greta has her class on Monday 3rd.", "They hold it in Ash Lane now."])
    assert kept == f"{said} They hold it in Ash Lane now."


def test_who_is_named_beside_what_is_over_is_not_who_left() -> None:
    known = "Dr. Ode is her vet, and the scan there showed that Mopsy has a weak heart."
    said = "We had to find another vet after the surgery closed down, and Mopsy is with Dr. Lunt from now on."
    kept = merged(
        said, known, [0.97, 0.05], ["Dr. Ode is her vet", "the scan there showed that Mopsy has a weak heart."]
    )
    assert kept == f"{said} The scan there showed that Mopsy has a weak heart."


def test_a_clause_that_means_something_of_the_one_before_is_read_with_it() -> None:
    assert in_context(["I had a ladder.", "I lent it to Bo", "It is long", "the code is 12"]) == [
        "I had a ladder.",
        "I had a ladder. I lent it to Bo.",
        "It is long",
        "the code is 12",
    ]
    assert in_context(["I lent it to Bo"]) == ["I lent it to Bo"]
    assert in_context(["We have two kilns.", "The second is in the barn."])[1:] == [
        "We have two kilns. The second is in the barn."
    ]


def test_where_no_clause_is_likely_untrue_the_one_with_the_most_words_is() -> None:
    known = "If we are late, they can ask Ida Broom at the mill, who lends the big tent."
    said = "Ida has gone to live in Bern, and so the big tent is with Tobi."
    alone = ["If we are late", "If we can ask Ida Broom at the mill, who lends the big tent."]
    assert merged(said, known, [0.004, 0.001], alone) is None
    assert merged(said, known, [0.4, 0.1], alone) is None, "who left is not named by what stands for `they`"


def test_a_clause_with_another_number_in_words_that_were_said_is_not_kept() -> None:
    known = "Ann's bench is 1300 wide. The smith has had the drawing since 2011. It has a vice from Bo."
    said = "Ann's bench is 1400 wide, and the smith has had the drawing since 2016."
    assert with_rest(said, known, [0.8, 0.05, 0.02]) == f"{said} It has a vice from Bo."
    assert with_rest("The rent is 520 now.", "The rent is 500. The garage is 60.", [0.8, 0.02]) == (
        "The rent is 520 now. The garage is 60."
    )


def test_a_clause_that_says_no_more_than_the_correction_is_not_kept() -> None:
    known = "Wall clock, the user has put it above the sink."
    assert merged("The wall clock kept stopping so the user has hung it in the shed.", known, [0.05, 0.9]) is None


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        ("Ada is fine with nuts now.", "Bo's allergic to wool and ada is allergic to nuts.", "Bo's allergic to wool."),
        ("Kit brought the saw back.", "Kit has my drill, my saw and my file.", "Kit has my drill and my file."),
        ("Mum isn't allergic to nuts after all.", "Mum is allergic to nuts and takes iron.", "Mum takes iron."),
        ("I gave Ada 15.", "I owe Ada 25 euros.", "I owe Ada 25 euros."),
        ("Got the saw back.", "I lent kit my saw and bo my drill.", "I lent bo my drill."),
        ("I stopped the iron.", "I take iron at noon and a vitamin on Sundays.", "A vitamin on Sundays."),
        (
            "Ida lost hers.",
            "Spare keys: one with ida, one with me, one at the mill.",
            "Spare keys: one with me, one at the mill.",
        ),
        (
            "Kit quit, bo takes the till.",
            "Ada does the books now. Team: ida oven, kit till.",
            "Ada does the books now. Team: ida oven.",
        ),
        (
            "Herr Holm sold the house, the landlord is now Ida.",
            "Rent is 940 a month, due on the 5th, landlord is Herr Holm.",
            "Rent is 940 a month, due on the 5th.",
        ),
        (
            "The api: ada handed it over to bo.",
            "The api is on 8090, written in go, owner is Ada.",
            "The api is on 8090, written in go.",
        ),
    ],
)
def test_pieces_without_a_word_of_what_was_said_are_kept(said: str, known: str, kept: str) -> None:
    assert merged(said, known) == f"{said} {kept}"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Rosa's home is on Elm Street now.", "Rosa lives in the flats on Ash Lane, flat 9."),
        ("My mother has moved to Elm Street.", "My mother, Rosa, lives in the flats on Ash Lane, flat 9."),
        ("The porridge is made with milk now.", "Her porridge is made with water, and a pinch of salt."),
        ("Ada has stopped.", "Ada plays on Mondays, in the hall, cash in the tin."),
        ("We shut at 5 now.", "We open at 8 and go at 4, shut on Mondays."),
    ],
)
def test_what_only_goes_on_from_what_is_left_out_is_left_out_too(said: str, known: str) -> None:
    assert merged(said, known) is None


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        ("Rent is 950 and the landlord's his son Kit now.", "We live in Elm Lane, landlord is Bo, rent 900.", "950"),
        (
            "Power is 110 now and the phone got cancelled.",
            "Rent is 940, power 95, phone 30.",
            "Rent is 940, power 110.",
        ),
        (
            "Storage is up to 24 and wash is 65.",
            "Storage is 22 a metre, crane is 310, wash 60.",
            "crane is 310, wash 65.",
        ),
        ("Bo gets 100 more.", "Ada earns 1900, bo 2050.", "bo 2050."),
    ],
)
def test_two_changes_change_a_piece_each(said: str, known: str, kept: str) -> None:
    assert kept in (merged(said, known) or "")
