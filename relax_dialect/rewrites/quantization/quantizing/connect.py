"""Neighbouring quantised regions are connected in 8 bits, without floats in between.

| before                                  | after                                            |
|-----------------------------------------|--------------------------------------------------|
| two equal `quantize` of x in a block    | one                                              |
| `quantize(dequantize(q, s, z), s, z)`   | `q`, if that has the type                        |
| `quantize(dequantize(q, s, z), t, u)`   | `requantize(q, s, z, t, u)`                      |
| `quantize(relu(y), s, z)`               | `maximum(quantize(y, s, z), z)`                  |
| `quantize(view(y), s, z)`               | `view(quantize(y, s, z))`; view is one of `VIEWS` |

The last two move a `quantize` up to a `dequantize`, if there is one before single-use ops of these kinds.
They are bitwise exact: quantising keeps the order of numbers, and maps 0 to the zero point. `requantize`
multiplies by the quotient of two scales instead of multiplying and dividing: a result may be one step off
if the quotient falls on a half.

Only a `quantize` created by the pass is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from operator import or_
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from relax_dialect.builder import op
from relax_dialect.builder.values import Expression, Value
from relax_dialect.dpl import FunctionRule, Match, PatternRule, apply_rules, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner, source
from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ir.storage import is_storage
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.quantization import BYTES, DequantizeOp, QuantizeOp
from relax_dialect.rewrites.quantization.quantizing.replace import scalar
from relax_dialect.rewrites.quantization.quantizing.scheme import ACTIVATIONS
from relax_dialect.transform.regions import erase, functions

VIEWS = (
    "batch_flatten",
    "expand_dims",
    "flatten",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "permute_dims",
    "reshape",
    "squeeze",
)
"""Ops that select elements of their first operand, by index or as the maximum."""
THROUGH = tuple(op.get(name) for name in (*VIEWS, "relu"))


def quantizes(module: ModuleOp) -> list[QuantizeOp]:
    """Every quantize of a module."""
    inside = (op for function in functions(module) for op in walk_ops(function))
    return [each for each in inside if isinstance(each, QuantizeOp)]


def merge_equal(made: list[QuantizeOp]) -> None:
    """One of several quantize ops that do the same in a block: the first."""
    found: dict[Any, QuantizeOp] = {}
    for each in made:  # in the order of the text, which a graph region does not mind
        numbers = [_number(each.scale), _number(each.zero_point)]
        if None in numbers:
            continue
        key = (each.parent, source(each.data), each.quantized, *numbers)
        if (first := found.setdefault(key, each)) is not each:
            each.result.replace_all_uses_with(first.result)
            erase(each)


def _number(value: SSAValue) -> Any | None:
    """Return the number of a constant of rank 0."""
    found = owner(value)
    if not isinstance(found, ConstantOp):
        return None
    array = from_dense(found.value)
    return array.item() if array.ndim == 0 else None


def connect(module: ModuleOp, earlier: set[Operation]) -> None:
    """Apply the rules of the table to all but the earlier ops."""
    merge_equal([each for each in quantizes(module) if each not in earlier])
    most = 1 + sum(1 for function in functions(module) for _ in walk_ops(function))
    apply_rules(list(_rules(earlier)), module, limit=2 * most)  # each op is passed once


def _rules(earlier: set[Operation]) -> Iterator[PatternRule]:
    x, scale, zero = wildcard(), wildcard(), wildcard()
    q, old_scale, old_zero = wildcard(), wildcard(), wildcard()
    known: set[SSAValue] = set()
    floats = is_op("dequantize")(q, old_scale, old_zero)
    views = [is_op(name)(x) for name in VIEWS if name != "reshape"]
    moved = reduce(or_, views, is_op("reshape")(x, wildcard()))

    def made(function: Callable[[Value, Match], Any]) -> Callable[[Value, Match], Any]:
        def replace(root: Value, match: Match) -> Any:
            return None if owner(root.value) in earlier else function(root, match)

        return replace

    def requantize(root: Value, match: Match) -> Value | Expression | None:
        before, after = _op(match[floats]), _op(root)
        assert isinstance(before, DequantizeOp) and isinstance(after, QuantizeOp)
        if before.block_size or is_storage(match[q].dtype) or is_storage(match[old_zero].dtype):
            return None  # no requantize takes blocks or storage types
        dtype = after.quantized
        numbers = [_number(match[node].value) for node in (old_scale, old_zero, scale, zero)]
        if match[q].dtype == dtype and None not in numbers and numbers[:2] == numbers[2:]:
            return match[q]
        parameters = match[old_scale], match[old_zero], match[scale], match[zero]
        return op.requantize(match[q], *parameters, axis=before.axis, out_dtype=dtype)

    def before_relu(root: Value, match: Match) -> Expression | None:
        if not leads_to_dequantize(match[x].value, known):
            return None
        after, least = _op(root), _number(match[zero].value)
        assert isinstance(after, QuantizeOp)
        quantized = op.quantize(match[x], match[scale], match[zero], out_dtype=after.quantized)
        dtype = str(after.quantized)
        if after.quantized not in BYTES or least is None:
            return None
        if least == ACTIVATIONS[dtype][0]:
            return quantized
        return op.maximum(quantized, scalar(least, dtype))

    def before_view(root: Value, match: Match) -> Expression | None:
        if not leads_to_dequantize(match[x].value, known):
            return None
        view, after = _op(match[moved]), _op(root)
        assert isinstance(after, QuantizeOp)
        quantized = op.quantize(match[x], match[scale], match[zero], out_dtype=after.quantized)
        rest = [Value(operand) for operand in view.operands[1:]]
        return Expression(_maker(view, after), (quantized, *rest))

    def quantize_of(inner: Any) -> Any:
        return is_op("quantize")(inner, scale, zero)

    yield FunctionRule(quantize_of(floats), made(requantize), "requantize", outside_uses=True)
    yield FunctionRule(quantize_of(is_op("relu")(x)), made(before_relu), "quantize before relu")
    yield FunctionRule(quantize_of(moved), made(before_view), "quantize before a view")


def _op(value: Value) -> Operation:
    found = owner(value.value)
    assert found is not None, "the result of an op"
    return found


def leads_to_dequantize(value: SSAValue, known: set[SSAValue]) -> bool:
    """Return whether a value is a dequantized one, looking through single-use ops of the table.

    `known` holds values for which this was found before, so that a long chain is walked once.
    """
    way: list[SSAValue] = []
    found = owner(value)
    while value not in known and not isinstance(found, DequantizeOp):
        if not isinstance(found, THROUGH) or not found.results[0].has_one_use():
            return False
        way.append(value)
        value = found.operands[0]
        found = owner(value)
    known.update(way)
    return True


def _maker(view: Operation, after: QuantizeOp) -> Callable[..., Operation]:
    """Return a function that makes the same view of a quantized tensor."""
    type = view.results[0].type
    assert isinstance(type, TensorType)
    quantized = TensorType(type.shape, after.quantized)

    def make(*operands: SSAValue) -> Operation:
        return view.create(
            operands=operands, result_types=[quantized], properties=dict(view.properties)
        )

    return make
