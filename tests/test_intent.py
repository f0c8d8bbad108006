"""What a message wants, whether or not it has a question mark."""

import pytest

from pi_memory.text.intent import (
    Wish,
    follows_up,
    intent_of,
    is_lookup,
    only_asks,
    says_nothing,
    supposes,
    without_courtesy,
)


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("Where is the stopcock?", Wish.QUESTION),
        ("remind me when the car test is due", Wish.QUESTION),
        ("look up the heating man for me", Wish.QUESTION),
        ("nas address", Wish.QUESTION),
        ("The nurse asks what tablet I have in the morning.", Wish.QUESTION),
        ("The form asks for my policy number", Wish.QUESTION),
        ("The bank wants to know our address", Wish.QUESTION),
        ("I wonder where the ladder is", Wish.QUESTION),
        ("I wonder whether cats dream", Wish.STATEMENT),
        ("My boss always asks what I do", Wish.STATEMENT),
        ("She asked me what I want", Wish.STATEMENT),
        ("Tom asks for my bike every day.", Wish.STATEMENT),
        ("work days", Wish.QUESTION),
        ("shop's closed Mondays", Wish.STATEMENT),
        ("Noor's allergic to cashews", Wish.STATEMENT),
        ("bike's a Gazelle", Wish.STATEMENT),
        ("Ana cleans Fridays", Wish.STATEMENT),
        ("lent Tom my drill", Wish.STATEMENT),
        ("Ulf wants 92 from now on", Wish.STATEMENT),
        ("shop's opening hours", Wish.QUESTION),
        ("Noor's allergy", Wish.QUESTION),
        ("who's the vet", Wish.QUESTION),
        ("what's the code", Wish.QUESTION),
        ("passports", Wish.QUESTION),
        ("Done.", Wish.STATEMENT),
        ("size of the deposit", Wish.QUESTION),
        ("I need the stick for the attic", Wish.QUESTION),
        ("I need to ring the dentist on Monday.", Wish.STATEMENT),
        ("Green bin: Wednesdays.", Wish.STATEMENT),
        ("every other Tuesday Ottoline cuts the release branch", Wish.STATEMENT),
        ("What did you suggest for dinner?", Wish.REPLIED),
        ("What did I tell you yesterday?", Wish.SAID),
        ("What did I say in May?", Wish.SAID),
        ("Was habe ich dir letzten Samstag erzählt?", Wish.SAID),
        ("Qu'est-ce que j'ai dit il y a deux semaines ?", Wish.SAID),
        ("¿Qué te dije el 3 de mayo?", Wish.SAID),
        ("who are you", Wish.ASSISTANT),
        ("Tell me a joke.", Wish.REQUEST),
        ("Good morning!", Wish.GREETING),
        ("How are you?", Wish.WELLBEING),
        ("Wie geht's dir?", Wish.WELLBEING),
        ("can you hear me", Wish.PRESENCE),
        ("are you sure?", Wish.DOUBT),
        ("Bist du sicher?", Wish.DOUBT),
        ("That's wrong, it is 8081", Wish.STATEMENT),
        ("show me everything", Wish.ABOUT),
        ("Are you a robot?", Wish.ASSISTANT),
        ("who am I?", Wish.ABOUT),
        ("thank you, that was helpful", Wish.THANKS),
        ("Great!", Wish.ANSWER),
        ("whats the dog called", Wish.QUESTION),
        ("the cooker is hissing, help", Wish.QUESTION),
        ("It's flooding the hall! Help!", Wish.QUESTION),
        ("der Herd zischt, Hilfe", Wish.QUESTION),
        ("Tom came over to help", Wish.STATEMENT),
        ("remind me to ring the plumber tomorrow", Wish.STATEMENT),
        ("can you remind me to ring the plumber?", Wish.STATEMENT),
        ("recuérdame llamar a Ana", Wish.STATEMENT),
        ("remind me who rang", Wish.QUESTION),
        ("c'est quoi le code", Wish.QUESTION),
        ("set a timer for ten minutes", Wish.REQUEST),
        ("What time did I say the train goes?", Wish.QUESTION),
        ("What did I say I would bake for the fair?", Wish.QUESTION),
        ("Mr. Okoro is asking what date we begin, what did I say?", Wish.QUESTION),
        ("what did I tell Anna", Wish.QUESTION),
        ("Was habe ich Anna gesagt?", Wish.QUESTION),
    ],
)
def test_a_message_wants(message: str, wish: Wish) -> None:
    assert intent_of(message).kind is wish


@pytest.mark.parametrize(
    ("message", "subject"),
    [
        ("What do you know about Pepper?", "Pepper"),
        ("what did I tell you about Mrs. Teixeira", "Mrs. Teixeira"),
        ("tell me everything you've got on Tobi", "Tobi"),
        ("What do you know about me?", ""),
        ("Was weißt du über Anna?", "Anna"),
        ("Was habe ich dir über Anna erzählt?", "Anna"),
        ("What have I told you so far?", ""),
        ("the sitter comes today, give me the lot on our wee boy", "our wee boy"),
        ("I show a guest my band, tell me everything you know about it, when and where", "I show a guest my band"),
    ],
)
def test_a_broad_question_has_a_subject(message: str, subject: str) -> None:
    assert intent_of(message).kind is Wish.ABOUT
    assert intent_of(message).subject == subject


@pytest.mark.parametrize(
    "message",
    [
        "Where is the key?",
        "remind me of the code",
        "thanks a lot",
        "convert 3 mm",
        "Pipe's burst! Where can I turn it off?",
        "When I'm away, who feeds the cat",
        "When is the dentist, and where is it.",
        "Write a poem about autumn",
    ],
)
def test_what_only_asks_says_nothing(message: str) -> None:
    assert only_asks(message)


@pytest.mark.parametrize(
    "message",
    [
        "How long do I boil it? It has to be a duck egg.",
        "The boiler valve squeaks",
        "mi hermana vive en Oslo",
        "I moved to Bergen!",
        "When the heating stops, you have to hold the green button.",
        "Where the path forks, we keep left.",
        "Please write a note to Juno's teacher, Ms. Pellworth, that Juno stays at home",
    ],
)
def test_what_states_something_does_not_only_ask(message: str) -> None:
    assert not only_asks(message)


def test_a_follow_up_takes_its_subject_from_before() -> None:
    assert follows_up("and his brother?")
    assert not follows_up("Where does Anna live?")


@pytest.mark.parametrize(
    "message",
    [
        "the alarm's going, what do I press",
        "someone's asking what town I bought the press in",
        "stuck on the step who can let me in",
        "no heating need the engineer's number",
        "kennel form wants the breed",
        "I have to ring the dentist",
        "if the house burns down, who's got copies of my data",
        "they sell the music line by line in that shop, which line is mine",
        "I'm at the pool and can't remember which locker is ours",
        "I forget what the tuner is called",
    ],
)
def test_what_is_needed_and_a_question_without_its_mark_ask(message: str) -> None:
    assert intent_of(message).asks
    assert only_asks(message)


@pytest.mark.parametrize(
    "message",
    [
        "thing the parrot mustn't eat",
        "Thing the parrot mustn't eat.",
        "the thing grandpa won't touch",
        "town where my cousin lives",
        "food auntie hates",
        "that illness Marek has",
        "name of the guy who fixes bikes",
        "number I ring when I'm ill",
        "place we park",
        "ladder who has it",
        "alarm code what was it",
        "locked in who do I ring",
        "boiler leaking who to call",
        "yoga class day",
        "neighbour's phone number",
        "remind me who feeds the fish",
        "gimme the alarm code",
        "ville où habite Anna",
        "Ort, an dem der Schlüssel liegt",
        "comida que odia mi tío",
    ],
)
def test_a_few_words_that_name_something_by_a_clause_ask_for_it(message: str) -> None:
    assert intent_of(message).asks
    assert only_asks(message)


@pytest.mark.parametrize(
    "message",
    [
        "The man who mows our lawn is Jory.",
        "The guy who fixes bikes is called Marek",
        "The town where Anna lives has no station.",
        "The thing he won't eat is fish.",
        "What I like best is rye bread",
        "What keeps the slugs off is copper tape, so I leave it on.",
        "The name that we chose is Ada.",
        "Thing is, we moved.",
        "Ladder's at Ingrid's",
        "Anna knows who has it",
        "Marek told us what it was.",
        "The cat hates thunder",
        "I shop at the mill",
        "No more mill, I shop at the co-op",
        "code for the shed is 3141",
        "The dog sleeps when it rains",
        "On Sundays we rest",
        "What the cat hates is water.",
        "The man who trims the yew charges 65 euros.",
        "The lad who does the windows wants 40 an hour",
        "When the goat is upset, what helps is to sit by her.",
        "am on tablets for the pressure",
        "The man who does our yew is called Cliff Basil",
        "was annoyed with myself, the scale on the small one is 628",
        "When Bo asks for a story it should be one without ghosts.",
        "When the lease runs out in may i'm looking for a place by the sea",
        "Would you believe it, the mill only opens on the first Saturday.",
        "when the pump loses pressure you open the black tap under it",
        "Each ward has its own printer, all on the old network.",
        "I'm left handed, which is why the mug hangs there.",
        "Can't stand leeks.",
        "when we're at sea our nephew Jory looks after the hens",
        "It's Bo who has the key",
        "List is on the fridge",
        "One day I'll keep bees.",
        "Die Stadt, in der Anna wohnt, hat keinen Bahnhof.",
    ],
)
def test_a_statement_with_a_clause_states(message: str) -> None:
    found = intent_of(message)
    assert not (found.asks and found.is_sure)
    assert not only_asks(message)


@pytest.mark.parametrize(
    "message",
    [
        "Good to know.",
        "Great, thanks!",
        "Perfect, that worked.",
        "Nice, I'll try that.",
        "Ok, soup it is.",
        "Ha, I'll tell them that.",
        "Nice, I like the second one better.",
        "Let me tell you about the kitchen.",
        "Now the car.",
        "Next the phone stuff, because I lose it.",
        "One more thing.",
        "Right then, hello.",
        "Good idea, thank you. Where is the key?",
        "Gut zu wissen.",
        "Parfait, merci !",
        "Bueno saberlo.",
    ],
)
def test_courtesy_and_what_only_announces_answer_nothing(message: str) -> None:
    assert only_asks(message)


@pytest.mark.parametrize(
    "message",
    [
        "Ok, it is in the shed.",
        "Great, we moved to Bern.",
        "Thanks, my boots are black.",
        "Good dogs get a bone.",
        "Now the boiler works.",
        "Ok, Tuesday it is.",
        "Nice people live next door.",
        "I have to talk to Anna on Monday.",
        "Let me tell you that we moved.",
        "Now the dentist, Tuesday at nine.",
        "First aid kit is in the car",
    ],
)
def test_what_begins_like_courtesy_may_state_something(message: str) -> None:
    assert not only_asks(message)
    assert not says_nothing(message)


def test_a_statement_is_taken_without_the_greeting_before_it() -> None:
    assert without_courtesy("Hello, I'm Anna.") == "I'm Anna."
    assert without_courtesy("Ok, thanks, my boots are black") == "my boots are black"
    assert without_courtesy("Nice people live there") == "Nice people live there"
    assert without_courtesy("Yes, well, the band is on Mondays") == "the band is on Mondays"
    assert without_courtesy("Update: the van is sold") == "the van is sold"
    assert without_courtesy("Well water is cold") == "Well water is cold"


@pytest.mark.parametrize(
    ("sentence", "is_so"),
    [
        ("If we ever won a car, Anna would sell it.", False),
        ("If I had a boat I'd sail to Rome.", False),
        ("If only I could sleep.", False),
        ("My aunt always says that tea heals.", False),
        ("Grandpa used to say the moon is cheese.", False),
        ("Meine Oma sagt immer, dass Tee heilt.", False),
        ("Si on gagnait au loto, on achèterait une île.", False),
        ("Mi abuela siempre dice que el té cura.", False),
        ("If I'm ill I have to ring 2217.", True),
        ("If I ever ask for the key, it is in the book.", True),
        ("The doctor always says to take it with food.", True),
        ("My mother said the key is in the shed.", True),
        ("We used to live in Bern.", True),
    ],
)
def test_what_would_be_or_is_always_said_is_no_fact(sentence: str, is_so: bool) -> None:
    assert supposes(sentence) is not is_so


@pytest.mark.parametrize(
    "message",
    ["plum tree, what was decided", "Anna's boy and what he can't eat", "room 9 tablets, how", "sprint 50 end date"],
)
def test_a_thing_and_then_a_question_ask(message: str) -> None:
    assert intent_of(message).is_sure
    assert only_asks(message)


@pytest.mark.parametrize(
    "message",
    [
        "We have a dog, which is great",
        "The van, which is his, is red",
        "Number 12 is ours",
        "I want the aisle seat.",
        "I swapped desks with Jo, I'm at the window now, so can you update the plan?",
    ],
)
def test_what_is_stated_before_a_request_or_beside_a_clause_may_answer(message: str) -> None:
    assert not only_asks(message)


def test_what_is_to_be_explained_is_no_subject_of_ones_own() -> None:
    assert intent_of("Tell me something about how glaciers move.").kind is not Wish.ABOUT
    assert intent_of("Tell me everything about how we met.").kind is Wish.ABOUT


def test_a_few_words_may_only_name_what_they_look_for() -> None:
    assert all(map(is_lookup, ("a present for my niece", "the trick with the cellar door", "ward of aunt Ola")))
    for said in ("green bin and paper Wednesdays", "spare key at Ola's place", "dentist tuesday at four", "Bo snores"):
        assert not is_lookup(said)


def test_a_question_word_alone_follows_up() -> None:
    assert all(map(follows_up, ("where?", "By whom?", "How much?", "since when?", "what time?")))
    assert not any(map(follows_up, ("Where is the ladder?", "How much is the rent?")))


@pytest.mark.parametrize(
    "told",
    [
        "ida and bo swapped shifts",
        "the cat died",
        "bo's off the tea",
        "no more tea for bo",
        "got the milk",
        "kit quit",
        "the key for the cellar hangs behind the door",
        "was wrong about the bus, it's the 51",
        "it's the red one from here on",
        "bin day friday now",
        "changeovers friday now",
    ],
)
def test_what_has_happened_is_told_and_not_asked_for(told: str) -> None:
    assert intent_of(told).kind is Wish.STATEMENT


@pytest.mark.parametrize(
    "asked", ["key for the cellar", "dress altered by ida", "the tool Grandad lent me", "the scarf Granny knitted"]
)
def test_what_only_names_something_with_such_a_word_is_asked_for(asked: str) -> None:
    assert intent_of(asked).kind is Wish.QUESTION
