"""Random numbers as functions of a key, by Threefry2x32 with 20 rounds."""

from __future__ import annotations

import math

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.ops.random import RandomBitsOp, RandomNormalOp, RandomUniformOp, threefry

SIGNIFICANDS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
"""The bits of a significand, the hidden one among them."""


def bits(key: Array, shape: tuple[int, ...]) -> Array:
    """Return 64 bits for every element."""
    counter = np.arange(math.prod(shape), dtype=np.uint64).reshape(shape)
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    pair = [(each & low).astype(np.uint32) for each in (counter, counter >> half)]
    own = key.astype(np.uint64)
    words = [np.asarray(each).astype(np.uint32) for each in (own & low, own >> half)]
    with np.errstate(over="ignore"):
        first, second = threefry(words, pair)
    return first.astype(np.uint64) | second.astype(np.uint64) << half


def random_bits(_: RandomBitsOp, key: Array, shape: tuple[int, ...]) -> Array:
    """Return the bits as whole numbers."""
    return bits(key, shape).view(np.int64)


def uniform(op: RandomUniformOp, key: Array, shape: tuple[int, ...]) -> Array:
    """`low + u * (high - low)`."""
    dtype = numpy_dtype(op.dtype)
    width = SIGNIFICANDS[dtype.name]
    u = (bits(key, shape) >> np.uint64(64 - width)).astype(np.float64) * 2.0**-width
    return (op.low + u * (op.high - op.low)).astype(dtype)


def normal(op: RandomNormalOp, key: Array, shape: tuple[int, ...]) -> Array:
    """Draw normal numbers by the method of Box and Muller."""
    drawn = bits(key, shape)
    u = ((drawn & np.uint64(0xFFFFFFFF)).astype(np.float64) + 1) * 2.0**-32
    angle = (drawn >> np.uint64(32)).astype(np.float64) * (2 * math.pi * 2.0**-32)
    found = np.sqrt(-2 * np.log(u)) * np.cos(angle)
    return (op.mean + op.scale * found).astype(numpy_dtype(op.dtype))


@register_impls
class RandomFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.random`."""

    random_bits = operator_with_attributes(RandomBitsOp, random_bits)
    random_uniform = operator_with_attributes(RandomUniformOp, uniform)
    random_normal = operator_with_attributes(RandomNormalOp, normal)
