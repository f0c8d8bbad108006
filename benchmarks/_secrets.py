"""Facts to be forgotten, each in several persons and frames, and sentences that only look like them."""

from collections.abc import Sequence
from dataclasses import dataclass

OWNED = """
vault word|is|quartzmere
phone number|is|0471 555 2219
locker code|is|88417
blood type|is|ABnegulon
dentist|is called|Dr. Wenzelbach
sister|lives in|Trollhavn
landlord|is called|Ottokar Prym
savings account|ends with|73305518
router password|is|fernwhistle
first car|was|a green Tarvolka
cat|is called|Mimbulo
wedding|is on|14 August 2031
shoe size|is|forty-three and a half
passport|expires in|Novembrius 2029
boss|is called|Henrike Quastel
allergy|is to|pistelnuts
spare key|is under|the cobalt flowerpot
gym card|has the number|GX-55121
mother's maiden name|is|Abernoste
bicycle lock|opens with|5-9-0-2
car insurance|is with|Bruntal Mutual
night nurse|is called|Ysolde
tax number|is|DE9912837
salary|is|4,270 crowns
allotment|is number|317b
piano teacher|is called|Maestro Vinkel
parking space|is|level C row 19
favourite tea|is|smoked yunnaro
school|was called|Saint Orsolo
birthday|is on|the 9th of Marchember
wifi network|is called|NestorsNest
printer|has the address|10.77.3.41
brother|works for|Halvard Logistics
grandmother|comes from|Zelmira
password hint|is|the old lighthouse of Korvo
therapist|is called|Rune Salberg
bank card|is in|the tin with the heron
rent|is|913 florins
surgery|is on|Thursday the 28th at Belvarin
boat|is called|Sea Thimble
""".strip().split("\n")
SAID = """
live in|lives in|Oberquellen
work for|works for|the Lantern Archive
am allergic to|is allergic to|brazil pollen
take|takes|forty milligrams of Lorvastin
owe|owes|Benedikt 700 zloty
play|plays|the viola da spalla
grew up in|grew up in|Port Hesper
drive|drives|a rusty Bellomobile
want to buy|wants to buy|the mill at Grunbach
sleep with|sleeps with|a Nocturil mask
vote for|votes for|the Harbour List
collect|collects|Etruvian stamps
fear|fears|ladders and Dobermules
write|writes|under the name Cass Ferrol
share|shares|the flat with Iwona Petri
smoke|smokes|Galbrook cigarillos
train for|trains for|the Fjordmark marathon
study|studies|Old Tavric
rent|rents|a garage on Mistel Lane
volunteer at|volunteers at|the owl station
""".strip().split("\n")


@dataclass(frozen=True)
class Fact:
    """What one says of oneself, what is said to one, what is said of the user, and of somebody else. `probes` are
    words that stand in nothing else that is said.
    """

    own: str
    yours: str
    theirs: str
    other: str
    question: str
    probes: tuple[str, ...]

    @property
    def frames(self) -> tuple[str, ...]:
        return (
            f"{_capital(self.own)}.",
            f"Remember that {self.own}.",
            f"By the way, {self.own}, just so you know.",
            f"Got it: {self.yours}.",
            f"{_capital(self.theirs)}.",
            f"Note: {self.own}",
        )


def facts() -> list[Fact]:
    return [*map(_owned, OWNED), *map(_said, SAID)]


def _owned(line: str) -> Fact:
    what, verb, value = line.split("|")
    return Fact(
        own=f"my {what} {verb} {value}",
        yours=f"your {what} {verb} {value}",
        theirs=f"the user's {what} {verb} {value}",
        other=f"Nadja's {what} {verb} something else entirely",
        question=f"Do you know my {what}?",
        probes=_probes(value),
    )


def _said(line: str) -> Fact:
    verb, third, value = line.split("|")
    you = "you are" + verb.removeprefix("am") if verb.startswith("am ") else f"you {verb}"
    return Fact(
        own=f"I {verb} {value}",
        yours=f"{you} {value}",
        theirs=f"the user {third} {value}",
        other=f"Nadja {third} something else entirely",
        question="Do you know that about me?",
        probes=_probes(value),
    )


def _probes(value: str) -> tuple[str, ...]:
    """The longest word, which nobody else says."""
    return (max(value.replace("Dr. ", "").split(), key=len).strip(".,").lower(),)


def beside(number: int) -> Sequence[str]:
    """Sentences that stand beside a fact, and are not it."""
    return (f"The meeting number {number} went well.", f"Please water plant {number} on Monday!")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
