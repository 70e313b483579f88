"""Functions of three elements, and those with bounds."""

from __future__ import annotations

from peers.drawing import (
    ANY,
    FLOATS,
    NUMBERS,
    Draw,
    everything,
    finite,
    mixture,
    normal,
    sprinkled,
    ties,
)
from peers.libraries import by_numpy, by_torch, torch
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.ops import ternary as ops


@peer("where", **exact)
def where(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(), d.one(ANY)
    d.array(d.broadcast(shape), "bool")
    d.array(shape, dtype)
    d.array(d.broadcast(shape), dtype)
    return ops.WhereOp, by_torch(torch.where)


sums = mixture(normal, ties, sprinkled)
"""Without numbers whose products overflow, which PyTorch adds before it rounds."""


@peer("ewise_fma")
def ewise_fma(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(), d.one(NUMBERS)
    for each in (d.broadcast(shape), shape, d.broadcast(shape)):
        d.array(each, dtype, sums if "float" in dtype else everything)
    return ops.EwiseFmaOp, by_torch(lambda a, b, c: torch.addcmul(c, a, b))


@peer("lerp")
def lerp(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(), d.one(FLOATS)
    for each in (shape, d.broadcast(shape), d.broadcast(shape)):
        d.array(each, dtype, finite)
    return ops.LerpOp, by_numpy(lambda a, b, w: a + w * (b - a))


@peer("clip", **exact)
def clip(d: Draw) -> tuple[Build, Meaning]:
    dtype = d.one(NUMBERS)
    d.array(d.shape(), dtype)
    whole = "int" in dtype
    low, high = (d.whole(0, 9), d.whole(0, 99)) if whole else (d.number(-2, 1), d.number(-1, 2))
    bounds = d.one(((low, high), (low, None), (None, high)))
    return lambda x: ops.ClipOp(x, *bounds), by_torch(lambda x: torch.clamp(x, *bounds))


@peer("masked_fill", **exact)
def masked_fill(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(), d.one(NUMBERS)
    d.array(shape, dtype)
    d.array(d.broadcast(shape), "bool")
    value = (
        d.whole(0, 9) if "int" in dtype else d.one((0.0, -1e4, float("inf"), float("-inf"), 2.5))
    )
    return lambda x, m: ops.MaskedFillOp(x, m, value), by_torch(
        lambda x, m: x.masked_fill(m, value)
    )
