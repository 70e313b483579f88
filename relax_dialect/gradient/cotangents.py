"""Cotangents while they are collected: one for each tensor of floats in a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from xdsl.dialects.builtin import AnyFloat, TupleType
from xdsl.ir import Attribute, SSAValue

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.errors import GradientError
from relax_dialect.ir.types import FuncType, ObjectType, TensorType
from relax_dialect.ops.create import ZerosLikeOp
from relax_dialect.ops.scattering import IndexPutOp, ScatterOp
from relax_dialect.symbolic import provably_different

Path: TypeAlias = tuple[int, ...]
"""The path of a tensor in nested tuples; () is the value itself."""


def tensors(type: Attribute, path: Path = ()) -> Iterator[tuple[Path, TensorType]]:
    """Yield the tensors in a value of some type."""
    if isinstance(type, TupleType):
        for index, field in enumerate(type.types.data):
            yield from tensors(field, (*path, index))
    elif isinstance(type, TensorType):
        yield path, type


def leaves(type: Attribute) -> Iterator[tuple[Path, TensorType]]:
    """Return the tensors of floats in a value of some type, which have gradients."""
    return ((path, t) for path, t in tensors(type) if isinstance(t.dtype, AnyFloat))


def is_differentiable(type: Attribute) -> bool:
    """Return whether a value of some type has gradients."""
    return next(leaves(type), None) is not None


def is_opaque(type: Attribute) -> bool:
    """Return whether a value of some type is, or holds, a function value or an object."""
    if isinstance(type, TupleType):
        return any(map(is_opaque, type.types.data))
    return isinstance(type, FuncType | ObjectType)


def tensor_at(type: Attribute, path: Path) -> TensorType:
    """Return the type of the tensor at a path in a value."""
    for index in path:
        assert isinstance(type, TupleType)
        type = type.types.data[index]
    assert isinstance(type, TensorType)
    return type


def field(value: Any, path: Path) -> Any:
    """Return the tensor at a path in a value."""
    for index in path:
        value = op.tuple_get_item(value, index)
    return value


class Cotangents:
    """The sums of the cotangents found so far, by value of the program and path in it."""

    def __init__(self, builder: BlockBuilder):
        self._builder = builder
        self._found: dict[SSAValue, dict[Path, Value]] = {}

    def of(self, value: SSAValue) -> dict[Path, Value]:
        """Return the cotangents of the tensors in a value; missing ones are zero."""
        return self._found.get(value, {})

    def add(self, value: SSAValue, path: Path, like: Callable[[], Any] | None, found: Any) -> None:
        """Add an expression to the cotangent of a tensor; `like` computes the tensor.

        Broadcast axes are summed, unless `like` is None because the shapes are equal; a widened element
        type is converted back.
        """
        type = tensor_at(value.type, path)
        name = f"d_{value.name_hint}" if value.name_hint is not None else None
        new = self._fitted(self._builder.emit(found, name), like, type)
        known = self._found.setdefault(value, {})
        if path in known:
            new = self._builder.emit(_sum(known[path], new), name)
        known[path] = new

    def begin(self, value: SSAValue, path: Path, known: Value) -> None:
        """Set the cotangent of a tensor to a partial sum, replacing the previous one."""
        self._found.setdefault(value, {})[path] = known

    def take(self, value: SSAValue) -> dict[Path, Value]:
        """Return the same, and forget them."""
        return self._found.pop(value, {})

    def _fitted(self, found: Value, like: Callable[[], Any] | None, type: TensorType) -> Value:
        _refuse_other(found.type, type)
        assert isinstance(found.type, TensorType)
        if found.type.dtype != type.dtype and type.dtype is not None:
            found = self._builder.emit(found.astype(type.dtype))
        own = tensor_at(found.type, ())
        if own.shape is not None and None not in own.shape and own.shape == type.shape:
            return found
        if like is None:
            return self._builder.match_cast(found, TensorType(type.shape, own.dtype))
        return self._builder.emit(op.collapse_sum_like(found, like()))


def _sum(known: Value, new: Value) -> Any:
    """Return the sum of two cotangents; a scatter-add into zeros becomes a scatter-add into the other
    one."""
    scatter = new.value.owner
    if (
        not (isinstance(scatter, ScatterOp | IndexPutOp) and scatter.reduction == "add")
        or not isinstance(scatter.data.owner, ZerosLikeOp)
        or known.type != new.type
    ):
        return known + new
    whole = scatter.clone()
    whole.operands[0] = known.value
    return whole


class CotangentError(GradientError):
    """A cotangent that is none of the tensor that it is for; the message is its type."""


def _refuse_other(found: Attribute, type: TensorType) -> None:
    """Refuse a cotangent that is no tensor of floats, or whose shape does not reduce to that of the
    tensor by summing broadcast axes."""
    if not isinstance(found, TensorType) or not isinstance(found.dtype, AnyFloat | None):
        raise CotangentError(str(found))
    if found.shape is None or type.shape is None or found.shape == type.shape:
        return
    pairs = zip(reversed(found.shape), reversed(type.shape))
    fits = len(found.shape) >= len(type.shape) and not any(
        a is not None and b is not None and b.value != 1 and provably_different(a, b)
        for a, b in pairs
    )
    if not fits:
        raise CotangentError(str(found))
