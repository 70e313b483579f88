"""Models in files, read without their large data: the bytes of a tensor are loaded on demand.

A parsed message is not freed while any part of it is used, so a model with its data would take its size
twice. Here the bytes are removed before the file is parsed, and the tensors refer to them as external data:
in a file of the model's folder (`constants.py`), which is the model itself.

The format of messages: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Any

from relax_dialect.text.regular_files import open_regular

LARGE = 1 << 16
"""Data of at least so many bytes is left in the file."""

DATA = "data"
FIELDS: dict[str, dict[int, str]] = {
    "model": {7: "graph"},
    "graph": {1: "node", 5: "tensor"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph"},
    "tensor": {9: DATA},
}
"""The paths to data: messages by the numbers of the fields that hold them."""

_FIXED = {1: 8, 5: 4}
"""The bytes of the kinds of fields that have always as many."""


class _MalformedError(Exception):
    """The file holds no message; the parser reports why."""


def read_without_data(path: Path) -> Any | None:
    """Return the model without its large data; None if it has none, or is in another format."""
    import onnx

    if path.resolve() != path.parent.resolve() / path.name:  # data is not read through links
        return None
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size < LARGE:
            return None
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            reader = _MessageCopier(content, path.name)
            try:
                stripped = reader.message("model", 0, len(content))
            except _MalformedError:
                return None
    return onnx.ModelProto.FromString(stripped) if reader.left_out else None  # pyright: ignore


class _MessageCopier:
    """Copies messages without the large data of tensors."""

    def __init__(self, content: mmap.mmap, file: str):
        self.content, self.file = content, file
        self.left_out = False

    def message(self, kind: str, at: int, end: int) -> bytes:
        """Copy a message at a position of the file; the location of its data comes last, where it overrides
        the message's own `data_location`."""
        parts: list[bytes] = []
        locations: list[bytes] = []
        copied = at
        while at < end:
            start = at
            tag, at = self._number(at, end)
            field, wire = tag >> 3, tag & 7
            if wire == 0:
                _, at = self._number(at, end)
                continue
            size = _FIXED.get(wire)
            if size is None:
                if wire != 2:
                    raise _MalformedError
                size, at = self._number(at, end)
            if at + size > end:
                raise _MalformedError
            inner = FIELDS[kind].get(field) if wire == 2 and size >= LARGE else None
            if inner is not None:
                parts.append(self.content[copied:start])
                if inner == DATA:
                    locations.append(self._place(at, size))
                else:
                    changed = self.message(inner, at, at + size)
                    parts += [_encoded(tag), _encoded(len(changed)), changed]
                copied = at + size
            at += size
        parts.append(self.content[copied:end])
        return b"".join([*parts, *locations])

    def _place(self, at: int, size: int) -> bytes:
        """Return the fields of a tensor with the location of its data."""
        import onnx

        self.left_out = True
        told = {"location": self.file, "offset": str(at), "length": str(size)}
        entries = [onnx.StringStringEntryProto(key=k, value=v) for k, v in told.items()]  # pyright: ignore
        tensor = onnx.TensorProto(data_location=1, external_data=entries)  # pyright: ignore
        return tensor.SerializeToString()

    def _number(self, at: int, end: int) -> tuple[int, int]:
        """Read a varint (seven bits a byte); returns it and the offset after it."""
        found = shift = 0
        while at < end and shift < 64:
            byte = self.content[at]
            at += 1
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return found, at
            shift += 7
        raise _MalformedError


def _encoded(number: int) -> bytes:
    """Encode a varint (seven bits a byte)."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)
