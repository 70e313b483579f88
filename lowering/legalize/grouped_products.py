"""Matrix products of rows and narrow weights that are both integers, with scales by group of the depth.

    %x = relax.dequantize %q, %sx, 0 {axis = -1, block_size = 32} : i8          // computed
    %w = relax.dequantize %c, %sw, %zw {axis = 0, block_size = 32} : i8         // constants
    %y = relax.matmul %x, %w
->
    %s, %t = relax.call_tir @matmul_groups(%q, %sx)        // scales; the sum of each group of %q, by term
    %y = relax.call_tir @matmul_u8_i8(%q, %s, %t, %u, %sw) // sums of (%q * %u - zero * %t) * (%sx * %sw)

Weights are unsigned, `%u = %c + 128` or, two in a byte, `%c + 8`, since instructions multiply unsigned and
signed bytes: `sum q (u - zero) = sum q u - zero sum q`, and each term has an equal part of `sum q`. The
schedule adds up the integers of a group first (`lowering/schedule/strategies/grouped_contraction.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from xdsl.dialects.builtin import f32, i8
from xdsl.ir import SSAValue

from lowering.legalize.product_steps import ended, longer, partial_named
from lowering.legalize.steps import Steps
from relax_dialect import te
from relax_dialect.builder.constant_values import array
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.quantization import DequantizeOp
from relax_dialect.rewrites.quantization.narrowing.decoding import known
from relax_dialect.rewrites.quantization.narrowing.weights import NarrowWeight

WORD = 4
"""The bytes that one operation multiplies in each lane."""

SHORT = 32
"""The most codes in a group of a kernel: longer ones are several with equal scales."""

UNIT = 8
"""The least codes in a group, and a divisor of their number: the numbers of four bits in a word."""


@dataclass(frozen=True)
class IntegerRows:
    """Rows `scale * codes`, computed."""

    codes: SSAValue
    """i8, `[.., depth]`."""
    scale: SSAValue
    """f32, `[.., groups]`."""
    group: int
    """The number of codes that share a scale."""


def integer_rows(value: SSAValue) -> IntegerRows | None:
    """Return the integers and scales that rows are dequantized from; None for other rows."""
    op = value.owner
    if not isinstance(op, DequantizeOp) or op.block_size % UNIT or not op.block_size:
        return None
    types = [each.type for each in (op.data, op.scale, op.result)]  # pyright: ignore
    if not all(isinstance(type, TensorType) and type.rank for type in types):
        return None
    if [type.dtype for type in types] != [i8, f32, f32]:  # pyright: ignore
        return None
    if (depth := types[0].shape[-1]) is None or depth.value is None:  # pyright: ignore
        return None
    rank, zero = types[0].rank, known(op.zero_point)  # pyright: ignore
    is_plain = zero is not None and not zero.any() and types[1].rank == rank  # pyright: ignore
    if not is_plain or op.axis_of(rank) != rank - 1:
        return None
    return IntegerRows(op.data, op.scale, op.block_size)


def grouped(rows: IntegerRows | None, weight: NarrowWeight) -> GroupedWeights | None:
    """Return integer weights in groups with one scale in rows and in columns; None if they have none."""
    if rows is None or weight.form not in ("i8", "i4"):
        return None
    group = gcd(rows.group, weight.group)
    group = group if group <= SHORT else gcd(group, SHORT)
    return None if group % UNIT else _laid_out(weight, group)


@dataclass(frozen=True)
class GroupedWeights:
    """Unsigned weights, `[groups, words, bytes of a word, columns]`, with parameters by group or column."""

    group: int
    codes: Array
    shift: int
    """The difference to signed codes: the zero point, if `zero` has no others."""
    parameters: Mapping[str, Array]
    """`zero` and `scale` by group, or `factor`, that of the sums of a column."""

    @property
    def halves(self) -> int:
        """The codes in a byte: of two, the low bits have one of the first half of eight."""
        return self.group // self.codes.shape[1] // WORD

    @property
    def depth(self) -> int:
        return self.codes.shape[0] * self.group

    @property
    def name(self) -> str:
        given = (name for name in self.parameters if name != "factor")
        return "_".join(["i8", f"ui{8 // self.halves}", *given])


def _laid_out(weight: NarrowWeight, group: int) -> GroupedWeights:
    """Return weights in words of four bytes, with zeros after the depth."""
    depth, columns = weight.codes.shape
    shift, count = (8 if weight.form == "i4" else 128), -(-depth // group)
    codes = np.full((count * group, columns), shift, np.uint8)
    codes[:depth] = (weight.codes + np.int16(shift)).astype(np.uint8)
    words = codes.reshape(count, -1, WORD, columns)
    if weight.form == "i4":
        words = words[:, ::2] | words[:, 1::2] << 4
    zero = None if weight.zero is None else weight.zero + np.float32(shift)
    given = {"scale" if weight.group else "factor": weight.scale, "zero": zero}
    own = np.arange(count) * group // weight.group if weight.group else 0
    return GroupedWeights(
        group, words, shift, {name: each[own] for name, each in given.items() if each is not None}
    )


def integer_product(steps: Steps, rows: IntegerRows, weights: GroupedWeights) -> Sequence[SSAValue]:
    """Return the result of a product of integers with scales."""
    bias, codes = steps.op.operands[2:], rows.codes
    if weights.depth > codes.type.shape[-1].value:  # pyright: ignore
        codes = longer(steps, codes, weights.depth)
    scales, size = rows.scale, weights.group
    if size < rows.group:
        name = f"scales_of_{weights.codes.shape[0]}_groups_of_{size}_in_{rows.group}"
        repeat = partial_named(_repeated, name, weights, rows.group)
        (scales,) = steps.shared(repeat, scales)
    split = partial_named(_split, f"groups_of_{size}" + "_halves" * (weights.halves > 1), weights)
    terms, *parts = steps.shared(split, codes)
    arrays = {"weights": weights.codes, **weights.parameters}
    constants = [steps.insert(array(np.ascontiguousarray(a)), n)[0] for n, a in arrays.items()]
    rule = partial_named(_product, weights.name, weights, [*arrays])
    return steps.call(rule, scales, terms, *(parts or [codes]), *constants, *bias)


# Rules -----------------------------------------------------------------------------------------


def _repeated(op: OperatorOp, weights: GroupedWeights, group: int, scale: te.Tensor) -> te.Tensor:
    """Return the scale of each group of a kernel, of which some are parts of a group of rows."""

    def at(*i: te.IterVar) -> te.Scalar:
        return scale[(*i[:-1], te.floordiv(i[-1] * weights.group, group))]

    return te.compute((*scale.shape[:-1], weights.codes.shape[0]), at, name="scales")


def _split(op: OperatorOp, weights: GroupedWeights, codes: te.Tensor) -> Sequence[te.Tensor]:
    """Return the share of each term in the sum of its group's codes, and the halves of each eight codes if
    weights have two in a byte."""
    batch = codes.shape[:-1]
    count, words = weights.codes.shape[:2]
    halves = weights.halves
    own = te.reshape(codes, [*batch, count, weights.group], name="own")
    k = te.reduce_axis((0, weights.group), name="k")

    def term(*i: te.IterVar) -> te.Scalar:
        return sums[i].astype("f32") * (1 / (words * WORD))

    def total(*i: te.IterVar) -> te.Scalar:
        return te.sum(own[(*i, k)].astype("i32"), axis=[k])

    sums = te.compute((*batch, count), total, name="sums")
    terms = te.compute(sums.shape, term, name="terms")
    split = te.reshape(codes, [*batch, count, words, halves, WORD], name="split")
    parts = (
        te.compute(
            (*batch, count, words, WORD),
            lambda *i, half=half: split[(*i[:-1], half, i[-1])],
            name=f"words_{half}",
        )
        for half in range(halves if halves > 1 else 0)
    )
    return [terms, *parts]


def _product(
    op: OperatorOp, weights: GroupedWeights, names: Sequence[str], *operands: te.Tensor
) -> te.Tensor:
    """Return the sums of products of integers, less those with zero points, times the scales."""
    halves, sizes = weights.halves, weights.codes.shape[:-1]
    scales, terms, *rows = operands[: 2 + halves]
    given = dict(zip((*names, "bias"), operands[2 + halves :]))
    axes = [te.reduce_axis((0, n), name=f"k{d}") for d, n in enumerate(sizes)]
    rank, batch = scales.ndim, scales.shape[:-1] or (1,)
    words = [te.reshape(x, [*scales.shape[:-1], *sizes], name="words") for x in rows]

    def element(*i: te.IterVar) -> te.Scalar:
        *row, column = i[-rank:]
        code = given["weights"][(*axes, column)].astype("i32")
        codes = [code & 15, code >> 4] if halves > 1 else [code]
        products = [x[(*row, *axes)].astype("i32") * c for x, c in zip(words, codes)]
        at, total = (*row, axes[0]), sum(products[1:], products[0])
        zero, scale = (_parameter(given.get(name), axes[0], column) for name in ("zero", "scale"))
        value = total.astype("f32") - terms[at] * (float(weights.shift) if zero is None else zero)
        return te.sum(value * (scales[at] if scale is None else scales[at] * scale), axis=axes)

    sums = te.compute((*batch, weights.codes.shape[-1]), element, name="sums")
    return ended(op, sums, given, rank)


def _parameter(
    parameter: te.Tensor | None, group: te.IterVar, column: te.IterVar
) -> te.Scalar | None:
    """Return the parameter of a group and a column, or of a column."""
    if parameter is None:
        return None
    return parameter[(group, column) if parameter.ndim > 1 else (column,)]
