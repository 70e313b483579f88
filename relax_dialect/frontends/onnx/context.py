"""The state that the nodes of a model share during import: the builder, the names of sizes, constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.ir import SSAValue

from relax_dialect import symbolic
from relax_dialect.builder import Value, const, op
from relax_dialect.frontends.graph_builder import GraphBuilder
from relax_dialect.frontends.onnx.errors import OnnxError
from relax_dialect.frontends.onnx.imported_values import (
    Array,
    Imported,
    Known,
    SizeArray,
    is_natural,
    kind_of,
    tensor_type,
)
from relax_dialect.frontends.onnx.model.initializers import array_of
from relax_dialect.frontends.onnx.name_hints import SizeNames
from relax_dialect.frontends.onnx.name_scopes import GraphScope, PlacedValues
from relax_dialect.ir.spelling import as_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.symbolic import Expr


class Context:
    """The state of one import."""

    def __init__(self, name: str, folder: Path | None, *, owned: bool):
        self.name, self.folder = name, folder
        self.owned = owned
        """Whether this import owns the model, so that data may be removed from it once read."""
        self.builder = GraphBuilder()
        self.size_names = SizeNames()
        self.placed_values = PlacedValues()
        self.long_sizes = PlacedValues()
        """Names of sizes that are long, or joins, by the size."""
        self.vectors = PlacedValues()
        """Names of the elements of vectors computed at run time, by the vector."""
        self.loops: dict[tuple[int, int], Any] = {}
        """Results of conversions of loops, by the identity of their nodes (loops.py)."""

        self.arrays: dict[int, tuple[Any, Known]] = {}
        """Initializers that were read, with their tensors, by the identity of the tensor: a graph in a
        node may be converted several times."""
        self.stopping_branches: dict[int, tuple[str, str, Any]] = {}
        """Of an `If`, by identity: the branch that cannot be right, the reason, the node (branches.py)."""
        self.comparisons: dict[SSAValue, tuple[str, Array, Array]] = {}
        """Of values that compare sizes: the operator and both operands (shape_arithmetic.py)."""
        self.bodies: dict[int, tuple[Any, Any, Sequence[Any]]] = {}
        """Of a call, by identity: the node, the function, the nodes of its body (functions.py)."""
        self.nodes_left = 0
        """The number of nodes that iterations of loops may still become; the importer sets it."""
        self.is_trial = False
        """Whether the ops emitted now are discarded again (a trial of a conversion)."""
        self.convert: Callable[[Sequence[Any], GraphScope], None]
        """Converts the nodes of a graph inside of a node; the importer sets it."""
        self.convert_one: Callable[[GraphScope, int], None]
        """Converts a node of a scope out of order; the importer sets it."""

    @contextmanager
    def region(self) -> Iterator[None]:
        """Open a region: values built inside are not visible outside, as in a branch."""
        memos = self.placed_values, self.long_sizes, self.vectors
        for memo in memos:
            memo.open()
        try:
            yield
        finally:
            for memo in memos:
                memo.close()

    def look_up(self, scope: GraphScope, name: str) -> Imported | None:
        """Return the value of a name in a scope, or None."""
        holder = scope.holder(name)
        if holder is None:
            return None
        if name not in holder.values:
            holder.values[name] = self.known(holder.initializers[name])
        return holder.values[name]

    def known(self, tensor: Any) -> Known:
        """Return the array of a tensor in the model, which is read once."""
        if id(tensor) in self.arrays:
            return self.arrays[id(tensor)][1]
        try:
            array = array_of(tensor, self.folder)
        except OnnxError as error:
            raise OnnxError(f"{self.name}: {error}") from None
        if self.owned:
            tensor.ClearField("raw_data")
        found = Known(array, tensor.name)
        self.arrays[id(tensor)] = tensor, found
        return found

    def placed(self, value: Imported) -> Value:
        """Return a value as one of the program: a known one becomes a constant, once in each scope."""
        if isinstance(value, Value):
            return value
        if not isinstance(value, Known | SizeArray | tuple):
            raise OnnxError(
                f"{self.name}: expected tensors, and sequences whose length is known when the model is "
                f"imported, where values leave a graph, found {kind_of(value)}; join what it holds "
                "(ConcatFromSequence), or bind the inputs on which its length depends"
            )
        found = self.placed_values.find(value)
        if found is None:
            found = self._made(value)
            self.placed_values.add(value, found)
        return found

    def _made(self, value: Known | SizeArray | tuple[Any, ...]) -> Value:
        builder = self.builder
        if isinstance(value, tuple):
            return builder.emit([self.placed(field) for field in value])
        if isinstance(value, Known):
            return builder.emit(const(value.array), value.name or None)
        sizes = [symbolic.as_expr(size) for size in value.array.reshape(-1)]
        if all(map(is_natural, sizes)):
            made: Any = op.shape_to_tensor(op.shape(sizes))
        else:
            scalars = [op.scalar_to_tensor(op.symbolic_value(size)) for size in sizes]
            made = op.concat([op.reshape(scalar, [1]) for scalar in scalars])
        if value.array.ndim != 1:
            made = op.reshape(made, value.array.shape)
        if value.dtype != np.int64:
            made = op.astype(made, as_dtype(value.dtype))
        return builder.emit(made, value.name or None)

    def unpacked(self, value: Value, name: str, scope: GraphScope | None = None) -> Imported:
        """Convert a value of the program to one of the graph: a tuple is a sequence, sizes have names, and
        the sizes that the scope declares are witnesses."""
        if not isinstance(value.value.type, TupleType):
            return self.with_known_sizes(value, name, scope)
        count = len(value.value.type.types)
        fields = [self.builder.emit(op.tuple_get_item(value, i)) for i in range(count)]
        return tuple(self.unpacked(field, f"{name}_{i}") for i, field in enumerate(fields))

    def with_known_sizes(self, value: Value, name: str, scope: GraphScope | None = None) -> Value:
        """Check and name the unknown sizes of a value at run time, so that all have names."""
        type = tensor_type(value)
        if type is None or type.shape is None or all(map(is_clear, type.shape)):
            return value
        declared = self._declared(name, len(type.shape), scope)
        sizes = [
            d if d is not None and is_clear(d) else self._named(d, f"{name}_{i}", declared[i])
            for i, d in enumerate(type.shape)
        ]
        if sizes == list(type.shape):
            return value
        made = self.builder.match_cast(value, TensorType(sizes, type.dtype), name or None)
        for old, new in zip(type.shape, sizes):
            if old is not None and old is not new:
                self.long_sizes.add(old, new)
        return made

    def _declared(self, name: str, rank: int, scope: GraphScope | None) -> Sequence[Expr | None]:
        """Return the sizes that a scope declares for a value, as far as they are known here."""
        dims = None if scope is None else scope.declared_dims(name)
        if dims is None or len(dims) != rank:
            return [None] * rank
        defined = self.builder.defined_sizes()
        found = [self.size_names.known(dim) for dim in dims]
        return [
            d if d is not None and defined.issuperset(d.free_variables) else None for d in found
        ]

    def _named(self, size: Expr | None, wish: str, declared: Expr | None) -> Expr:
        """Return a size that is unknown, too long or of a join, as the declared one or under a new name.

        A declared size is a witness only for a join of it: elsewhere exporters write sizes of an example.
        """
        if size is None:
            return self.size_names.fresh(wish)
        if declared is not None and declared in symbolic.broadcast_parts(size):
            return declared
        known = self.long_sizes.find(size)
        if known is not None:
            return known
        return size if is_short(size) else self.size_names.fresh(wish)


MOST_TERMS = 10
"""The most terms of a size in a type; a longer one gets a name."""
MOST_PARTS = 40
"""The most variables, numbers and operations of a size in a type."""


def is_short(size: Expr) -> bool:
    """Returns whether a size is short enough for types."""
    return len(size.terms) <= MOST_TERMS and size.size <= MOST_PARTS


def is_clear(size: Expr | None) -> bool:
    """Returns whether a size is known, short, and no join of sizes that may differ."""
    return size is not None and is_short(size) and "broadcast" not in str(size)
