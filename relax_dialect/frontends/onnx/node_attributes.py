"""The values of attributes in Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from relax_dialect.frontends.onnx.errors import OnnxError, shown
from relax_dialect.frontends.onnx.model.initializers import array_of

MOST_TEXT = 40
"""The most characters of a value in an error."""


def value_of(attribute: Any, folder: Path | None) -> Any:
    """Return a number, string, list of these, array or graph; raises `OnnxError` if it cannot be read."""
    from onnx import AttributeProto  # pyright: ignore

    if attribute.type == AttributeProto.TENSOR:
        try:
            return array_of(attribute.t, folder)
        except OnnxError as error:
            raise OnnxError(f"attribute {shown(attribute.name)}: {error}") from None
    try:
        return plain(attribute)
    except (ValueError, UnicodeDecodeError) as error:
        raise OnnxError(
            f"expected an attribute {shown(attribute.name)} that can be read, found: {error}"
        ) from None


def plain(attribute: Any) -> Any:
    """Return the value of an attribute that is no tensor, strings as text."""
    from onnx import helper  # pyright: ignore

    return _text(helper.get_attribute_value(attribute))


def spelled(attribute: Any) -> str:
    """Return the text of an attribute's value in errors."""
    try:
        found = plain(attribute)
    except (ValueError, UnicodeDecodeError):
        return "what cannot be read"
    text = repr(found) if isinstance(found, int | float | str | list) else type(found).__name__
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}..."


def _text(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_text(v) for v in value]
    return value
