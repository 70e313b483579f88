"""Headers of .safetensors files: https://huggingface.co/docs/safetensors.

Eight bytes for the size of the header, the header as JSON with the element type, sizes and offsets of every
tensor, and the bytes of all tensors.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, BinaryIO, NamedTuple

from relax_dialect.errors import RelaxError

LONGEST_HEAD = 100_000_000
"""The bytes that the format allows a header."""

BYTES: Mapping[str, int] = {
    "BOOL": 1,
    "BF16": 2,
    **{f"F{bits}": bits // 8 for bits in (16, 32, 64)},
    **{f"{kind}{bits}": bits // 8 for kind in "IU" for bits in (8, 16, 32, 64)},
}
"""The element types that we read, and the bytes of an element."""

_HEADS: dict[tuple[int, ...], Mapping[str, Stored]] = {}


class Stored(NamedTuple):
    """A tensor in a file: its element type as the format names it, sizes, offset and bytes."""

    dtype: str
    shape: Sequence[int]
    offset: int
    size: int


def tensors_of(file: BinaryIO, name: str) -> Mapping[str, Stored]:
    """Return the tensors of an open file by name; the last header is cached. Raises `RelaxError`, which
    calls the file `name`."""
    state = os.fstat(file.fileno())
    key = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
    if key not in _HEADS:
        try:
            found = _read(file, state.st_size)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise RelaxError(
                f"{name}: expected a whole .safetensors file, found another: {error}; save it again"
            ) from None
        _HEADS.clear()
        _HEADS[key] = found
    return _HEADS[key]


def _read(file: BinaryIO, length: int) -> Mapping[str, Stored]:
    file.seek(0)
    head = file.read(8)
    size = int.from_bytes(head, "little")
    if len(head) < 8 or size > min(length - 8, LONGEST_HEAD):
        raise ValueError(f"its head ends after the file, which has {length} bytes")
    told: dict[str, Any] = json.loads(file.read(size))
    named = {name: each for name, each in told.items() if name != "__metadata__"}
    return {name: _stored(name, each, 8 + size, length) for name, each in named.items()}


def _stored(name: str, told: Mapping[str, Any], start: int, length: int) -> Stored:
    kind, shape, (begin, end) = told["dtype"], told["shape"], told["data_offsets"]
    if not all(type(n) is int and n >= 0 for n in (begin, end, *shape)):
        raise ValueError(f"'{name}' has no sizes and offsets that are numbers: {told}")
    is_whole = kind not in BYTES or end - begin == prod(shape) * BYTES[kind]
    if not begin <= end <= length - start or not is_whole:
        raise ValueError(
            f"'{name}' of shape {shape} has the bytes {begin} to {end} of {length - start}"
        )
    return Stored(kind, shape, start + begin, end - begin)


def header(tensors: Iterable[tuple[str, str, Sequence[int]]]) -> bytes:
    """Return the header of a file of tensors, whose bytes follow in this order: names, element types and
    sizes."""
    told: dict[str, Any] = {}
    at = 0
    for name, kind, shape in tensors:
        end = at + prod(shape) * BYTES[kind]
        told[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(told).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text
