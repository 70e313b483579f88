"""The texts of a model: those of a damaged file may be no text at all."""

from __future__ import annotations

from typing import Any

from relax_dialect.frontends.onnx.errors import OnnxError


def check_text(model: Any, name: str) -> None:
    """Refuse a model with a name, or another text, that is no UTF-8; the data of tensors is not read."""
    from onnx import TensorProto  # pyright: ignore

    work = [model]
    while work:
        message = work.pop()
        if isinstance(message, TensorProto):
            texts: list[Any] = [message.name, message.doc_string]
            work += message.external_data
        else:
            texts = []
            for field, value in message.ListFields():
                values = [value] if isinstance(value, str | bytes) else value
                if field.type == field.TYPE_STRING:
                    texts += values
                elif field.type == field.TYPE_MESSAGE:
                    work += [value] if hasattr(value, "ListFields") else value
        for text in texts:
            if not isinstance(text, str):
                raise OnnxError(
                    f"{name}: expected names as UTF-8 text, found {text!r:.60}; the file is damaged"
                )
