"""Tensors that a model holds: raw data, typed fields, and data in files of the model's folder."""

from __future__ import annotations

import os
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from relax_dialect import mapped_data
from relax_dialect.frontends.onnx.errors import OnnxError, shown
from relax_dialect.frontends.onnx.imported_values import Array
from relax_dialect.frontends.onnx.onnx_dtypes import code_names, numpy_of
from relax_dialect.interpret.stored_values import unpacked
from relax_dialect.ir.storage import MLIR_NAMES, STORAGE, per_byte
from relax_dialect.text.regular_files import open_inside

EXTERNAL = 1
"""The `data_location` of a tensor whose data is in a separate file."""


MOST_AXES = 64
"""The most axes that an array of numpy has."""


def array_of(tensor: Any, folder: Path | None) -> Array:
    """Return the array of a TensorProto; external data is read only from inside of the folder."""
    name = f"tensor {shown(tensor.name)}"
    dims = tuple(tensor.dims)
    if any(d < 0 for d in dims):
        raise OnnxError(
            f"{name}: expected sizes of at least 0, found {list(dims)}; correct the model"
        )
    if len(dims) > MOST_AXES or prod(d for d in dims if d) >= 1 << 63:
        raise OnnxError(
            f"{name}: expected at most {MOST_AXES} sizes and 2**63 elements, found "
            f"{shown(str(list(dims)))}; the file is damaged"
        )
    try:
        dtype = numpy_of(tensor.data_type)
    except OnnxError as error:
        raise OnnxError(f"{name}: {error}") from None
    places = elements_a_byte(dtype)
    expected = -(-prod(dims) // places) * dtype.itemsize
    if tensor.data_location == EXTERNAL:
        data = _external(tensor, name, expected, folder)
    elif tensor.HasField("raw_data"):
        data = tensor.raw_data
        if len(data) != expected:
            raise OnnxError(
                f"{name}: expected {expected} bytes of data for the sizes {list(dims)} of "
                f"{code_names()[tensor.data_type]}, found {len(data)}; the file is damaged"
            )
    else:
        return _of_fields(tensor, name, dims, dtype)
    if places > 1:
        return unpacked(np.frombuffer(data, np.uint8), dims, dtype)
    if dtype.kind == "b":
        return (np.frombuffer(data, np.uint8) != 0).reshape(dims)
    if dtype.name in MLIR_NAMES:
        return np.frombuffer(data, np.uint8).view(dtype).reshape(dims)
    return np.frombuffer(data, dtype.newbyteorder("<")).astype(dtype, copy=False).reshape(dims)


def elements_a_byte(dtype: np.dtype[Any]) -> int:
    """Return the number of elements that ONNX packs into a byte."""
    name = MLIR_NAMES.get(dtype.name)
    return 1 if name is None else per_byte(STORAGE[name])


def _of_fields(tensor: Any, name: str, dims: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return the array of a tensor whose elements are in a list of numbers."""
    from onnx import helper, numpy_helper  # pyright: ignore

    field = getattr(tensor, helper.tensor_dtype_to_field(tensor.data_type))
    count = -(-prod(dims) // elements_a_byte(dtype))
    if len(field) != count:
        raise OnnxError(
            f"{name}: expected {count} elements for the sizes {list(dims)}, found {len(field)}; "
            "the file is damaged"
        )
    try:
        return np.asarray(numpy_helper.to_array(tensor), dtype)
    except (ValueError, TypeError, OverflowError) as error:
        raise OnnxError(f"{name}: expected data that can be read, found: {error}") from None


def _external(tensor: Any, name: str, expected: int, folder: Path | None) -> Any:
    """Return the bytes of a tensor in a separate file."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    if folder is None:
        raise OnnxError(
            f"{name}: expected a model read from a file, since its data is in {shown(location)}, found a "
            "model in memory; pass the path, or load the data first (onnx.load_external_data_for_model)"
        )
    try:
        offset = int(entries.get("offset", "0") or 0)
        length = int(entries.get("length", str(expected)) or expected)
    except ValueError:
        found = f"{entries.get('offset')!r}, {entries.get('length')!r}"
        raise OnnxError(f"{name}: expected offset and length as numbers, found {found}") from None
    try:
        file = open_inside(folder, location)
    except OSError as error:
        raise OnnxError(
            f"{name}: expected a file {shown(location)} next to the model, found none that can be read: "
            f"{error.strerror}; put it there"
        ) from None
    if file is None:
        raise OnnxError(
            f"{name}: expected external data inside of the model's folder, without links, found "
            f"{shown(location)}; put the file there and correct the location"
        )
    with file:
        size = os.fstat(file.fileno()).st_size
        if length != expected or offset < 0 or offset + length > size:
            raise OnnxError(
                f"{name}: expected {expected} bytes from {offset} on in {shown(location)}, found a length "
                f"of {length} in a file of {size}; the model is damaged"
            )
        return mapped_data.read(file, offset, length)
