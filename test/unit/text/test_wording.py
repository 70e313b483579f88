"""Suggestions of names: slips find theirs, unrelated words find none."""

import pytest

from lowering.pipeline import ALL_PASSES
from relax_dialect.builder.op import operators
from relax_dialect.text.wording import edits, nearest

UNRELATED = [
    "apple",
    "river",
    "window",
    "guitar",
    "planet",
    "yellow",
    "mountain",
    "coffee",
    "pencil",
    "garden",
    "bottle",
    "candle",
    "dragon",
    "engine",
    "forest",
    "hammer",
    "island",
    "jacket",
    "kitchen",
    "lantern",
    "magnet",
    "needle",
    "cherry",
    "palace",
    "quartz",
    "rabbit",
    "saddle",
    "temple",
    "umbrella",
    "violin",
    "whisper",
    "xylophone",
    "yoghurt",
    "zebra",
    "bicycle",
    "captain",
    "dolphin",
    "elephant",
    "feather",
    "giraffe",
    "horizon",
    "insect",
    "jungle",
    "kangaroo",
    "lobster",
    "monkey",
    "november",
    "octopus",
    "penguin",
    "quiver",
]


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("relax-ces", "relax-cse"),
        ("relax-fold-constants", "relax-fold-constant"),
        ("relax-legalise", "relax-legalize"),
        ("reul", "relu"),
        ("softmx", "softmax"),
        ("matmull", "matmul"),
        ("layernorm", "layer_norm"),
        ("conv2", "conv2d"),
    ],
)
def test_slips(slip: str, meant: str):
    assert nearest(slip, [*operators(), *ALL_PASSES]) == meant


def test_unrelated_words_suggest_nothing():
    assert len(UNRELATED) == 50
    names = [*operators(), *ALL_PASSES]
    assert {word: nearest(word, names) for word in UNRELATED if nearest(word, names)} == {}


def test_edits():
    assert [edits(a, b) for a, b in [("", "ab"), ("ab", "ba"), ("abc", "adc"), ("ca", "abc")]] == [
        *(2, 1, 1, 3)
    ]
