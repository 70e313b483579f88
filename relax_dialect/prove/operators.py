"""Operators whose results are computed element by element: on elements, views, and numbers everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.ir import Operation

from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import activation, binary, unary
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.create import FillOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.kinds import K_BROADCAST, pattern_kind
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.ops.ternary import ClipOp, MaskedFillOp
from relax_dialect.prove.index_maps import IndexMaps
from relax_dialect.prove.scalars.scalar_casts import cast
from relax_dialect.prove.scalars.scalar_ops import TABLES, apply, maximum, minimum
from relax_dialect.prove.scalars.scalar_types import number
from relax_dialect.prove.scalars.terms import Terms
from relax_dialect.prove.value_terms import Index, Keys, TensorTerm, Value, as_tensor
from relax_dialect.symbolic import Expr, broadcast

Operator = Callable[[Any, int, Sequence[Value], IndexMaps], TensorTerm]
"""Returns the result of an op, from its key and operands."""

FAMILIES = {family.__name__ for family in (unary, binary, activation)}
TERNARY = {"relax.where", "relax.ewise_fma", "relax.lerp"}


def is_elementwise(op: Operation) -> bool:
    """Return whether an element of the result is a function of the elements that broadcast to its index.

    The slopes of prelu lie along an axis, and do not broadcast.
    """
    if op.name in TERNARY:
        return True
    kind = type(op)
    is_known = kind.__module__ in FAMILIES and pattern_kind(op) <= K_BROADCAST
    return is_known and kind is not activation.PreluOp


def _result(
    op: Operation,
    key: int,
    element: Callable[[Terms, Index, TensorTerm], Any],
    operands: Sequence[TensorTerm] = (),
) -> TensorTerm:
    """Return the result of an op as a tensor, from its elements; unknown sizes are those that the
    operands broadcast to."""
    type = op.results[0].type
    assert isinstance(type, TensorType) and type.shape is not None
    rank = len(type.shape)
    shape = [
        _spread(operands, axis - rank) if size is None else size
        for axis, size in enumerate(type.shape)
    ]
    result = TensorTerm(
        key, tuple(shape), type.dtype, lambda terms, index: element(terms, index, result)
    )
    return result


def _spread(operands: Sequence[TensorTerm], axis: int) -> Expr:
    """Return the size that tensors broadcast to along an axis, counted from the last."""
    return broadcast(*(x.shape[axis] for x in operands if len(x.shape) >= -axis))


def on_elements(op: Operation, key: int, operands: Sequence[Value], views: IndexMaps) -> TensorTerm:
    """Return an operator on elements of tensors that broadcast."""
    tensors = [as_tensor(operand, op.name) for operand in operands]
    name = op.name.removeprefix("relax.")

    def element(terms: Terms, index: Index, result: TensorTerm) -> Any:
        args = [x.at(terms, views.broadcast(index, x.shape, result.shape)) for x in tensors]
        types = [x.type for x in tensors]
        if name == "where":
            return terms.choose(args[0], args[1], args[2])
        if name in TABLES[types[0].kind] and len(set(types)) == 1:
            return apply(terms, name, types[0], *args)
        header = (name, tuple(sorted(op.properties.items())), tuple(map(str, types)))
        return terms.function(header, args, result.type.sort)

    return _result(op, key, element, tensors)


def _constant(op: ConstantOp, key: int, operands: Sequence[Value], views: IndexMaps) -> TensorTerm:
    def element(terms: Terms, index: Index, result: TensorTerm) -> Any:
        type, array = result.type, from_dense(op.value)
        position = [i.value for i in index]
        if array.size and array.tobytes() == array.flat[0].tobytes() * array.size:
            return number(array.flat[0], type)
        if None not in position:
            return number(array[tuple(position)], type)
        return terms.leaf((key, index), type.sort)

    return _result(op, key, element)


def _filled(op: FillOp, key: int, operands: Sequence[Value], views: IndexMaps) -> TensorTerm:
    def element(terms: Terms, index: Index, result: TensorTerm) -> Any:
        if op.NUMBER is not None:
            return number(op.NUMBER, result.type)
        filling = as_tensor(operands[-1], op.name)
        return cast(filling.at(terms, ()), filling.type, result.type)

    return _result(op, key, element, [x for x in operands[:1] if isinstance(x, TensorTerm)])


def _cast(op: AstypeOp, key: int, operands: Sequence[Value], views: IndexMaps) -> TensorTerm:
    x = as_tensor(operands[0], op.name)
    return _result(op, key, lambda terms, i, result: cast(x.at(terms, i), x.type, result.type), [x])


def _clip(op: ClipOp, key: int, operands: Sequence[Value], views: IndexMaps) -> TensorTerm:
    x = as_tensor(operands[0], op.name)

    def element(terms: Terms, index: Index, result: TensorTerm) -> Any:
        found, type = x.at(terms, index), result.type
        found = found if op.min is None else maximum(type, found, number(op.min, type))
        return found if op.max is None else minimum(type, found, number(op.max, type))

    return _result(op, key, element, [x])


def _masked_fill(
    op: MaskedFillOp, key: int, operands: Sequence[Value], views: IndexMaps
) -> TensorTerm:
    x, mask = (as_tensor(operand, op.name) for operand in operands)

    def element(terms: Terms, index: Index, result: TensorTerm) -> Any:
        old, hides = (v.at(terms, views.broadcast(index, v.shape, result.shape)) for v in (x, mask))
        return terms.choose(hides, number(op.value, result.type), old)

    return _result(op, key, element, [x, mask])


def _permuted(
    op: PermuteDimsOp, key: int, operands: Sequence[Value], views: IndexMaps
) -> TensorTerm:
    x = as_tensor(operands[0], op.name)
    order = op.permutation(len(x.shape))

    def element(terms: Terms, index: Index, result: TensorTerm) -> Any:
        return x.at(terms, tuple(index[order.index(axis)] for axis in range(len(order))))

    return _result(op, key, element)


def _viewed(op: Operation, key: int, operands: Sequence[Value], views: IndexMaps) -> TensorTerm:
    x = as_tensor(operands[0], op.name)
    return _result(
        op, key, lambda terms, i, result: x.at(terms, views.view(i, result.shape, x.shape))
    )


def _broadcast(op: Operation, key: int, operands: Sequence[Value], views: IndexMaps) -> TensorTerm:
    x = as_tensor(operands[0], op.name)
    return _result(
        op, key, lambda terms, i, result: x.at(terms, views.broadcast(i, x.shape, result.shape))
    )


def spread(x: TensorTerm, shape: Index, keys: Keys, views: IndexMaps) -> TensorTerm:
    """Return a tensor broadcast to a shape."""
    return TensorTerm(
        keys.of("spread", x.key, shape),
        shape,
        x.dtype,
        lambda terms, index: x.at(terms, views.broadcast(index, x.shape, shape)),
    )


VIEWS = ("reshape", "flatten", "batch_flatten", "expand_dims", "squeeze")
FILLS = ("full", "full_like", "zeros", "zeros_like", "ones", "ones_like")

OPERATORS: Mapping[str, Operator] = {
    "relax.constant": _constant,
    **{f"relax.{name}": _filled for name in FILLS},
    "relax.astype": _cast,
    "relax.clip": _clip,
    "relax.masked_fill": _masked_fill,
    "relax.permute_dims": _permuted,
    **{f"relax.{name}": _viewed for name in VIEWS},
    "relax.broadcast_to": _broadcast,
}
"""Operators other than functions of scalars."""
