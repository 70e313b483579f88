"""Random numbers, of which shapes, types, means and deviations can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import Draw, Drawn, draws

SHAPES = ((0, 3), (1,), (400,), (30, 40), (7, 11, 13))
FLOAT, DOUBLE = 1, 11
"""ONNX's numbers of element types."""


def seeded(draw: Draw) -> dict[str, Any]:
    return {"seed": float(draw.int(0, 9))} if draw.chance() else {}


def parameters(draw: Draw) -> dict[str, Any]:
    """The ends, or the mean and the deviation."""
    found = seeded(draw)
    if draw.chance(0.7):
        first, second = float(draw.int(-3, 3)), float(draw.one(0.5, 1.0, 4.0))
        is_normal = "Normal" in draw.op_type
        found |= (
            {"mean": first, "scale": second}
            if is_normal
            else {"low": first, "high": first + second}
        )
    return found | ({"dtype": draw.one(FLOAT, DOUBLE)} if draw.chance() else {})


@draws("RandomNormal RandomUniform")
def of_shape(draw: Draw) -> Drawn:
    shape = list(draw.one(*SHAPES))
    return Drawn(draw.op_type, [], {"shape": shape, **parameters(draw)}, is_random=True)


@draws("RandomNormalLike RandomUniformLike")
def of_shape_of(draw: Draw) -> Drawn:
    x = draw.array(draw.one("float32", "float64"), draw.one(*SHAPES), special=False)
    return Drawn(draw.op_type, [x], parameters(draw), is_random=True)


@draws("Bernoulli")
def bernoulli(draw: Draw) -> Drawn:
    """Of probabilities as often near 0 as near 1: the peer draws 0 with them where ONNX draws 1."""
    p = draw.numbers.random(draw.one(*SHAPES)).astype(draw.one("float32", "float64"))
    given = {"dtype": draw.one(FLOAT, DOUBLE, 6, 7, 9)} if draw.chance() else {}
    return Drawn("Bernoulli", [p], {**given, **seeded(draw)}, is_random=True)


@draws("Multinomial")
def multinomial(draw: Draw) -> Drawn:
    p = draw.numbers.random([draw.int(1, 3), draw.int(1, 5)]).astype("float32") + np.float32(0.1)
    given = {"sample_size": draw.one(1, 7, 900), **seeded(draw)}
    if draw.chance():
        given["dtype"] = draw.one(6, 7)
    return Drawn("Multinomial", [np.log(p)], given, is_random=True)
