"""A node of the graph as its converter sees it: inputs, attributes, outputs, and the program to emit to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.context import Context
from relax_dialect.frontends.onnx.errors import OnnxError, shown
from relax_dialect.frontends.onnx.imported_values import (
    Array,
    Imported,
    Known,
    Shape,
    SizeArray,
    kind_of,
    numpy_dtype,
    tensor_type,
)
from relax_dialect.frontends.onnx.model.initializers import MOST_AXES
from relax_dialect.frontends.onnx.model.schemas import schema_defaults
from relax_dialect.frontends.onnx.name_scopes import GraphScope
from relax_dialect.frontends.onnx.node_attributes import value_of
from relax_dialect.frontends.onnx.node_refusals import Refusals
from relax_dialect.ir.types import Dim, TensorType

MISSING: Any = object()


class OnnxNode(Refusals):
    """A node with its inputs; its errors name the model and the node.

    Inputs are addressed by index. An input left out (an empty name, or missing at the end) is None.
    """

    def __init__(self, context: Context, scope: GraphScope, proto: Any, opset: int, index: int):
        self.context, self.scope, self.proto, self.index = context, scope, proto, index
        self.op_type: str = proto.op_type
        self.domain: str = proto.domain
        self.opset = opset
        """The version of the operator's domain that the model requires."""
        self.outputs: tuple[str, ...] = tuple(proto.output)
        self.inputs: tuple[Imported | None, ...] = tuple(map(self._found, proto.input))

    @property
    def folds(self) -> bool:
        """Returns whether every present input is known now, or an array of symbolic sizes."""
        return all(v is None or isinstance(v, Known | SizeArray) for v in self.inputs)

    def _found(self, name: str) -> Imported | None:
        if not name:
            return None
        found = self.context.look_up(self.scope, name)
        if found is None and name not in self.scope.left_out:
            what = f"the value {shown(name)} to be defined before"
            self.fail(what, "no such value", "correct the model")
        return found

    # Inputs -----------------------------------------------------------------------------------

    def has(self, place: int) -> bool:
        """Returns whether an input is present."""
        return place < len(self.inputs) and self.inputs[place] is not None

    def input(self, place: int) -> Imported:
        """Return an input as it is: known, sizes, a value of the program, a sequence, an optional
        (values.py)."""
        if not self.has(place):
            self.fail(f"an input at index {place}", "none", "correct the model")
        found = self.inputs[place]
        assert found is not None
        return found

    def tensor(self, place: int) -> Value:
        """Return an input as a value of the program; a known one becomes a constant here."""
        found = self.input(place)
        if not isinstance(found, Known | SizeArray | Value):
            expected = f"a tensor as input {self.input_text(place)}"
            self.fail(expected, kind_of(found), "correct the model")
        return self.context.placed(found)

    def scalar(self, place: int) -> Value:
        """Return an input of one element as a tensor of rank 0."""
        value = self.tensor(place)
        return self.emit(op.reshape(value, [])) if self.rank(place) else value

    def tensors(self, first: int = 0) -> list[Value]:
        """Return the inputs that are present, from an index on."""
        return [self.tensor(i) for i in range(first, len(self.inputs)) if self.has(i)]

    def optional(self, place: int) -> Value | None:
        """Return an input as a value of the program, or None if omitted."""
        return self.tensor(place) if self.has(place) else None

    def known(self, place: int) -> Array | None:
        """Return the array of an input, or None if it is omitted or known only at run time."""
        found = self.inputs[place] if self.has(place) else None
        if isinstance(found, Value):
            type = tensor_type(found)
            shape = (type and type.shape) or ()
            if any(d is not None and d.value == 0 for d in shape) and len(shape) == 1:
                return np.zeros(0, self.dtype(place))  # none of its elements is unknown
        return found.array if isinstance(found, Known) else None

    def array(self, place: int, default: Any = MISSING) -> Array:
        """Return the array of an input that must be known now; the default if omitted."""
        if default is not MISSING and not self.has(place):
            return default
        found = self.known(place)
        if found is None:
            raise self.error(
                f"expected input {self.input_text(place)} to be known when the model is imported, found "
                "one that is computed at run time; bind it to a value (bind={...}) if it is an input of "
                "the model"
            )
        return found

    def ints(self, place: int, default: Any = MISSING) -> list[int] | Any:
        """Return the integers of a known input, in one row."""
        if default is not MISSING and not self.has(place):
            return default
        return [int(v) for v in self.array(place).reshape(-1)]

    def sizes(self, place: int) -> Shape:
        """Return the elements of an input of integers in one row, as symbolic expressions.

        A vector that is computed at run time is checked there to hold sizes, which get fresh names.
        """
        found = self.input(place)
        if isinstance(found, Known):
            return tuple(symbolic.const(int(v)) for v in found.array.reshape(-1))
        if isinstance(found, SizeArray):
            return tuple(found.array.reshape(-1))
        return self._sizes_at_run_time(place)

    def size(self, place: int) -> symbolic.Expr:
        """Return the one element of an input of integers, as a symbolic expression."""
        found = self.sizes(place)
        if len(found) != 1:
            expected = f"input {self.input_text(place)} to have one element"
            self.fail(expected, f"{len(found)}", "correct the model")
        return found[0]

    def count(self, place: int) -> int:
        """Return the number of elements of an input that lists axes, a vector of known length, or a
        number."""
        shape = self.shape(place) or (symbolic.const(1),)
        length = shape[0].value if len(shape) == 1 else None
        if length is None:
            expected = f"input {self.input_text(place)} to be a vector of known length"
            self.fail(
                expected, str(self.tensor(place).value.type), "export the model with fixed ranks"
            )
        most = 2 * MOST_AXES  # before and after each
        if length > most:
            expected = (
                f"at most {most} elements of input {self.input_text(place)}, which counts axes"
            )
            self.fail(expected, str(length), "correct the model")
        return length

    def _sizes_at_run_time(self, place: int) -> Shape:
        count, vector = self.count(place), self.tensor(place)
        if self.dtype(place) != np.int64:
            vector = self.emit(vector.astype("i64"))
        if self.rank(place) == 0:
            vector = self.emit(op.reshape(vector, [1]))
        return self.sizes_from(vector, count, self.proto.input[place])

    def sizes_from(self, vector: Value, count: int, wish: str = "n") -> Shape:
        """Return names for the elements of a vector of i64, which is checked to hold sizes: its earlier
        names, or fresh ones."""
        names = self.context.vectors.find(vector.value)
        if names is None:
            names = tuple(self.fresh_size(f"{wish}_{i}") for i in range(count))
            self.context.builder.match_shape(self.emit(op.tensor_to_shape(vector)), names)
            self.context.vectors.add(vector.value, names)
        return names

    def shape(self, place: int, rank: int | None = None) -> Shape:
        """Return the sizes of an input, whose rank must be known, and be `rank` if that is not None."""
        found = self.input(place)
        if isinstance(found, Known | SizeArray):
            shape = found.shape
        else:
            shape = self.shape_of(self.tensor(place), self.input_text(place))
        if rank is not None and len(shape) != rank:
            what = f"input {self.input_text(place)} of rank {rank}"
            self.fail(what, f"sizes [{', '.join(map(str, shape))}]", "correct the model")
        return shape

    def shape_of(self, value: Value, what: str = "a value") -> Shape:
        """Return the sizes of a value of the program, whose rank must be known."""
        type = tensor_type(value)
        if type is None or type.shape is None or None in type.shape:
            self.fail(
                f"{what} to have a known rank",
                str(value.value.type),
                "set the shapes of the model's inputs (dims={...})",
            )
        return type.shape  # pyright: ignore[reportReturnType]

    def rank(self, place: int) -> int:
        """Return the rank of an input, which must be known."""
        return len(self.shape(place))

    def dtype(self, place: int) -> np.dtype[Any]:
        """Return the element type of an input, as numpy's."""
        found = self.input(place)
        if isinstance(found, Known | SizeArray):
            return found.dtype
        type = tensor_type(self.tensor(place))
        dtype = None if type is None else numpy_dtype(type.dtype)
        if dtype is None:
            text = str(self.tensor(place).value.type)
            self.fail(
                f"input {self.input_text(place)} to be a tensor of numbers",
                text,
                "correct the model",
            )
        return dtype

    def input_text(self, place: int) -> str:
        """Describe an input in an error: its index and its name."""
        named = self.proto.input[place : place + 1]
        return f"{place} ({shown(named[0])})" if named else f"{place}"

    # Attributes -------------------------------------------------------------------------------

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes that are set in the node, by name."""
        return {a.name: a for a in self.proto.attribute}

    def attr(self, name: str, default: Any = MISSING) -> Any:
        """Return an attribute: a number, string, list of these, array or graph.

        If the node does not have it, the default is `default`, else that of the operator's definition, else
        None.
        """
        for attribute in self.proto.attribute:
            if attribute.name == name:
                try:
                    return value_of(attribute, self.context.folder)
                except OnnxError as error:
                    raise self.error(str(error)) from None
        if default is not MISSING:
            return default
        return schema_defaults(self.op_type, self.domain, self.opset).get(name)

    def choice(self, name: str, table: Mapping[str, Any], default: Any = MISSING) -> Any:
        """Return the entry of a table for an attribute that is one of its keys."""
        word = self.attr(name, default)
        if word not in table:
            words = ", ".join(map(repr, table))
            self.fail(f"an attribute {name} among {words}", repr(word), "correct the model")
        return table[word]

    def axis(self, rank: int, name: str = "axis", default: Any = MISSING) -> int:
        """Return an attribute that is an axis of a tensor of a rank, counted from the front."""
        return self.checked_axis(self.attr(name, default), rank)

    def checked_axis(self, axis: int, rank: int) -> int:
        """Return an axis counted from the front."""
        if not -rank <= axis < rank:
            self.fail(f"an axis within -{rank}..{rank - 1}", str(axis), "correct the model")
        return axis % rank

    # The program ------------------------------------------------------------------------------

    def emit(self, expression: object) -> Any:
        """Emit an expression of the builder now, so that its type is known; returns its value or values."""
        return self.context.builder.emit(expression)

    def fresh_size(self, wish: str = "n") -> symbolic.Expr:
        """Return a fresh symbolic variable, to be defined by match_cast."""
        return self.context.size_names.fresh(wish)

    def with_known_sizes(self, value: Value) -> Value:
        """Name the unknown sizes of a value, by a match_cast."""
        return self.context.with_known_sizes(value, value.value.name_hint or "")

    def with_first_size(self, value: Value, size: symbolic.Expr) -> Value:
        """Check the size of a value along its first axis."""
        type = tensor_type(value)
        assert type is not None and type.shape is not None
        return self.with_sizes(value, [size, *type.shape[1:]])

    def with_sizes(self, value: Value, sizes: Sequence[Dim]) -> Value:
        """Check the sizes of a value."""
        type = tensor_type(value)
        assert type is not None
        return self.context.builder.match_cast(value, TensorType(sizes, type.dtype))
