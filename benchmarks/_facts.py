"""Sentences that state facts of a made-up life, all different, of about 150 characters."""

FIRST = "Ada Bruno Cleo Dmitri Esra Fenna Goran Hana Ivo Juna Kofi Lena Mats Nora Otto Pia Quinn Rosa Sami".split()  # noqa: SIM905
ROLES = "sister neighbour dentist plumber cousin colleague landlord teacher friend uncle".split()  # noqa: SIM905
TOWNS = "Ghent Porto Turku Graz Lecce Bergen Tartu Cork Vigo Brno".split()  # noqa: SIM905
THINGS = "shed attic cellar garage balcony pantry hallway workshop greenhouse loft".split()  # noqa: SIM905
SERVICES = "billing search mail gallery weather backup camera printer calendar music".split()  # noqa: SIM905
FORMS = (
    "My {role} {name} lives in {town} and drives a van that has done {number} kilometres",
    "The {service} server of {name} listens on port {number} behind the proxy in {town}",
    "I keep the spare key of the {thing} in box {number}, next to the tools of {name}",
    "We decided to rebuild the {service} service in {town} because {name} found {number} bugs in it",
    "The {thing} of {name} in {town} is {number} millimetres too narrow for the new shelf",
)
SINCE = ", which {other} and the {role} from {home} have known since the summer of {year}."


def facts(count: int) -> list[str]:
    """`count` of them, always the same."""
    return [_fact(number) for number in range(count)]


def _fact(number: int) -> str:
    form = FORMS[number % len(FORMS)] + SINCE
    return form.format(
        name=f"{FIRST[number * 7 % len(FIRST)]} {chr(65 + number % 26)}.",
        other=FIRST[number * 3 % len(FIRST)],
        role=ROLES[number * 3 % len(ROLES)],
        town=TOWNS[number // 2 % len(TOWNS)],
        home=TOWNS[number * 7 % len(TOWNS)],
        thing=THINGS[number // 3 % len(THINGS)],
        service=SERVICES[number // 5 % len(SERVICES)],
        number=1_000 + 37 * number,
        year=1_980 + number % 40,
    )
