"""The texts of a model, which a damaged file may have garbled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect.frontends.onnx.errors import OnnxError

MAX_DEPTH = 100
"""The deepest nesting of messages, which is that of protobuf."""


def check_text(model: Any, name: str) -> Sequence[str]:
    """Refuse a model with a name, or another text, that is no UTF-8; the data of tensors is not read.
    Returns the files with the data of tensors."""
    from onnx import TensorProto  # pyright: ignore

    files: set[str] = set()
    work = [(model, 0)]
    while work:
        message, depth = work.pop()
        if depth > MAX_DEPTH:
            raise OnnxError(
                f"{name}: expected messages at most {MAX_DEPTH} inside of one another, as protobuf reads "
                "them, found more: graphs inside of graphs without end; correct the model"
            )
        if isinstance(message, TensorProto):
            texts: list[Any] = [message.name, message.doc_string]
            work += [(entry, depth + 1) for entry in message.external_data]
            files |= {entry.value for entry in message.external_data if entry.key == "location"}
        else:
            texts = []
            for field, value in message.ListFields():
                values = [value] if isinstance(value, str | bytes) else value
                if field.type == field.TYPE_STRING:
                    texts += values
                elif field.type == field.TYPE_MESSAGE:
                    inner = [value] if hasattr(value, "ListFields") else value
                    work += [(part, depth + 1) for part in inner]
        for text in texts:
            if not isinstance(text, str):
                raise OnnxError(
                    f"{name}: expected names as UTF-8 text, found {text!r:.60}; the file is damaged"
                )
    return sorted(files)
