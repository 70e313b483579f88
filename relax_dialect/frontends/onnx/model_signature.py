"""The inputs of a model: their types, their sizes, and the values of bound inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from relax_dialect.frontends.onnx.context import Context
from relax_dialect.frontends.onnx.errors import OnnxError, shown
from relax_dialect.frontends.onnx.imported_values import NOTHING, Array, Imported, Known
from relax_dialect.frontends.onnx.name_hints import is_named
from relax_dialect.frontends.onnx.onnx_dtypes import numpy_of
from relax_dialect.frontends.onnx.size_expressions import expressions_among, fixed_variables
from relax_dialect.ir.spelling import as_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.symbolic import Expr
from relax_dialect.text.wording import nearest

Size = int | str | None
Dims = Mapping[str, "int | Sequence[Size] | Sequence[Sequence[Size]]"]


class Signature:
    """The inputs of a graph, with the sizes that `dims` fixes and the inputs that `bind` makes
    constants."""

    def __init__(self, graph: Any, context: Context, dims: Dims, bind: Mapping[str, Any]):
        self.graph, self.name, self.size_names = graph, context.name, context.size_names
        self.dims, self.bind = dims, bind
        self.inputs = {value.name: value for value in graph.input}
        self.fixed = {name: given for name, given in dims.items() if isinstance(given, int)}
        """Sizes by name: from `dims`, and from bound arrays."""
        self.expressions = expressions_among(self._declared_names())
        """The names of sizes that are expressions of others."""

    def _declared_names(self) -> Iterator[str]:
        """Yield the names of the sizes of the parameters."""
        constants = {each.name for each in self.graph.initializer}
        for name, value in self.inputs.items():
            given = self.dims.get(name)
            if name in self.bind or name in constants:
                continue
            if isinstance(given, Sequence):
                yield from (size for size in given if isinstance(size, str))
            else:
                yield from (d.dim_param for d in _tensor_of(value.type).shape.dim if d.dim_param)

    def define_expressions(self) -> None:
        """Define the names of sizes that are expressions, in terms of the others and of fixed sizes."""
        known, wrong = fixed_variables(self.fixed, self.expressions)
        if wrong:
            raise OnnxError(
                f"{self.name}: dims: expected a value of {shown(wrong)} for integers of at least 0, found "
                f"{self.fixed[wrong]}; correct it"
            )
        self.fixed = known | self.fixed
        for text, size in self.expressions.items():
            sizes = {v: self.fixed.get(v, self.size_names.of(v)) for v in size.free_variables}
            self.size_names.define(text, size.substitute(sizes))

    def refuse_unknown_names(self) -> None:
        """Refuse bindings of unknown inputs and sizes, and inputs with one name."""
        for what, named in (("input", self.graph.input), ("initializer", self.graph.initializer)):
            names = [value.name for value in named]
            twice = next((n for n, count in Counter(names).items() if count > 1), None)
            if twice is not None:
                raise OnnxError(
                    f"{self.name}: {what} {shown(twice)}: expected every value to be defined once, found "
                    "it twice; correct the model"
                )
        if not self.graph.output:
            raise OnnxError(
                f"{self.name}: expected a graph with outputs, found none; correct the model"
            )
        sizes = {
            d.dim_param
            for v in self.graph.input
            for d in _tensor_of(v.type).shape.dim
            if is_named(d.dim_param)
        }
        sizes.update(v for size in self.expressions.values() for v in size.free_variables)
        for name in self.bind:
            if name not in self.inputs:
                raise OnnxError(
                    f"{self.name}: bind: expected the name of an input {_among(self.inputs, name)}"
                )
        lengths = [n for n, v in self.inputs.items() if _kind(v.type) == "sequence_type"]
        for name, given in self.dims.items():
            is_size = isinstance(given, int)  # else the shape of an input
            if name not in sizes and name not in (lengths if is_size else self.inputs):
                names = [*sorted(sizes), *(lengths if is_size else self.inputs)]
                what = "a size" if is_size else "a size or an input"
                raise OnnxError(
                    f"{self.name}: dims: expected the name of {what} {_among(names, name)}"
                )

    # Types ------------------------------------------------------------------------------------

    def type_of(self, value: Any) -> Attribute:
        """Return the type of an input: a tensor, or a tuple of tensors for a sequence."""
        name, kind = value.name, _kind(value.type)
        given = self.dims.get(name)
        dtype = as_dtype(self._dtype(value))
        if kind != "sequence_type":
            shape = given if given is not None and not isinstance(given, int) else None
            return TensorType(self._sizes(value, name, shape), dtype)
        if given is None:
            raise OnnxError(
                f"{self.name}: input {shown(name)}: expected a sequence of known length, found an unknown "
                f"one; set it (dims={{{name!r}: 3}}, or a shape for each element), or bind the input"
            )
        shapes = [None] * given if isinstance(given, int) else list(given)
        fields = [
            TensorType(self._sizes(value, f"{name}_{i}", shape), dtype)
            for i, shape in enumerate(shapes)
        ]
        return TupleType(tuple(fields))

    def _dtype(self, value: Any) -> np.dtype[Any]:
        """Return the element type of an input, which must be a supported one."""
        kinds = [name.removesuffix("_type") for name in _kinds(value.type)]
        if kinds not in (["tensor"], ["sequence", "tensor"]):
            self._fail(
                value,
                "expected a tensor, or a sequence or optional of tensors, found "
                f"{' of '.join(kinds) or 'none'}; export the model with tensors as inputs",
            )
        try:
            return numpy_of(_tensor_of(value.type).elem_type)
        except OnnxError as error:
            self._fail(value, str(error))

    def _sizes(self, value: Any, name: str, given: Any) -> list[Expr | int] | None:
        """Return the sizes of a tensor, from `dims` or as the model declares them."""
        tensor = _tensor_of(value.type)
        if given is not None:
            if isinstance(given, int | str) or not all(
                d is None or isinstance(d, int | str) for d in given
            ):
                self._fail(value, f"dims: expected a shape, as [2, 'n', None], found {given!r}")
            return [self._given_size(d, name, i) for i, d in enumerate(given)]
        if not tensor.HasField("shape"):
            return None
        return [self._size(d, name, i) for i, d in enumerate(tensor.shape.dim)]

    def _size(self, dim: Any, name: str, axis: int) -> Expr | int:
        if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0:
            return dim.dim_value
        if dim.dim_param in self.fixed:
            return self.fixed[dim.dim_param]
        if is_named(dim.dim_param):
            return self.size_names.of(dim.dim_param)
        return self.size_names.fresh(f"{name}_{axis}")

    def _given_size(self, size: Size, name: str, axis: int) -> Expr | int:
        if isinstance(size, int):
            return size
        names = self.size_names
        return names.fresh(f"{name}_{axis}") if size is None else names.of(size)

    # Bound inputs -----------------------------------------------------------------------------

    def bound(self) -> Iterator[tuple[str, Imported]]:
        """Yield the values of the bound inputs: arrays, tuples for sequences, or nothing."""
        for name, given in self.bind.items():
            value = self.inputs[name]
            is_optional = value.type.WhichOneof("value") == "optional_type"
            if given is None and is_optional:
                yield name, NOTHING
            elif _kind(value.type) == "sequence_type":
                if not isinstance(given, Sequence) or isinstance(given, str):
                    found = type(given).__name__
                    self._fail(value, f"bind: expected a list of arrays, found {found}")
                yield name, tuple(Known(self._array(value, a)) for a in given)
            else:
                yield name, Known(self._array(value, given), name)

    def _array(self, value: Any, given: Any) -> Array:
        """Convert a bound value to an array of the input's element type, and check its sizes."""
        dtype = self._dtype(value)
        try:
            array = np.asarray(given)
        except ValueError:
            self._fail(value, f"bind: expected an array, found {type(given).__name__}")
        if array.dtype.kind not in "biufV" and array.dtype.name != dtype.name:
            self._fail(value, f"bind: expected an array of {dtype}, found one of {array.dtype}")
        if array.dtype != dtype:
            array = self._converted(value, array, dtype)
        self._check_sizes(value, array)
        return array

    def _converted(self, value: Any, array: Array, dtype: np.dtype[Any]) -> Array:
        with np.errstate(all="ignore"):
            changed = array.astype(dtype)
        is_rounded = array.dtype.kind == changed.dtype.kind == "f" and np.array_equal(
            np.isfinite(changed), np.isfinite(array)
        )
        if not is_rounded and not np.array_equal(changed, array):
            self._fail(
                value,
                f"bind: expected an array of {dtype}, found one of {array.dtype}; convert it",
            )
        return changed

    def _check_sizes(self, value: Any, array: Array) -> None:
        tensor = _tensor_of(value.type)
        if not tensor.HasField("shape"):
            return
        dims = tensor.shape.dim
        declared = [
            dim.dim_value
            if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0
            else self.fixed.get(dim.dim_param)
            for dim in dims
        ]
        if len(declared) != array.ndim or any(
            d is not None and d != size for d, size in zip(declared, array.shape)
        ):
            shape = [d if d is not None else dim.dim_param or "?" for d, dim in zip(declared, dims)]
            text = ", ".join(map(str, shape))
            self._fail(
                value,
                f"bind: expected an array of shape [{text}], found {list(array.shape)}",
            )
        if _kind(value.type) == "tensor_type":
            named = {
                dim.dim_param: size
                for dim, size in zip(dims, array.shape)
                if is_named(dim.dim_param)
            }
            self.fixed.update(named)

    def _fail(self, value: Any, message: str) -> NoReturn:
        raise OnnxError(f"{self.name}: input {shown(value.name)}: {message}")


def _kinds(type: Any) -> list[str]:
    """Return the kind of a type, and of its element; an optional has the kind of its element."""
    found: list[str] = []
    while kind := type.WhichOneof("value"):
        if kind != "optional_type" or found:
            found.append(kind)
        if kind not in ("optional_type", "sequence_type"):
            break
        type = getattr(type, kind).elem_type
    return found


def _kind(type: Any) -> str:
    return next(iter(_kinds(type)), "")


def _tensor_of(type: Any) -> Any:
    """Return the type of a tensor, or of the tensors in a sequence or optional."""
    while type.WhichOneof("value") in ("optional_type", "sequence_type"):
        type = getattr(type, type.WhichOneof("value")).elem_type
    return type.tensor_type


LISTED = 8
"""The number of names of a model that an error lists."""


def _among(names: Collection[str], found: str) -> str:
    """List the names, the name found, and the mend."""
    some = [shown(name) for name in list(names)[:LISTED]]
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    close = nearest(found, names)
    mend = (
        f"the nearest is {shown(close)}"
        if close
        else "correct the name"
        if names
        else "leave it out"
    )
    return f"({', '.join(some) or 'there is none'}{more}), found {shown(found)}; {mend}"
