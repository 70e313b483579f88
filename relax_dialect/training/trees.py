"""Nested tuples: of types, of values of a program, of numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value


def parts(builder: BlockBuilder, value: Value, type: Attribute | None = None) -> Iterator[Value]:
    """The tensors in a value, in order."""
    type = value.type if type is None else type
    if isinstance(type, TupleType):
        for index, field in enumerate(type.types.data):
            yield from parts(builder, builder.emit(op.tuple_get_item(value, index)), field)
    else:
        yield value


def put_together(builder: BlockBuilder, type: Attribute, values: Iterator[Any]) -> Value:
    """A value of a type from the tensors in it, in order."""
    if isinstance(type, TupleType):
        return builder.emit(
            tuple(put_together(builder, field, values) for field in type.types.data)
        )
    return builder.emit(next(values))


def map_arrays(function: Callable[[Any], Any], arrays: Any) -> Any:
    """The same tuples, with a function applied to each array."""
    if isinstance(arrays, tuple | list):
        return tuple(map_arrays(function, each) for each in arrays)
    return function(arrays)
