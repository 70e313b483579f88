"""Nested tuples: of types, of values of a program, of numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.ops.core import TupleOp


def field(builder: BlockBuilder, value: Value, index: int, name: str | None = None) -> Value:
    """Return a field of a tuple: the operand of its construction, if known."""
    made = value.value.owner
    if isinstance(made, TupleOp):
        return Value(made.operands[index])
    return builder.emit(op.tuple_get_item(value, index), name)


def parts(builder: BlockBuilder, value: Value) -> Iterator[Value]:
    """Yield the tensors in a value, in order."""
    if isinstance(value.type, TupleType):
        for index in range(len(value.type.types)):
            yield from parts(builder, field(builder, value, index))
    else:
        yield value


def put_together(builder: BlockBuilder, type: Attribute, values: Iterator[Any]) -> Value:
    """Return a value of a type from the tensors in it, in order."""
    if isinstance(type, TupleType):
        return builder.emit(tuple(put_together(builder, part, values) for part in type.types.data))
    return builder.emit(next(values))


def map_arrays(function: Callable[[Any], Any], arrays: Any) -> Any:
    """Return the same tuples, with a function applied to each array."""
    if isinstance(arrays, tuple | list):
        return tuple(map_arrays(function, each) for each in arrays)
    return function(arrays)
