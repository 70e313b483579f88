"""Errors of nodes: each names the model, the node, the expected and found, and the mend."""

from __future__ import annotations

from typing import Any, NoReturn

from relax_dialect.builder import Value
from relax_dialect.frontends.onnx.context import Context
from relax_dialect.frontends.onnx.errors import IllTypedError, OnnxError
from relax_dialect.frontends.onnx.imported_values import Imported, Known, SizeArray, kind_of
from relax_dialect.frontends.onnx.model.node_order import describe
from relax_dialect.frontends.onnx.node_attributes import spelled


class Refusals:
    """The errors of a node."""

    context: Context
    proto: Any
    index: int
    """The index of the node in its graph."""
    op_type: str
    inputs: tuple[Imported | None, ...]

    def describe(self) -> str:
        """Describe the node in an error: name, operator, index in the graph."""
        return describe(self.proto, self.index)

    def form(self) -> str:
        """Return the types of the inputs and the attributes, as errors show them."""
        types = [_type(value) for value in self.inputs]
        attributes = [f"{a.name} = {spelled(a)}" for a in self.proto.attribute]
        return f"inputs ({', '.join(types)}){' and ' if attributes else ''}{', '.join(attributes)}"

    def error(self, message: str, kind: type[OnnxError] = OnnxError) -> OnnxError:
        return kind(f"{self.context.name}: {self.describe()}: {message}")

    def fail(self, expected: str, found: str, mend: str) -> NoReturn:
        """Refuse the node: expected, found, and the mend."""
        raise self.error(f"expected {expected}, found {found}; {mend}", IllTypedError)

    def unsupported(self, what: str, mend: str = "export the model without it") -> NoReturn:
        """Refuse a form of the operator that has no counterpart here."""
        raise self.error(f"expected a form of {self.op_type} that we have, found {what}; {mend}")


def _type(value: Imported | None) -> str:
    """Return the type of an input, as errors show it."""
    if value is None:
        return "nothing"
    if isinstance(value, Value):
        return str(value.value.type)
    if isinstance(value, Known | SizeArray):
        return f"{value.dtype}{list(value.array.shape)}"
    return kind_of(value)
