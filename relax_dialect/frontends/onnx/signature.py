"""The inputs of a model: their types, their sizes, and what stands for one that is bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from relax_dialect.frontends.onnx.context import Context
from relax_dialect.frontends.onnx.dtypes import numpy_of
from relax_dialect.frontends.onnx.errors import OnnxError, shown
from relax_dialect.frontends.onnx.names import is_named
from relax_dialect.ir.types import TensorType, as_dtype
from relax_dialect.symbolic import Expr

Dims = Mapping[str, "int | Sequence[int | str | None]"]


class Signature:
    """What a graph takes, with the sizes that `dims` fixes and the inputs that `bind` makes constants."""

    def __init__(self, graph: Any, context: Context, dims: Dims, bind: Mapping[str, Any]):
        self.graph, self.name, self.size_names = graph, context.name, context.size_names
        self.dims, self.bind = dims, bind

    def refuse_unknown_names(self) -> None:
        graph = self.graph
        if not graph.output:
            raise OnnxError(
                f"{self.name}: expected a graph with outputs, found none; correct the model"
            )
        inputs = {value.name: value for value in graph.input}
        sizes = {
            d.dim_param
            for v in graph.input
            for d in v.type.tensor_type.shape.dim
            if is_named(d.dim_param)
        }
        for name in self.bind:
            if name not in inputs:
                known = ", ".join(map(shown, inputs)) or "there is none"
                raise OnnxError(
                    f"{self.name}: bind: expected the name of an input ({known}), found {shown(name)}"
                )
        for name, given in self.dims.items():
            is_size = isinstance(given, int)  # else the shape of an input
            if name not in sizes and (is_size or name not in inputs):
                names = sorted(sizes) if is_size else [*sorted(sizes), *inputs]
                raise OnnxError(
                    f"{self.name}: dims: expected the name of a size{'' if is_size else ' or an input'} "
                    f"({', '.join(map(shown, names)) or 'there is none'}), found {shown(name)}"
                )

    def type_of(self, value: Any) -> Attribute:
        """The type of an input."""
        what = f"{self.name}: input {shown(value.name)}"
        kind = value.type.WhichOneof("value")
        if kind != "tensor_type":
            raise OnnxError(
                f"{what}: expected a tensor, found {(kind or 'no type').removesuffix('_type')}; export the "
                "model with tensors as inputs"
            )
        tensor = value.type.tensor_type
        try:
            dtype = as_dtype(numpy_of(tensor.elem_type))
        except OnnxError as error:
            raise OnnxError(f"{what}: {error}") from None
        given = self.dims.get(value.name)
        if given is not None and not isinstance(given, int):
            return TensorType(
                [self._given_size(d, value.name, i) for i, d in enumerate(given)], dtype
            )
        if not tensor.HasField("shape"):
            return TensorType(None, dtype)
        sizes = [self._size(d, value.name, i) for i, d in enumerate(tensor.shape.dim)]
        return TensorType(sizes, dtype)

    def _size(self, dim: Any, name: str, axis: int) -> Expr | int:
        if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0:
            return dim.dim_value
        given = self.dims.get(dim.dim_param)
        if isinstance(given, int):
            return given
        if is_named(dim.dim_param):
            return self.size_names.of(dim.dim_param)
        return self.size_names.fresh(f"{name}_{axis}")

    def _given_size(self, size: int | str | None, name: str, axis: int) -> Expr | int:
        if isinstance(size, int):
            return size
        names = self.size_names
        return names.fresh(f"{name}_{axis}") if size is None else names.of(size)

    def bound(self, value: Any) -> np.ndarray[Any, Any]:
        """The array that an input is bound to, of the input's element type."""
        dtype = numpy_of(value.type.tensor_type.elem_type)
        array = np.asarray(self.bind[value.name])
        if array.dtype != dtype:
            with np.errstate(all="ignore"):
                changed = array.astype(dtype)
            is_rounded = array.dtype.kind == changed.dtype.kind == "f" and np.array_equal(
                np.isfinite(changed), np.isfinite(array)
            )
            if not is_rounded and not np.array_equal(changed, array):
                raise OnnxError(
                    f"{self.name}: bind: expected an array of {dtype} for the input {shown(value.name)}, "
                    f"found one of {array.dtype}; convert it"
                )
            array = changed
        return array
