"""Calibration of an embedder: each has its own scale of cosines, so thresholds are measured, not copied.

Two unrelated texts have a cosine around 0.0 in one embedder's space and around 0.8 in another's. A fixed set of phrases
measures where an embedder puts unrelated texts and where it puts paraphrases.
"""

import asyncio
import math

import numpy as np
from msgspec import Struct

from pi_memory.loader import Loader
from pi_memory.protocols import Embedder
from pi_memory.types import Vectors

UNRELATED = (
    "the bread needs another hour in the oven",
    "rotate the log files every night",
    "my knee hurts after running",
    "the train to the coast was late again",
    "parse the date from the file name",
    "water the tomatoes before it gets hot",
    "the choir rehearses on Thursday evening",
    "the index on the orders table is too large",
    "a new coat of paint for the garden fence",
    "the baby slept through the night",
    "the compiler warns about an unused variable",
    "renew the passport before the summer",
    "the violin string snapped during practice",
    "cache the thumbnails on disk",
    "the cat refuses to take its pills",
    "interest rates went up again this month",
    "the login button does nothing on a phone",
    "we repaired the roof after the storm",
    "the chess club meets in the library",
    "split the monolith into smaller services",
    "the lecture on medieval castles was full",
    "salt the water before adding the pasta",
    "the sensor reports a wrong humidity",
    "the tyres need more air in winter",
    "encrypt the backup with a passphrase",
    "the film was too long and too loud",
    "the dentist moved the appointment",
    "the unit tests fail on a leap year",
    "snow closed the mountain pass",
    "the printer is out of yellow ink",
    "the election results arrive on Sunday",
    "retry the request with a longer timeout",
    "the coffee tastes burnt today",
    "a whale was seen near the harbour",
    "the memory leak is in the image decoder",
    "knit a scarf from the leftover wool",
    "the landlord raised the rent",
    "the keyboard layout switched to another language",
    "goalkeepers train their reflexes with small balls",
    "the satellite lost contact for two minutes",
)
PARAPHRASES = (
    ("the meeting was moved to Friday", "they postponed the meeting until Friday"),
    ("the function returns an empty list", "an empty list is what the function gives back"),
    ("how do I reset my password", "what is the way to change a forgotten password"),
    ("the soup is too salty", "there is too much salt in the soup"),
    ("the server runs out of memory at night", "every night the server has no memory left"),
    ("she prefers tea to coffee", "she likes tea better than coffee"),
    ("use tabs instead of spaces for indentation", "indent with tabs, not with spaces"),
    ("the flight was cancelled because of fog", "due to fog the plane did not take off"),
)
QUESTIONS = (
    ("where do I turn the power off", "the main switch is behind the door of the pantry"),
    ("who do I call when the heating fails", "Mr Lindner looks after our boiler"),
    ("what is my sister allergic to", "Ruth must not eat shellfish"),
    ("how do we ship a new version", "releases are tagged on main and the pipeline does the rest"),
    ("when is the next check-up of the car", "the inspection of the Volvo is due in April"),
    ("what do I feed the neighbours' animals", "their rabbits get hay and a carrot each"),
    ("which size of paper does the label printer take", "the Brother wants rolls of 62 millimetres"),
    ("how much is the rent for the studio", "we pay 340 a month for the room at the mill"),
    ("who has my big drill", "I lent the Hilti to Jakob"),
    ("what did we decide about the logo", "the blue version won, the green one is dropped"),
    ("when does grandpa take his drops", "the eye drops are for half past seven in the evening"),
    ("where are the sleeping bags", "the camping gear is in the loft above the garage"),
)
"""Questions with answers in other words."""
ANSWER = 0.55
"""How far an answer lies from unrelated texts on the way to those that say the same where it counts as it is near."""


class Calibration(Struct, frozen=True):
    """The scale of one embedder, as cosines."""

    unrelated_mean: float
    unrelated_std: float
    paraphrase_mean: float
    related: float
    """From this cosine on two texts are about the same thing more likely than by chance."""
    same: float
    """From this cosine on two texts say the same thing."""
    answer: float = ANSWER
    """How far an answer lies from unrelated texts on the way to `same`."""

    @property
    def answer_scale(self) -> float:
        """By what the nearness of an answer is multiplied before it is held against a threshold."""
        return ANSWER / self.answer


REPETITION = 0.999
"""A cosine that only equal texts are sure to reach, rounding included."""

NEVER = Calibration(0.0, 0.0, 0.0, related=math.inf, same=math.inf)
"""The calibration without an embedder: no similarity reaches its thresholds."""


class Scale:
    """The calibration of the current embedder, shared by all who compare vectors and measured once: it takes a small
    board some seconds.
    """

    def __init__(self, embedder: Loader[Embedder]) -> None:
        self.embedder = embedder
        self._measured: tuple[str, Calibration] | None = None
        self._one_at_a_time = asyncio.Lock()

    async def measured(self) -> Calibration:
        """`NEVER` while there is no embedder. Raises `EmbedderError`."""
        async with self._one_at_a_time:
            embedder = self.embedder.now
            if self._measured is None or self._measured[0] != embedder.id:
                self._measured = (embedder.id, await calibrate(embedder))
            return self._measured[1]


async def calibrate(embedder: Embedder) -> Calibration:
    """Measure the embedder's scale with one batch of 80 short texts. Raises `EmbedderError`.

    `related` lies three standard deviations above the mean of the unrelated pairs: if these are normally distributed,
    one unrelated pair in 740 reaches it. `same` lies two standard deviations below the mean of the paraphrases, which
    48 in 49 then reach, but at least half-way from `related` to that mean, for eight pairs do not measure a spread
    well. Where paraphrases do not stand out at all, only a repetition reaches either threshold, and where answers do
    not, they count as they are.
    """
    if embedder.dimensions == 0:
        return NEVER
    sentences = [sentence for pair in (*PARAPHRASES, *QUESTIONS) for sentence in pair]
    vectors = await embedder.embed([*UNRELATED, *sentences])
    unrelated, paired = vectors[: len(UNRELATED)], vectors[len(UNRELATED) :]
    cosines = np.sum(paired[0::2] * paired[1::2], axis=1)
    return _thresholds(_all_pairs(unrelated), cosines[: len(PARAPHRASES)], float(cosines[len(PARAPHRASES) :].mean()))


def _all_pairs(vectors: Vectors) -> Vectors:
    """The cosines of each vector with each other one, shape (n * (n - 1) / 2,)."""
    cosines: Vectors = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    return cosines


def _thresholds(unrelated: Vectors, paraphrases: Vectors, answers: float) -> Calibration:
    mean, deviation, likeness = float(unrelated.mean()), float(unrelated.std()), float(paraphrases.mean())
    related = mean + 3 * deviation
    same = max(likeness - 2 * float(paraphrases.std()), (related + likeness) / 2)
    if likeness <= related:
        related = same = REPETITION
    answer = (answers - mean) / (same - mean)
    return Calibration(
        mean,
        deviation,
        likeness,
        related=related,
        same=same,
        answer=min(1.0, answer) if answer > ANSWER / 2 else ANSWER,
    )
