"""Suggestions of names: slips find theirs, unrelated words find none."""

from collections.abc import Callable

import pytest

from lowering.pipeline import ALL_PASSES
from lowering.schedule.schedule import PRIMITIVES
from relax_dialect.builder.op import operators
from relax_dialect.frontends.tvmscript.relax_functions.operator_calls import TABLE
from relax_dialect.parsing import new_context
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
        ("ad", "add"),
        ("epx", "exp"),
    ],
)
def test_slips(slip: str, meant: str):
    assert nearest(slip, [*operators(), *ALL_PASSES]) == meant


SHORT = [
    "ant",
    "bat",
    "bee",
    "bus",
    "coat",
    "cow",
    "cup",
    "dog",
    "egg",
    "fly",
    "hat",
    "ink",
    "jam",
    "nut",
    "oil",
    "owl",
    "pie",
    "pig",
    "rat",
    "tea",
    "tram",
    "x",
    "y",
]
"""Short words, of which a single other letter makes another word."""

TABLES = {
    "operators and passes": lambda: [*operators(), *ALL_PASSES],
    "dialects": lambda: list(new_context().registered_dialect_names),
    "primitives": lambda: list(PRIMITIVES),
    "operators of TVM": lambda: list(TABLE.lines),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_unrelated_words_suggest_nothing(table: Callable[[], list[str]]):
    assert len(UNRELATED) == 50
    names = table()
    found = {word: nearest(word, names) for word in [*UNRELATED, *SHORT]}
    assert {word: meant for word, meant in found.items() if meant} == {}


def test_edits():
    assert [edits(a, b) for a, b in [("", "ab"), ("ab", "ba"), ("abc", "adc"), ("ca", "abc")]] == [
        *(2, 1, 1, 3)
    ]
