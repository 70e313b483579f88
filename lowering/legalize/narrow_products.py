"""Matrix products with narrow weights: prim funcs that decode weights as they read them.

    %w = relax.dequantize %q, %scale, %zero : i8                    // constants
    %y = relax.matmul %x, %w
->
    %y = relax.call_tir @matmul_i8(%x, %q, %scale)                  // sums of %x * float(%q), scaled

No tensor of floats is written. `relax_dialect.rewrites.quantization.narrowing` has the forms of weights,
and the operators that may make floats of them. Scales and zero points of groups of rows are part of each
product, scales of columns are applied to the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.traits import Pure

from lowering.legalize.grouped_products import grouped, integer_product, integer_rows
from lowering.legalize.product_steps import ended, longer, partial_named
from lowering.legalize.steps import Steps
from lowering.legalize.storage_casts import decoded
from relax_dialect import te
from relax_dialect.builder.constant_values import array
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.storage import STORAGE
from relax_dialect.ir.traits import has_trait
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.indexing import TakeOp
from relax_dialect.ops.linear_algebra import LinearOp, MatmulOp
from relax_dialect.rewrites.quantization.narrowing.table_rows import DecodedRows, narrow_table
from relax_dialect.rewrites.quantization.narrowing.weights import (
    WORD,
    NarrowWeight,
    narrow_weight,
    words,
)

SHORT = 32
"""The most rows in a group of a kernel."""

BITS = {"bf16": np.uint16, "f16": np.int16, "i8": np.int8, "i4": np.int8}
"""The numpy types of codes; those of storage types are bytes."""


def narrow_products(ops: Sequence[Operation]) -> Mapping[OperatorOp, NarrowWeight]:
    """Return the products whose weights can be decoded as they are read, and these."""
    products = (op for op in ops if isinstance(op, MatmulOp | LinearOp))
    found = ((op, narrow_weight(op)) for op in products)
    return {op: weight for op, weight in found if weight is not None}


def decode_rows(ops: Sequence[Operation]) -> None:
    """Make operators that take rows of decoded tables decode the rows they take."""
    for op in ops:
        if (table := narrow_table(op)) is None:
            continue
        assert isinstance(op, TakeOp)
        found = DecodedRows(op, table, partial(_inserted, op)).decoded()
        found.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(found)
        source = op.x.owner
        op.detach()
        op.erase()
        erase_unused([source])


def _inserted(before: Operation, op: Operation) -> SSAValue:
    """Return the result of an op that is inserted before another."""
    assert before.parent is not None
    before.parent.insert_op_before(op, before)
    inherit([op], before.location)
    return op.results[0]


def multiplied(steps: Steps, weight: NarrowWeight) -> Sequence[SSAValue]:
    """Return the result of a product with narrow weights."""
    x, bias = steps.op.operands[0], steps.op.operands[2:]
    if (rows := integer_rows(x)) is not None and (found := grouped(rows, weight)) is not None:
        return integer_product(steps, rows, found)
    layout = _laid_out(weight)
    if layout.depth > weight.codes.shape[0]:
        x = longer(steps, x, layout.depth)
    arrays = {"weights": layout.codes, **layout.parameters}
    if layout.is_in_words:
        arrays["shifts"] = np.arange(28, -1, -4, dtype=np.int32)
    operands = [steps.insert(array(np.ascontiguousarray(a)), n)[0] for n, a in arrays.items()]
    rule = partial_named(_product, layout.name, layout, [*arrays])
    return steps.call(rule, x, *operands, *bias)


# Layouts ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KernelWeights:
    """Weights as kernels read them: `[groups, depth of one, columns]`, or `[depth, columns]`."""

    form: str
    codes: Array
    depths: Sequence[int]
    """The sizes of the loops that reduce, also along the other factor."""
    parameters: Mapping[str, Array]
    """`scale` and `zero` by group, or by column; `factor`, that of the sums of columns."""

    @property
    def is_in_words(self) -> bool:
        return self.form == "i4"

    @property
    def depth(self) -> int:
        return int(np.prod(self.depths))

    @property
    def name(self) -> str:
        """The name of the step: the form, and the parameters if the weights are in groups."""
        return "_".join([self.form, *(name for name in self.parameters if name != "factor")])


def _laid_out(weight: NarrowWeight) -> KernelWeights:
    """Return weights in groups and words, with zeros after the depth."""
    depth, columns = weight.codes.shape
    weight = _in_short_groups(weight)
    is_word = weight.form == "i4" and weight.group % WORD == 0
    form = "i8" if weight.form == "i4" and not is_word else weight.form
    group = weight.group or depth
    unit = weight.group or (WORD if is_word else 1)
    padded = np.zeros((-(-depth // unit) * unit, columns), BITS.get(form, np.uint8))
    padded[:depth] = weight.codes.view(padded.dtype)
    inner = [len(padded) // (-(-depth // group))] if weight.group else [len(padded)]
    outer = [len(padded) // weight.group] if weight.group else []
    sizes = [*outer, inner[0] // WORD] if is_word else [*outer, *inner]
    codes = (words(padded) if is_word else padded).reshape(*sizes, columns)
    return KernelWeights(form, codes, [*sizes, WORD] if is_word else sizes, _parameters(weight))


def _in_short_groups(weight: NarrowWeight) -> NarrowWeight:
    """Return weights in groups that are unrolled as a whole: long ones repeat their parameters."""
    if weight.group <= SHORT or weight.group % SHORT:
        return weight
    own = np.arange(-(-weight.codes.shape[0] // SHORT)) * SHORT // weight.group
    scale, zero = (None if a is None else a[own] for a in (weight.scale, weight.zero))
    return replace(weight, group=SHORT, scale=scale, zero=zero)


def _parameters(weight: NarrowWeight) -> dict[str, Array]:
    scale = "scale" if weight.group else "factor"
    given = {scale: weight.scale, "zero": weight.zero}
    return {
        name: each if weight.group else each[0] for name, each in given.items() if each is not None
    }


# Rules -----------------------------------------------------------------------------------------


def _product(
    op: OperatorOp, layout: KernelWeights, names: Sequence[str], x: te.Tensor, *operands: te.Tensor
) -> te.Tensor:
    """Return the sums of products with decoded weights, scaled, with the bias, rounded once."""
    given = dict(zip((*names, "bias"), operands))
    batch, columns = x.shape[:-1] or (1,), operands[0].shape[-1]
    rows = te.reshape(x, [*batch, *layout.depths], name="rows")
    depths = [te.reduce_axis((0, size), name=f"k{n}") for n, size in enumerate(layout.depths)]

    def element(*i: te.IterVar) -> te.Scalar:
        value = _decoded(layout, given, depths, i[-1])
        return te.sum(rows[(*i[:-1], *depths)].astype("f32") * value, axis=depths)

    return ended(op, te.compute((*batch, columns), element, name="sums"), given, x.ndim)


def _decoded(
    layout: KernelWeights,
    given: Mapping[str, te.Tensor],
    depths: Sequence[te.IterVar],
    column: te.IterVar,
) -> te.Scalar:
    """Return the float of a weight."""
    *outer, last = depths
    code = given["weights"][(*(outer if layout.is_in_words else depths), column)]
    value = (
        ((code << given["shifts"][last]) >> 28).astype("f32")
        if layout.is_in_words
        else DECODERS.get(layout.form, partial(_of_storage, layout.form))(code)
    )
    for name in ("zero", "scale"):
        if (each := given.get(name)) is not None:
            parameter = each[(depths[0], column) if each.ndim > 1 else (column,)]
            value = value - parameter if name == "zero" else value * parameter
    return value


def _of_storage(form: str, code: te.Scalar) -> te.Scalar:
    return decoded(code, STORAGE[form])


def _of_half(code: te.Scalar) -> te.Scalar:
    """Return an f16 that is finite: its exponent in the bits of one of f32, then by the difference."""
    bits = (code.astype("i32") << 13) & ~0x70000000
    return te.reinterpret(bits, "f32") * 2.0**112


DECODERS: Mapping[str, Callable[[te.Scalar], te.Scalar]] = {
    "i8": lambda code: code.astype("i32").astype("f32"),
    "bf16": lambda code: te.reinterpret(code.astype("ui32") << 16, "f32"),
    "f16": _of_half,
}
"""The floats of codes that are no words, by form; those of storage types are decoded by their format."""


def erase_unused(owners: Iterable[object]) -> None:
    """Erase the operators that made floats of weights, if nothing else uses them."""
    work = [*owners]
    while work:
        op = work.pop()
        if not isinstance(op, OperatorOp | ConstantOp) or op.parent is None:
            continue
        if any(r.first_use is not None for r in op.results) or not has_trait(op, Pure):
            continue
        work += [value.owner for value in op.operands]
        op.detach()
        op.erase()
