"""What is told about a subject."""

from msgspec.structs import replace

from pi_memory.recall import broad, judging
from pi_memory.recall.broad import ABOUT_USER
from pi_memory.types import Recalled
from tests.statements import said


def told_about(subject: str, *found: Recalled) -> list[str]:
    return [each.content for each in broad.about(subject, judging.judge(subject, found, {}))]


def test_about_a_subject_comes_what_names_it_then_what_belongs_to_it_then_what_is_near() -> None:
    near = said("I get up at five", cosine=0.3)
    belongs = said("My boss is called Greta", cosine=0.1)
    names = said("The job is in Bern", cosine=0.1)
    assert told_about("my job", near, belongs, names) == [names.content, belongs.content, near.content]


def test_about_somebody_comes_what_names_them_by_another_word() -> None:
    names, near = said("Dad is in ward 7", cosine=0.1), said("A quiet man, but he knows his trade", cosine=0.3)
    assert told_about("my father", near, names)[0] == names.content


def test_about_a_subject_no_request_is_told() -> None:
    both = said("Write me a poem about Momo. Momo is a rabbit.", cosine=0.3)
    bids = said("Write me a poem about Momo.", cosine=0.3)
    assert told_about("Momo", bids, both) == ["Momo is a rabbit."]


def test_about_the_user_comes_all_there_is_the_nearest_first() -> None:
    works, near = said("It works now.", cosine=0.1), said("I have a son.", cosine=0.3)
    assert told_about(ABOUT_USER, works, near) == [near.content, works.content]


def test_about_a_subject_comes_what_goes_on_about_it() -> None:
    named = said("Our rabbit is called Momo", cosine=0.5, words=0.9)
    goes_on, apart = (said(text, cosine=0.0, words=0.25) for text in ("She sleeps in the shed", "The rent is high"))
    assert told_about("Momo", apart, goes_on, named) == [named.content, goes_on.content]


def test_about_what_is_the_users_own_comes_what_is_hardly_near_but_not_by_itself() -> None:
    near, faint = said("I get up at five", cosine=0.3), said("The car is red", cosine=0.2)
    assert told_about("my job", faint, near) == [near.content, faint.content]
    named = said("The job is in Bern", cosine=0.3)
    assert told_about("my job", faint, near, named) == [named.content, near.content]
    assert told_about("my job", faint) == []
    assert told_about("volcanoes", faint, near) == [near.content]


def test_about_a_subject_comes_who_belongs_to_it_by_name() -> None:
    sister, peg, ladder = (
        said(text, cosine=0.0) for text in ("My sister Peg is well", "Peg takes a size five", "The ladder is short")
    )
    assert {*told_about("my family", ladder, peg, sister)} == {sister.content, peg.content}


def test_about_people_comes_what_names_one() -> None:
    texts = ("Our baker is Wanda", "Wanda is off in May", "People never read", "Bins go on Monday", "I row with Ruben")
    wanda, off, never, bins, ruben = (said(text, cosine=0.0) for text in texts)
    told = {*told_about("the people who work for me", never, bins, off, wanda, ruben)}
    assert told == {wanda.content, off.content, ruben.content}


def test_about_a_subject_comes_what_shares_a_seldom_word_with_what_names_it() -> None:
    named = said("I've got plot 14 on the allotment", cosine=0.4)
    plot, far = (said(text, cosine=0.2) for text in ("I pay 62 pounds for the plot", "I lent my loppers to Tom"))
    others = [
        said(f"The {each} is old", cosine=0.0)
        for each in ("radio", "kettle", "lamp", "sofa", "table", "carpet", "window", "bicycle")
    ]
    assert told_about("my allotment", far, plot, named, *others) == [named.content, plot.content]


def test_about_the_user_comes_first_what_they_are_and_do() -> None:
    other, own = said("Nadia gets 14 an hour", cosine=0.4), said("I get up at three", cosine=0.1)
    assert told_about(ABOUT_USER, other, own) == [own.content, other.content]


def test_about_a_subject_comes_no_remark_and_no_request() -> None:
    remark = replace(said("The flat is fine today", cosine=0.5), strength=0.0)
    request = said("Write me a poem about the flat", cosine=0.5)
    assert told_about("the flat", remark, request, named := said("The flat is in Bern", cosine=0.3)) == [named.content]


def test_about_a_subject_each_text_comes_once_and_twelve_at_most() -> None:
    memory = said("The user's job is in Bern", cosine=0.4, kind="memory")
    message = said("Hello! My job is in Bern, near the river", cosine=0.5)
    assert told_about("my job", memory, message) == ["My job is in Bern, near the river"]
    many = [said(f"Job number {number} is hard", cosine=0.4) for number in "abcdefghijklmnop"]
    assert len(told_about("my job", *many)) <= broad.MOST_ABOUT


def test_about_a_subject_a_text_in_another_language_comes_that_names_it() -> None:
    key, rent = said("Der Ersatzschlüssel ist bei Frau Lindner.", cosine=0.6), said("Die Miete ist hoch.", cosine=0.55)
    assert told_about("Fußball", key, rent) == []
    assert told_about("Zoé", said("Ma fille s'appelle Zoé.", cosine=0.5)) == ["Ma fille s'appelle Zoé."]
    assert told_about("die Miete", key, rent) == [rent.content]
