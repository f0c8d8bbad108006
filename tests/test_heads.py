"""The learned judges: weights of signs, and of vectors where they are those of the embedder they were fitted on."""

import numpy as np

from pi_memory.config import Config
from pi_memory.judges.heads import Head

HEADS = Config().folder("heads")


def test_vectors_of_another_embedder_are_not_judged_by() -> None:
    head = Head.load(HEADS / "worth.npz")
    assert head.fits("all-MiniLM-L6-v2-1a2b3c4d")
    assert not head.fits("bge-small-en")


def test_chances_lie_between_0_and_1_with_and_without_vectors() -> None:
    head = Head.load(HEADS / "worth.npz")
    signs = np.eye(len(head.mean), dtype=np.float32) * 100
    vectors = np.ones((len(signs), len(head.both_vector)), np.float32)
    for chances in (head.chances(signs, None), head.chances(signs, vectors)):
        assert chances.shape == (len(signs),)
        assert ((chances >= 0) & (chances <= 1)).all()
