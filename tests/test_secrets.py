"""Secrets are recognised; what only looks like one is not."""

import string
import time
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pi_memory.text.secrets import MASK, masked, secret_in

# Put together here, so that no scanner takes this file for a leak.
SECRETS = [
    ("-----BEGIN OPENSSH " + "PRIVATE KEY-----\nb3Blbn", "a private key"),
    ("-----BEGIN " + "PRIVATE KEY-----", "a private key"),
    ("use " + "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0", "an access token"),
    ("gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8", "an access token"),
    ("AKIA" + "IOSFODNN7EXAMPLE is the id", "an access token"),
    ("Authorization: Bear" + "er 0123456789abcdefghij", "an access token"),
    ("eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.abc", "an access token"),
    ("postgres://bob:" + "s3cret@db/shop", "a password"),
    ("my password is hunter2", "a password"),
    ("DB_PASSWORD=correcthorse", "a password"),
    ('{"api_key": "abcdwxyz"}', "a password"),
    ("Das Passwort lautet Sommer2024!", "a password"),
    ("the password for the router is Zx-91-kk", "a password"),
    ("the wifi is down, my bank password is hunter2", "a password"),
    ("The wifi is down. My bank password is hunter2", "a password"),
    ("The password of our paper shop is hunter22", "a password"),
    ("my password for the rowing club site is hunter22", "a password"),
    ("my internet banking password is hunter22", "a password"),
    ("my PIN is 4711", "a password"),
    ("I changed the tablet pin to 4711", "a password"),
    ("the pin to the shed is 4711", "a password"),
    ("i changed the film club password its plum!12", "a password"),
    ("changed my bank password, it's plum!12 now", "a password"),
    ("my card is 4111 1111 1111 1111, ok?", "a card number"),
    ("5555-5555-5555-4444", "a card number"),
    ("my visa is 4111 1111 1111 1112", "a card number"),
    ("my card number is 4111 1111 1111 1112", "a card number"),
    ("the blob aB3dE5fG7hJ9kL1mN3pQ5rS7", "a key"),
]
HARMLESS = [
    "commit 3f5e1c2a9b8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f",
    "sha256 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "/home/ada/projects/WeatherStation2/src/HumiditySensorCalibration3.java",
    "see https://example.org/a/very/long/path/WithCamelCase/And123Numbers?q=1",
    "the password is wrong",
    "the wifi password is plumcake77",
    "password is plumcake-1987, wpa2, ssid lodge",
    "The password is plumcake77 for the wifi",
    "Das WLAN-Passwort lautet Blume2024",
    "the password for visitors on our wireless is plumcake77",
    "our guest password is plumcake-77",
    "The wifi at home is called Maple and the password is plumcake-77",
    "the wifi password is plumcake77, not plumcake76",
    "I changed the wifi for guests. The password is plumcake77",
    "the alarm code is 4471, not 4417",
    "the password is stored in /etc/app/password.txt",
    "password: os.environ['DB']",
    "password=${DB_PASSWORD}",
    "the token is required",
    "The secret is to stir slowly",
    "call me at 0049 170 1234567",
    "the order 1234567890123456 was late",
    "ThisIsAVeryLongClassNameOfTheOldShop2",
    "test_that_the_old_name_of_2024_is_still_known_after_a_restart",
    "all-MiniLM-L6-v2-Q8_0-2026-11-21-final-version",
    "pin the version to 3.11",
    "1.0000000000000002 and 3.14159265358979323846",
]


@pytest.mark.parametrize(
    "text",
    [
        "the bank password is hunter22, not hunter21.",
        "No, my PIN is 4411, not 3322.",
        "my password changed from hunter21 to hunter22",
        "the password was hunter21, now it's hunter22",
        "Das Passwort ist hase4711, nicht hase4710.",
        "le mot de passe est lapin4711, pas lapin4710",
        "la contraseña es conejo4711, no conejo4710",
    ],
)
def test_a_secret_that_another_one_takes_the_place_of_is_one_too(text: str) -> None:
    assert not any(c.isdigit() for c in masked(text))


@pytest.mark.parametrize(("text", "kind"), SECRETS)
def test_a_secret_is_recognised(text: str, kind: str) -> None:
    assert secret_in(text) == kind


@pytest.mark.parametrize("text", [text for text, _ in SECRETS])
def test_what_is_masked_is_no_secret_any_more(text: str) -> None:
    assert secret_in(masked(text)) is None
    assert MASK in masked(text)


def test_only_the_secret_is_masked() -> None:
    assert masked("My PIN is 4711, ask Anna.") == f"My PIN is {MASK}, ask Anna."
    assert masked("the password for the router is Zx-91-kk") == f"the password for the router is {MASK}"
    assert masked("postgres://bob:" + "s3cret@db/shop") == f"postgres://bob:{MASK}@db/shop"


@pytest.mark.parametrize("text", HARMLESS)
def test_other_text_is_not_masked(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize("text", HARMLESS)
def test_what_looks_like_one_is_not(text: str) -> None:
    assert secret_in(text) is None


@given(st.text(string.hexdigits.lower()[:16], min_size=7, max_size=128))
def test_a_hash_is_no_secret(text: str) -> None:
    if not text.isdigit():
        assert secret_in(f"commit {text}") is None


@given(st.uuids())
@example(UUID("80d878da-f575-5230-7001-42a60432e3e4"))
def test_an_id_is_no_secret(number: object) -> None:
    assert secret_in(f"the row {number} is broken") is None


@given(st.from_regex(r"\A[346][0-9]{14}\Z"))
def test_a_number_is_a_card_for_one_of_ten_check_digits(number: str) -> None:
    if len({*number}) > 1:
        assert sum(secret_in(f"it is {number}{digit}") == "a card number" for digit in range(10)) == 1


@given(st.text(max_size=500))
def test_any_text_is_taken(text: str) -> None:
    secret_in(text)


@pytest.mark.parametrize("piece", ["password ", "a:", "1 ", "a-", "://", "A1a", "pass_", "pin ", "for x "])
def test_a_megabyte_takes_no_time(piece: str) -> None:
    start = time.process_time()
    secret_in(piece * (1_000_000 // len(piece)))
    assert time.process_time() - start < 2
