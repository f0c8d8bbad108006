"""Another value goes in the place of the one in a memory that is meant, or in none."""

import pytest

from pi_memory.merging.put_right import put_right, with_amount, with_values
from pi_memory.merging.remainder import merged


def test_what_else_a_memory_says_stands_with_the_right_value() -> None:
    known = "Training is on Tuesdays at five on pitch 2."
    assert put_right("No, it is on pitch 4, not pitch 2.", known) == "Training is on Tuesdays at five on pitch 4."
    assert put_right("Training is on pitch 4.", known) is None
    assert put_right("Training is on pitch 4, not pitch 3.", known) is None
    assert (
        put_right("The bills go out on the 30th, not on the 15th.", "The bills go out on the 15th with net 30.") is None
    )


def test_what_a_correction_puts_first_takes_the_place_of_the_wrong_value() -> None:
    known = "Ida comes in June and sleeps on the sofa."
    assert (
        put_right("It's in May that she has free days, not June.", known) == "Ida comes in May and sleeps on the sofa."
    )
    known = "Tuesdays I have the pottery in Graz with two friends."
    assert put_right("It's no longer in Graz but in Linz, same kiln.", known) == known.replace("Graz", "Linz")


def test_a_place_that_says_where_another_one_is_gives_way_to_none() -> None:
    known = "The spare money is inside the old drum over my desk."
    assert put_right("The money isn't over my desk any more, it's in the flour tin.", known) is None
    known = "The spare money is in Graz over my desk."
    assert put_right("The money isn't over my desk any more, it's over my bed.", known) == (
        "The spare money is in Graz over my bed."
    )


def test_what_a_value_is_goes_with_it() -> None:
    known = "We stay at Lund Lodge, the end house by the mill."
    assert merged("We have left the mill and live at Moor Cottage now.", known, [0.9]) is None


def test_what_is_said_of_the_wrong_value_is_not_said_of_the_right_one() -> None:
    known = "Our plumber is Ida Moss, 0171 5550123."
    assert put_right("No, our plumber is Bo Crane, not Ida Moss.", known) is None
    assert put_right("No, our plumber is Bo Crane, 0171 5550199, not Ida Moss.", known) is None


def test_another_number_of_the_same_things_leaves_the_rest_of_a_memory() -> None:
    known = "I keep bees, three hives at the moment, at the allotment."
    one_died = "One of the colonies died, so I'm down to two hives."
    assert with_amount(one_died, known) == "I keep bees, two hives at the moment, at the allotment."
    assert with_amount("We have 12 hens left.", "We have 16 hens in the orchard.") == "We have 12 hens in the orchard."
    assert with_amount("Two colonies died.", known) is None
    fed = "The cat gets 40 grams of food in the morning and 30 in the evening."
    assert with_amount("The cat should get only 25 grams in the evening.", fed) is None
    assert with_amount("We have 2 hens and 3 ducks.", "We had 4 hens and 5 ducks in spring.") is None
    assert with_amount("We have 12 hens.", "We have 16 hens.") is None
    gig = "The next gig is on 22 April at the Anchor, and we get 250 for it."
    assert with_amount("Actually the gig on 22 April is at the Tannery.", gig) is None
    assert with_amount("The gig on 24 April is at the Tannery.", gig) is None
    assert merged("The gig is on 24 April.", gig) == gig.replace("22", "24")


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        (
            "The dentist rang, it's on the 19th instead, same time.",
            "My dentist is Dr Lunt, next check-up on the 12th of February at 15:40.",
            "My dentist is Dr Lunt, next check-up on the 19th of February at 15:40.",
        ),
        (
            "Mara's flute is on Thursdays now.",
            "Mara has flute on Tuesdays at 4 pm with Mr. Voss.",
            "Mara has flute on Thursdays at 4 pm with Mr. Voss.",
        ),
        ("The rent is 640 now.", "The rent is 620 euros, due on the 3rd.", "The rent is 640 euros, due on the 3rd."),
        ("After the bus business I swapped it over, 6085 does it.", "Gate lock: 2271.", "Gate lock: 6085."),
        (
            "I bought a new lock, it's got 7715.",
            "My bike's a blue one, the lock combination is 0492.",
            "My bike's a blue one, the lock combination is 7715.",
        ),
        (
            "We swapped spaces in the garage, ours is 58 now.",
            "We park in the garage in Elm Street, our space is number 63.",
            "We park in the garage in Elm Street, our space is number 58.",
        ),
        (
            "Die Probe ist jetzt am Donnerstag.",
            "Die Probe ist am Dienstag um acht im Keller.",
            "Die Probe ist am Donnerstag um acht im Keller.",
        ),
        (
            "They rang, the physio is at quarter past two instead.",
            "I booked the physio for the 9th at ten to four at Elm House.",
            "I booked the physio for the 9th at quarter past two at Elm House.",
        ),
        (
            "I had to change the code of my locker, it's 7153.",
            "My locker is number 83 and the code is 4096.",
            "My locker is number 83 and the code is 7153.",
        ),
        (
            "The operation has been put off until 14 November.",
            "Bo has the operation on 3 September at St. Luke's.",
            "Bo has the operation on 14 November at St. Luke's.",
        ),
        (
            "The exam isn't 3 december, it's 28 November.",
            "Exam in optics: 3 December, in the big hall.",
            "Exam in optics: 28 November, in the big hall.",
        ),
        (
            "Seats at 29 and a half, not 26.",
            "Four bar stools, in cherry, 26 inches to the seat.",
            "Four bar stools, in cherry, 29 and a half inches to the seat.",
        ),
        (
            "Actually the compost comes on Monday.",
            "The compost delivery comes every second Friday.",
            "The compost delivery comes every second Monday.",
        ),
        (
            "Brass for Bo is on Mondays this term.",
            "Bo's teacher is a Mr. Karl, he has him Thursdays after school.",
            "Bo's teacher is a Mr. Karl, he has him Mondays after school.",
        ),
        (
            "31 has a broken hinge, so they gave me 64.",
            "My locker is number 31, in the basement.",
            "My locker is number 64, in the basement.",
        ),
        (
            "They put it up, from now on we pay 1150 for the barn.",
            "We pay 890 for the barn, and the lease ends in 2031.",
            "We pay 1150 for the barn, and the lease ends in 2031.",
        ),
        (
            "The school would like 85 chairs instead of 60, so we shall be late.",
            "The school has ordered 60 chairs. They want them by 12 May.",
            "The school has ordered 85 chairs. They want them by 12 May.",
        ),
        (
            "The server has a certificate, port 9443 instead of 9080.",
            "Grafana listens on 9080, somebody took the other one.",
            "Grafana listens on 9443, somebody took the other one.",
        ),
        (
            "It got put off, the 28th instead of the 11th.",
            "The test is on the 11th of June, Dr. Ode marks it.",
            "The test is on the 28th of June, Dr. Ode marks it.",
        ),
        (
            "I do Wednesdays instead of Mondays. Same gate.",
            "I pick up Bo on Mondays. He is my nephew.",
            "I pick up Bo on Wednesdays. He is my nephew.",
        ),
        (
            "The physio is on the 10th at two o'clock.",
            "The physio is on the 3rd of May at twenty past ten.",
            "The physio is on the 10th of May at two o'clock.",
        ),
        (
            "We open at seven from now on.",
            "We're on Gerber Lane 8, the shop opens at half six.",
            "We're on Gerber Lane 8, the shop opens at seven.",
        ),
        (
            "Skating starts at half past one.",
            "Skating is at 2 o'clock on Sundays.",
            "Skating is at half past one on Sundays.",
        ),
        (
            "The porter comes on at ten.",
            "Ola is the porter, she starts at eleven.",
            "Ola is the porter, she starts at ten.",
        ),
        ("No, not nuts with Bo, sesame.", "Our Bo is allergic to nuts.", "Our Bo is allergic to sesame."),
        (
            "Mum takes the 11.20 now, the other one is always late.",
            "Mum comes on the 10.52 train and I fetch her.",
            "Mum comes on the 11.20 train and I fetch her.",
        ),
    ],
)
def test_a_value_goes_in_the_place_of_the_one_that_is_written_like_it(said: str, known: str, kept: str) -> None:
    assert merged(said, known) == kept


def test_a_value_of_another_thing_goes_in_no_place() -> None:
    assert merged("The charger takes 4.2 kW.", "The panels make 8.5 kWp, facing south.") is None
    assert merged("The hall holds 60 people.", "The lease of the barn ends in 2031, in spring.") is None


def test_a_number_that_is_denied_goes_in_no_place() -> None:
    said, known = "Ola has sung here not nine years but twelve.", "Ola sings alto. She has been here for ten years."
    assert "nine" not in (merged(said, known, [0.1, 0.9]) or "").removeprefix(said)


def test_of_two_values_the_one_behind_the_same_verb_gives_way() -> None:
    known = "The museum opens at ten and closes at five on weekdays."
    assert merged("The museum closes at six now.", known) == known.replace("five", "six")
    assert merged("It opens at half past nine now.", known) == known.replace("ten", "half past nine")
    drops = "Ida takes 10 mg at breakfast and 20 mg in the evening."
    assert merged("Ida takes 15 mg in the evening now.", drops) is None


def test_a_value_of_many_words_gives_way_to_a_number() -> None:
    said, known = "No, not ten minutes on the dryer, it's forty.", "The dryer is slow. Set it to ten minutes."
    assert merged(said, known) == "The dryer is slow. Set it to forty minutes."


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        (
            "Ida's iron is twice a day now.",
            "Ida takes iron once a day with food, salt tablets in the morning, drops at bedtime.",
            "Ida takes iron twice a day with food, salt tablets in the morning, drops at bedtime.",
        ),
        (
            "Not half five for Bo on Fridays, they've changed his shift, it's quarter past six he comes.",
            "Bo comes every second Friday at half five, though you want to add twenty minutes.",
            "Bo comes every second Friday at quarter past six, though you want to add twenty minutes.",
        ),
        (
            "Not 3 May but 17 May is when her leave starts.",
            "Ada, our lead, goes on leave on 3 May.",
            "Ada, our lead, goes on leave on 17 May.",
        ),
        (
            "It isn't mango at all, they pricked my arm, and it's papaya that does it.",
            "I can't touch mango and I hate leeks.",
            "I can't touch papaya and I hate leeks.",
        ),
        ("The statin is 40 now.", "Dad takes 20mg statin at night.", "Dad takes 40mg statin at night."),
        (
            "Puncture 20, truing 28.",
            "A puncture is 18, a full inspection 79, truing a wheel 25.",
            "Truing 28. A puncture is 20, a full inspection 79.",
        ),
        (
            "We sold one stand.",
            "The workshop has two stands.",
            "We sold one stand. The workshop has two stands.",
        ),
        (
            "We're closed on Wednesdays from now on.",
            "We are open Tuesday to Friday 10 to 18.",
            "We're closed on Wednesdays from now on. We are open Tuesday to Friday 10 to 18.",
        ),
        (
            "Chess is Sundays at 11 now.",
            "Chess lessons with Ole fridays at 6.",
            "Chess lessons with Ole Sundays at 11.",
        ),
        (
            "The exam is on the 26th at 14:00.",
            "The exam is on the 19th at 9:30 in hall two.",
            "The exam is on the 26th at 14:00 in hall two.",
        ),
        (
            "Subs have gone up to 95 since the AGM.",
            "Subs are 85, due by the end of March.",
            "Subs are 95, due by the end of March.",
        ),
        (
            "The gate code for guests is tulip2024.",
            "Guests have a gate of their own. The code is mango77.",
            "Guests have a gate of their own. The code is tulip2024.",
        ),
        (
            "Fridays are my day off these days, not Wednesdays.",
            "I'm off on Wednesdays, all year.",
            "I'm off on Fridays, all year.",
        ),
    ],
)
def test_values_go_in_the_places_of_those_that_are_written_like_them(said: str, known: str, kept: str) -> None:
    assert merged(said, known) == kept


@pytest.mark.parametrize(
    ("said", "known"),
    [
        (
            "The broker went to 10.0.7.33, back on 1883.",
            "The broker is on 10.0.7.20, port 1884 because 1883 was taken.",
        ),
        ("The plugin is mended, we went to Zope 5.1.", "We stay on Zope 4.2 until the plugin is mended."),
    ],
)
def test_what_was_not_said_is_not_put_together(said: str, known: str) -> None:
    assert merged(said, known) is None


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        (
            "We're not at the Elbhof any more but at the Gravenhof.",
            "We're in Ghent in October, staying at hotel Elbhof.",
            "We're in Ghent in October, staying at hotel Gravenhof.",
        ),
        ("I sold the lamp to Edwin not Edda.", "I sold the lamp to Edda for 300.", "I sold the lamp to Edwin for 300."),
    ],
)
def test_a_name_goes_in_the_place_of_the_one_before(said: str, known: str, kept: str) -> None:
    assert merged(said, known) == kept


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        (
            "Gave Piotr a raise, he's on 18.50 now.",
            "Nadia gets 14.20 an hour, Piotr 17.10.",
            "Nadia gets 14.20 an hour, Piotr 18.50.",
        ),
        (
            "The blog is on port 1338 now.",
            "The shop is on port 8443 and the blog on port 1337.",
            "The shop is on port 8443 and the blog on port 1338.",
        ),
        (
            "Gran's iron went up to 5 mg this morning.",
            "Gran's on iron, 2.5 mg every morning, and a water tablet, 20 mg.",
            "Gran's on iron, 5 mg every morning, and a water tablet, 20 mg.",
        ),
        (
            "They moved the fitting to the 14th of January at 11.",
            "The fitting is on the 9th of December at 2.15. He told them he was 29.",
            "The fitting is on the 14th of January at 11. He told them he was 29.",
        ),
        (
            "Reports moved from Slack to Teams.",
            "Alerts are raised by Prometheus, reports go to Slack.",
            "Alerts are raised by Prometheus, reports go to Teams.",
        ),
        (
            "I no longer use paste, switched to glue.",
            "I use paste for the spines, and the thread's from Ulm.",
            "I use glue for the spines, and the thread's from Ulm.",
        ),
        (
            "Dr Ode's moved away, we're seeing Dr Reed now.",
            "Our doctor is Dr Ode at the mill practice.",
            "Our doctor is Dr Reed at the mill practice.",
        ),
        ("Ada turned sixteen.", "I live in Ulm with Ada who's 15.", "I live in Ulm with Ada who's sixteen."),
        (
            "The ladder is at Ida's now.",
            "We lent the ladder to Bo, the drill is with Ann.",
            "The ladder is at Ida's now. The drill is with Ann.",
        ),
        ("Tom's on 0171 9999 now.", "The sweep is Tom, 0170 5551.", "The sweep is Tom, 0171 9999."),
        (
            "Jo has gone back to eating meat.",
            "The user is allergic to hazelnuts, and Jo doesn't eat meat.",
            "Jo has gone back to eating meat. The user is allergic to hazelnuts.",
        ),
        (
            "Pilates has moved to Saturdays at 9.",
            "Pilates is Fridays at half 6 with Ida.",
            "Pilates is Saturdays at 9 with Ida.",
        ),
        (
            "The rent's gone up to 1,020.",
            "The rent is 950 a month, on the 1st.",
            "The rent is 1,020 a month, on the 1st.",
        ),
        (
            "Gran's 92 now.",
            "My gran is in room 14. She's 91, and loves buns.",
            "My gran is in room 14. She's 92, and loves buns.",
        ),
        (
            "Moss Lane aren't doing Saturdays any more.",
            "The veg comes from Moss Lane, Wednesdays and Saturdays.",
            "The veg comes from Moss Lane, Wednesdays.",
        ),
        (
            "Huw's moved from Leeds to Hull.",
            "My brother Huw lives in Leeds, works for the council, and has two kids.",
            "My brother Huw lives in Hull, works for the council, and has two kids.",
        ),
        (
            "Mabel's gone up to 12.75 an hour.",
            "Bo's on 13 pounds an hour, Mabel's on 12.",
            "Bo's on 13 pounds an hour, Mabel's on 12.75.",
        ),
        (
            "It's v2, not v1.",
            "The guide is at docs.ada.example/v1/guide.",
            "The guide is at docs.ada.example/v2/guide.",
        ),
    ],
)
def test_of_several_values_the_one_of_the_same_thing_gives_way(said: str, known: str, kept: str) -> None:
    assert merged(said, known) == kept


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Ada's gone to Bern, she's there till the 4th.", "Ada is in Ulm, room 12, she comes on the 9th."),
        ("Tom's put his prices up to 60.", "The sweep is Tom, 0170 5551."),
        ("No, the host is pg2.ada.example, not pg1.", "The host is pg1.ada.example."),
        ("Ada's packed in the rowing, she's fencing on Fridays.", "Ada does rowing on Wednesday nights at the weir."),
        ("Skating is on Friday after school.", "Skating is on Sunday mornings."),
    ],
)
def test_a_value_of_another_one_or_among_others_takes_no_place(said: str, known: str) -> None:
    assert merged(said, known) is None


def test_what_was_given_up_for_another_thing_gives_way_to_it() -> None:
    studies = "My daughter Ada is doing metallurgy at Ulm."
    assert merged("Ada has dropped metallurgy and switched to ceramics.", studies) == (
        "My daughter Ada is doing ceramics at Ulm."
    )
    works = "Bo works at the bakery with his brother."
    assert merged("Bo quit the bakery and he's started at the mill.", works) == "Bo works at the mill with his brother."
    van = "The van is behind the hall on weekdays."
    assert merged("We swapped the van for a lorry.", van) == "A lorry is behind the hall on weekdays."
    assert merged("She dropped the vase and started crying.", "She has a vase from Ulm.") is None


def test_words_that_stand_on_both_sides_of_a_value_are_there_once() -> None:
    known = "Granny's birthday is on the 3rd of May at noon."
    assert put_right("Granny's birthday is the 5th of May, not the 3rd.", known) == known.replace("3rd", "5th")
    assert put_right("Her birthday is the 5th of June, not the 3rd of May.", known) == known.replace(
        "3rd of May", "5th of June"
    )


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        (
            "The fee is due on the 14th of May, not in April.",
            "The fee is due on the 22nd of April, at the bank.",
            "14th of May",
        ),
        (
            "No, it's the last Monday we row, not the first Friday.",
            "We row at the lock, first Friday of the month.",
            "last Monday of",
        ),
        (
            "Rowing is second Monday from here on.",
            "We row on the first Friday of the month at the lock.",
            "second Monday of",
        ),
    ],
)
def test_a_value_of_several_words_is_put_right_as_a_whole(said: str, known: str, kept: str) -> None:
    assert kept in (merged(said, known) or "")


def test_by_how_much_there_is_more_or_less_is_not_how_much_there_is() -> None:
    assert merged("Lost two hens to the fox, nine left.", "In the yard are eleven hens and a goose.") is None
    assert merged("We went with Hythe, 90 less a year.", "We pay 140 to Bern for the car.") is None
    assert merged("The yard has nine hens now.", "In the yard are eleven hens and a goose.") == (
        "In the yard are nine hens and a goose."
    )


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Guests are on 50 because 30 was taken.", "Two nets: 20 is the junk, 30 is for guests."),
        ("I work Thursday through Sunday, same hours.", "I work nights, Sunday through Wednesday."),
        ("No, rowing is Monday and Friday, not Tuesday.", "Rowing is on Tuesday and Friday at 6 with Bo."),
        ("The term is forty-five days.", "We pay at 60 days, as agreed in the contract."),
        ("The dogs eat at half 6.", "The dogs get fed first, 7 sharp, or they bark."),
        ("Somebody broke my lock, so I take bus 402.", "I ride the orange bike with lock 707 and a bell."),
        ("The egg is six pounds twenty the box.", "I sell the eggs at five pounds fifty the box, to anybody."),
        ("The image compiles with clang 18.", "The engine is compiled with GCC 12 on the server."),
        ("No soy any more, we use cream, one percent.", "For the foam: soy 0.6 percent, and a blender."),
        ("She gets lettuce on a Sunday from here on.", "The budgie gets millet on Sundays after church."),
    ],
)
def test_a_value_whose_place_is_not_plain_takes_none(said: str, known: str) -> None:
    assert said in (merged(said, known) or said), "what was said stands as it was said"


def test_a_part_of_a_day_is_put_right_with_its_day() -> None:
    known = "Ada calls Wednesday nights around 7."
    assert merged("It is Saturday mornings that she rings me now.", known) == "Ada calls Saturday mornings around 7."
    assert merged("Ada calls on Saturday mornings now.", "Ada calls on Wednesdays around 7.") is None


def test_a_price_is_put_right_by_a_number_without_its_currency() -> None:
    known = "Garden flat: Mrs Ade. £780 a month, due on the 1st."
    assert merged("The garden flat is 815 now.", known) == "Garden flat: Mrs Ade. £815 a month, due on the 1st."
    assert "£78" in (merged("The garden flat is number 9 now.", known) or "£78")


def test_a_number_of_another_sentence_is_not_put_right() -> None:
    known = "The boiler of our mother's house takes filters, the 25 sort. She is 81 in May, our mother."
    assert merged("Our mother's house got another boiler, and it takes 47 filters instead.", known) is None


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        (
            "Holm put us up to 710.",
            "Insurance is with Holm, policy H-12, renews 1 may, 640 a year.",
            "Insurance is with Holm, policy H-12, renews 1 may, 710 a year.",
        ),
        ("It's thursdays only now.", "I run on tuesdays and thursdays before work.", "I run on thursdays before work."),
        (
            "Ada pushed to 4 june.",
            "Customer Ada gets it on 28 may, customer Bo on 11 june.",
            "Customer Ada gets it on 4 june, customer Bo on 11 june.",
        ),
        (
            "Kit pays 20 now.",
            "Our first one is Ada, they pay 14 a run. Second one is Kit, 18 a run.",
            "Our first one is Ada, they pay 14 a run. Second one is Kit, 20 a run.",
        ),
        (
            "Mail went to 8092.",
            "Port 8081 is auth, 8082 is mail, 8083 is files.",
            "Port 8081 is auth, 8092 is mail, 8083 is files.",
        ),
        ("Bo's is the 5th not the 4th.", "Bo's day is 4 May, Ada's 9 June.", "Bo's day is 5 May, Ada's 9 June."),
        (
            "The sprint is three weeks now, not two.",
            "The sprint is two weeks, on Mondays.",
            "The sprint is three weeks, on Mondays.",
        ),
        ("Kit's judo is at 11 now.", "Kit does judo on Saturdays at 10am.", "Kit does judo on Saturdays at 11."),
    ],
)
def test_a_value_goes_where_it_is_said_of_the_same(said: str, known: str, kept: str) -> None:
    assert merged(said, known) == kept


def test_when_one_shift_ends_is_not_when_another_begins() -> None:
    assert merged("Rob is on days from Monday.", "Rob is on nights till Friday.") is None


@pytest.mark.parametrize(
    ("said", "known", "kept"),
    [
        (
            "We ditched the Bosch, it's a Miele now.",
            "The washer is a Bosch and the manual is in the drawer.",
            "The washer is a Miele and the manual is in the drawer.",
        ),
        (
            "I gave up the flute, it's the oboe now.",
            "I play the flute and the piano.",
            "I play the oboe and the piano.",
        ),
        (
            "We sold the Rex, it's the Hotel Astra now.",
            "Our Hotel Rex is by the lake.",
            "Our Hotel Astra is by the lake.",
        ),
        ("She went off milk, it's soya in her tea.", "Mum has milk in her tea.", "Mum has soya in her tea."),
        ("We gave up yoga, it's pilates on Mondays now.", "We do yoga on Tuesdays.", None),
    ],
)
def test_what_there_is_instead_stands_in_the_place_of_what_was_given_up(
    said: str, known: str, kept: str | None
) -> None:
    assert merged(said, known) == kept


def test_who_came_is_not_put_back_in_the_place_of_who_left() -> None:
    said = "Dr Orr's retired, it's Dr Ode now. He needs no stick any more."
    assert put_right(said, "His GP is Dr Ode at the mill.") is None


def test_a_mere_number_is_put_in_the_place_of_the_one_that_it_is_near_to_or_of_none() -> None:
    kept = "The van seats 9 and costs 75 a day."
    assert with_values("The van is 75 now.", "The van seats 9 and costs 60 a day.") == kept
    assert with_values("The van is 50 now.", "The van seats 30 and costs 60 a day.") is None


def test_somebody_else_who_does_it_is_put_in_the_place_of_who_does_not() -> None:
    known = "The user's friend Bo has the spare key."
    assert put_right("The user's sister Ada has the spare key now, not Bo.", known) == (
        "The user's sister Ada has the spare key."
    )
    assert put_right("Ada has the spare key, not Bo.", "Bo has the spare key and he feeds the cat.") is None
    assert put_right("Ada has the spare key, not Bo.", "The spare key is with Bo.") == "The spare key is with Ada."
