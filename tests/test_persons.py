"""The user's sentences in the third person, and in the second."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_memory.text.persons import about_user, by_user, in_second_person, to_user, without_question

CASES = [
    ("I prefer tea", "The user prefers tea."),
    ("I don't like my old job", "The user does not like the user's old job."),
    ("I'm allergic to nuts and I've been to Rome", "The user is allergic to nuts and the user has been to Rome."),
    ("I always carry a knife", "The user always carries a knife."),
    ("I moved to Lyon", "The user moved to Lyon."),
    ("so I need not be there until nine", "So the user need not be there until nine."),
    ("I needn't ring, but I need the code", "The user needn't ring, but the user needs the code."),
    ("I’d rather wait", "The user would rather wait."),
    ("I go home and I watch it", "The user goes home and the user watches it."),
    ("call me Bob", "Call the user Bob."),
    ("i keep the skates in the loft", "The user keeps the skates in the loft."),
    ("No, i keep it at the rink", "No, the user keeps it at the rink."),
    ("deploy.sh runs first", "deploy.sh runs first."),
    ("use `my_var` for me!", "Use `my_var` for the user!"),
    ('she said "I am here"', 'She said "I am here"'),
    ("Ich mag keinen Kaffee", "Ich mag keinen Kaffee."),
    ("the  port\nis 80", "The port is 80."),
    ("I live in Los Angeles", "The user lives in Los Angeles."),
    # Nobody speaks of themselves.
    ("the I2C bus is on pin 3", "The I2C bus is on pin 3."),
    ("disk I/O is slow on the NAS", "Disk I/O is slow on the NAS."),
    ("the encoder writes an I-frame every second", "The encoder writes an I-frame every second."),
    ("it was in the IDE", "It was in the IDE."),
    ("one of them, I.e. the first, leaks", "One of them, I.e. the first, leaks."),
    ("Part I of the thesis is due in May", "Part I of the thesis is due in May."),
    ("the museum about World War I was closed", "The museum about World War I was closed."),
    ("the coin shows Elizabeth I.", "The coin shows Elizabeth I."),
    ("Philip I of Castile is on the poster", "Philip I of Castile is on the poster."),
    ("type I errors are rare here", "Type I errors are rare here."),
    ("the book is called I, Robot", "The book is called I, Robot."),
    ("the loop variable i is never reset", "The loop variable i is never reset."),
    ("for i in range(3) is fine", "For i in range(3) is fine."),
    ("the index i was off by one", "The index i was off by one."),
    ("i and j are swapped", "I and j are swapped."),
    ("my.cnf is in /etc/mysql", "my.cnf is in /etc/mysql."),
    ("the tables are my_orders and my-items", "The tables are my_orders and my-items."),
    ("the folder is /home/me/src", "The folder is /home/me/src."),
    ("write to me@example.org", "Write to me@example.org."),
    ("the cookie is called remember-me", "The cookie is called remember-me."),
    ("set $my to 3", "Set $my to 3."),
    ("MySQL and Mypy are installed", "MySQL and Mypy are installed."),
    ("the gold mine closed in 1990", "The gold mine closed in 1990."),
    ("they mine salt in a mine near Halle", "They mine salt in a mine near Halle."),
    ("the film is My Fair Lady", "The film is My Fair Lady."),
    ("the flag `-I my_dir` for `me`", "The flag `-I my_dir` for `me`."),
    ('the sign says "I love my dog"', 'The sign says "I love my dog"'),
    ("we ship on Fridays and our office is in Kiel", "We ship on Fridays and our office is in Kiel."),
    ("Me llamo Iker", "Me llamo Iker."),
    ("me gusta el té", "Me gusta el té."),
    ("no me gustan los lunes", "No me gustan los lunes."),
    ("il me faut deux jours", "Il me faut deux jours."),
    ("ne me dérange pas le matin", "Ne me dérange pas le matin."),
    ("me duele la espalda", "Me duele la espalda."),
    ("I. Introduction is short", "I. Introduction is short."),
    ("mi hermana vive en Gijón", "Mi hermana vive en Gijón."),
    ("iPhone photos go to the NAS", "iPhone photos go to the NAS."),
    ("im Keller ist es kalt", "Im Keller ist es kalt."),
    # The user does.
    ("im vegan and dont eat honey", "The user is vegan and don't eat honey."),
    ("i dont like tea", "The user does not like tea."),
    ("I no longer live in Lyon", "The user no longer lives in Lyon."),
    ("I myself prefer tea", "The user themselves prefers tea."),
    ("i prefer tea", "The user prefers tea."),
    ("i'm from Kerala", "The user is from Kerala."),
    ("i was born in Recife", "The user was born in Recife."),
    ("the car that i drive is red", "The car that the user drives is red."),
    ("that bike is mine", "That bike is the user's."),
    ("Lena is a friend of mine", "Lena is a friend of the user's."),
    ("mine is the blue mug", "The user's is the blue mug."),
    ("Anna and I live in Lyon", "Anna and the user live in Lyon."),
    ("my sister and I share a car", "The user's sister and the user share a car."),
    ("Tom is taller than I am", "Tom is taller than the user is."),
    ("in May I moved to Graz", "In May the user moved to Graz."),
    ("Next May I want to sail", "Next May the user wants to sail."),
    ("so I'd better dry it", "So the user had better dry it."),
    ("I'd just mended it and I'd been there", "The user had just mended it and the user had been there."),
    ("I'd need a hose and I'd rather go", "The user would need a hose and the user would rather go."),
    ("I goes to the clinic and I watching the scale", "The user goes to the clinic and the user watching the scale."),
    ("I bring the bags and I sing", "The user brings the bags and the user sings."),
    ("on Mondays I work from home", "On Mondays the user works from home."),
    ("I almost always walk", "The user almost always walks."),
    ("I rarely fly", "The user rarely flies."),
    ("I rely on the tram", "The user relies on the tram."),
    ("I usually reply late", "The user usually replies late."),
    ("I forgot the code twice", "The user forgot the code twice."),
    ("I caught a cold (I think)", "The user caught a cold (the user thinks)"),
    ("I, too, take the train", "The user, too, take the train."),
    ("I have to go on Friday", "The user has to go on Friday."),
    ("I'd like my tea black", "The user would like the user's tea black."),
    ("tell me what I should buy", "Tell the user what the user should buy."),
    ("it took me and my wife a day", "It took the user and the user's wife a day."),
    ("I do not own a TV", "The user does not own a TV."),
    ("I can neither swim nor dive", "The user can neither swim nor dive."),
    (
        "I fix bikes, I teach and I cross the Alps",
        "The user fixes bikes, the user teaches and the user crosses the Alps.",
    ),
    ("I need a card for Ida and I feed the hens", "The user needs a card for Ida and the user feeds the hens."),
    ("I agreed to it", "The user agreed to it."),
    (
        "the van is Bo's, who i report to, and i pay if i scratch it",
        "The van is Bo's, who the user reports to, and the user pays if the user scratches it.",
    ),
    ("I rewrote it and I resent that", "The user rewrote it and the user resents that."),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_third_person(text: str, expected: str) -> None:
    assert about_user(text) == expected


LEFT_ALONE = ("I2C", "I/O", "me/x", "my_y", "i=0", "my.cnf", "`I`", "I-frame", "is.my", "my-b")


@given(
    st.lists(
        st.sampled_from(("I", "my", "prefer", "was", "and", "the", "(I", "i", "mine.", "I'm", "3", *LEFT_ALONE)),
        max_size=9,
    )
)
def test_what_only_looks_like_the_user_is_left_alone(words: list[str]) -> None:
    expected = about_user(" ".join(words)).lower()
    assert all(word.lower() in expected.split() for word in {*words} & {*LEFT_ALONE} - {words[-1] if words else ""})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "No more Mondays for chess I'm afraid, the hall is let; Fridays.",
            "No more Mondays for chess, the hall is let; Fridays.",
        ),
        ("The Corsa is gone, I'm afraid.", "The Corsa is gone."),
        ("im afraid my old phone is dead", "The user's old phone is dead."),
        ("I'm told the tip shuts at four", "The tip shuts at four."),
        ("The tip, I'm told, shuts at four", "The tip shuts at four."),
        ("I must say the new vet is lovely", "The new vet is lovely."),
        ("Honestly, I prefer the bus", "The user prefers the bus."),
        ("No more tea in the shop, I'm afraid, we have coffee", "No more tea in the shop, we have coffee."),
        ("We won. To be honest, the dog did it", "We won. The dog did it."),
        ("Our band has, would you believe, a manager", "Our band has a manager."),
        ("The old bus (I'm told) is sold", "The old bus is sold."),
        (
            "The roof is finished, thank God, therefore only 120 a month",
            "The roof is finished, therefore only 120 a month.",
        ),
        ("It is, I must say, a lovely hall", "It is a lovely hall."),
        ("Turns out the gig isn't in May", "The gig isn't in May."),
        ("Long story but we moved to Leeds", "We moved to Leeds."),
        ("Ida is out of the choir, so to speak", "Ida is out of the choir."),
        ("Der Laden ist zu, fürchte ich", "Der Laden ist zu."),
        ("Le magasin est fermé, je le crains", "Le magasin est fermé."),
        ("La tienda está cerrada, me temo", "La tienda está cerrada."),
    ],
)
def test_what_a_speaker_says_of_saying_it_is_no_statement(text: str, expected: str) -> None:
    assert about_user(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm afraid of dogs", "The user is afraid of dogs."),
        ("I'm afraid to fly", "The user is afraid to fly."),
        ("I'm afraid.", "The user is afraid."),
        ("On planes, I'm afraid.", "On planes, the user is afraid."),
        ("My dog barks when I'm afraid.", "The user's dog barks when the user is afraid."),
        ("Ida thinks I'm afraid.", "Ida thinks the user is afraid."),
        ("I'm told to rest", "The user is told to rest."),
        ("The cake turned out well", "The cake turned out well."),
        ("I do as I'm told.", "The user does as the user is told."),
        ("I must say goodbye to Anna on Friday", "The user must say goodbye to Anna on Friday."),
        ("I have to say no to Tom", "The user has to say no to Tom."),
        ('She said "well, I\'m afraid."', 'She said "well, I\'m afraid."'),
        ("Ich fürchte Hunde", "Ich fürchte Hunde."),
    ],
)
def test_what_somebody_feels_or_has_to_say_is_a_statement(text: str, expected: str) -> None:
    assert about_user(text) == expected


@given(st.text(max_size=200))
def test_any_text_is_one_line(text: str) -> None:
    expected = about_user(text)
    assert expected == " ".join(expected.split())


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ("The user's bike is red.", "my bike is red."),
        ("Ada met the user in Rome.", "Ada met me in Rome."),
        ("The user always lives in Bern with the user's cat.", "I always live in Bern with my cat."),
        ("The user is in Bern, and the loft costs the user 400.", "I am in Bern, and the loft costs me 400."),
        ("Ada thinks the user was late.", "Ada thinks I was late."),
        ("The users are three.", "The users are three."),
    ],
)
def test_a_memory_is_compared_as_the_user_would_say_it(memory: str, said: str) -> None:
    assert by_user(memory) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("My bike is a Gazelle", "Your bike is a Gazelle."),
        ("I'm allergic to nuts, and I was ill.", "You're allergic to nuts, and you were ill."),
        ("The user's sister lives in Oslo.", "Your sister lives in Oslo."),
        ("The user likes tea and the user has a cat.", "You like tea and you have a cat."),
        (
            "The user always parks it here, and the user still has no key.",
            "You always park it here, and you still have no key.",
        ),
        ("The user plays in a band, we're called the Owls.", "You play in a band, you're called the Owls."),
        ("the stopcock is under the stairs", "The stopcock is under the stairs."),
        ("The user is Ann and the user has just set you up.", "You are Ann and you have just set me up."),
        (
            "The user is old and we forget things, so the user asks you.",
            "You are old and you forget things, so you ask me.",
        ),
        ("The user's pump stops when you press reset.", "Your pump stops when you press reset."),
        ("im Dan, the user has a shop", "You're Dan, you have a shop."),
        ("I told you so", "You told me so."),
        ("I've hired us a boat for June", "You've hired yourselves a boat for June."),
        ("The user has hired us a boat.", "You have hired yourselves a boat."),
        ("Ann hired us a boat", "Ann hired you a boat."),
        ("We moved to the US", "You moved to the US."),
        (
            "He lent the user the user's boat, and rings the user Sundays.",
            "He lent you your boat, and rings you Sundays.",
        ),
        ("The user inevitably loses it.", "You inevitably lose it."),
        (
            "The user got themselves a lathe, and Ann cut themselves.",
            "You got yourself a lathe, and Ann cut themselves.",
        ),
        ("The user uses LemFi and closes at six", "You use LemFi and closes at six."),
        ("The user closes the shop, the user watches it.", "You close the shop, you watch it."),
        ("The user passes the mill, and the user fixes bikes.", "You pass the mill, and you fix bikes."),
        ("The user freezes bread and the user focuses on it.", "You freeze bread and you focus on it."),
        ("The bus is gone, I'm afraid, we walk.", "The bus is gone, you walk."),
        ("I keep it in /home/me/notes.md", "You keep it in /home/me/notes.md."),
    ],
)
def test_it_is_turned_to_the_user(text: str, said: str) -> None:
    assert to_user(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "I know what you can do",
        'She said "my bike"',
        "Mein Hund heißt Bello",
        "我的猫叫小花",
        "J'ai garé la voiture",
        "La llave la tiene Marta",
    ],
)
def test_what_is_in_doubt_is_left_to_be_quoted(text: str) -> None:
    assert to_user(text) == ""


def test_a_few_words_of_the_user_are_said_to_them() -> None:
    assert in_second_person("my car") == "your car"
    assert in_second_person("Anna and her bike") == "Anna and her bike"


def test_a_question_that_only_names_somebody_is_left_out() -> None:
    assert without_question("How old is Pip? She turned 12 last week.") == "Pip turned 12 last week."
    for text in ("Who is it? She turned 12.", "Are Pip and Bo here? He is.", "How much is it? It is 12.", "Pip is 12."):
        assert without_question(text) == text
