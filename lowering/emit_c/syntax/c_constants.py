"""Constants as C: small ones are part of the text, splats are filled in, big ones are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, UnitAttr

from lowering.emit_c.syntax.c_expressions import CExpr
from lowering.emit_c.syntax.c_types import CType, literal, numbers, scalar_type
from lowering.ir.storage_constants import packed_constant
from lowering.support.target import ALIGNMENT
from relax_dialect.errors import RelaxError

FEW = 64
"""The number of elements that mostly suffices to see that not all are equal."""


@dataclass(frozen=True)
class GlobalConstant:
    """A `memref.global` with its C name; data is `None` if it starts uninitialised."""

    symbol: str
    c_name: str
    element: CType
    shape: tuple[int, ...]
    data: np.ndarray | None
    constant: bool

    @property
    def count(self) -> int:
        return int(np.prod(self.shape, dtype=object)) if self.shape else 1

    @property
    def bytes(self) -> int:
        return self.count * self.element.size

    def description(self) -> str:
        return f"@{self.symbol}: {'x'.join(map(str, (*self.shape, self.element.suffix)))}"

    def splat(self) -> CExpr | None:
        """Return the value of all elements, if they are the same to the bit."""
        if self.data is None or self.count == 0 or not self.constant:
            return None
        raw = self.data.view(f"u{self.element.size}")
        is_splat = (raw[:FEW] == raw[0]).all() and (raw == raw[0]).all()
        return literal(numbers(self.data[:1])[0], self.element) if is_splat else None

    def is_zero(self) -> bool:
        if self.data is None:
            return True
        raw = self.data.view(f"u{self.element.size}")
        return not raw[:FEW].any() and not raw.any()


def read_constant(op: memref.GlobalOp, c_name: str) -> GlobalConstant:
    """Return the constant that a `memref.global` defines."""
    t = op.type
    element = scalar_type(t.element_type)
    shape = t.get_shape()
    value = op.initial_value
    where = f"C: memref.global @{op.sym_name.data}"
    if any(d < 0 for d in shape):
        raise RelaxError(f"{where}: expected a static shape, found {t}")
    data: np.ndarray | None = None
    if isinstance(value, DenseIntOrFPElementsAttr) and element.kind == "storage":
        data = packed_constant(value)
        shape = (len(data),)
    elif isinstance(value, DenseIntOrFPElementsAttr):
        data = np.frombuffer(value.data.data, dtype=_stored_dtype(value, element))
        if element.kind == "bool":
            data = data.astype(np.bool_)
        count = int(np.prod(shape, dtype=object)) if shape else 1
        if len(data) == 1 and count != 1:
            data = np.repeat(data, count)
        if len(data) != count:
            raise RelaxError(f"{where}: expected {count} elements for {t}, found {len(data)}")
    elif not isinstance(value, UnitAttr):
        raise RelaxError(f"{where}: expected dense<...> or uninitialized, found {value}")
    return GlobalConstant(
        op.sym_name.data, c_name, element, tuple(shape), data, op.constant is not None
    )


def _stored_dtype(value: DenseIntOrFPElementsAttr, element: CType) -> np.dtype:
    size = value.type.element_type.compile_time_size  # pyright: ignore[reportAttributeAccessIssue]
    if element.kind == "bool":
        return np.dtype(f"u{size}")
    return np.dtype(element.storage).newbyteorder("<")


def rows(texts: Sequence[str], width: int = 92) -> Iterator[str]:
    """Lines of numbers."""
    line = ""
    for text in texts:
        if line and len(line) + len(text) + 2 > width:
            yield f"    {line}"
            line = ""
        line += f"{', ' if line else ''}{text}" if not line else f" {text}"
        line += ","
    if line:
        yield f"    {line}"


def in_text(c: GlobalConstant) -> str:
    """Return an array with its values."""
    values = [literal(0, c.element).text]
    if c.data is not None and not c.is_zero():
        values = [literal(v, c.element).text for v in numbers(c.data)]
    const = "const " if c.constant else ""
    head = (
        f"static {const}_Alignas({ALIGNMENT}) {c.element.memory} {c.c_name}[{max(c.count, 1)}] = {{"
    )
    if len(values) <= 4:
        return f"{head}{', '.join(values)}}};"
    return "\n".join([head, *rows(values), "};"])


def in_memory(c: GlobalConstant) -> str:
    """Return an array without space in the file: zero, or filled once by `fill_splats`."""
    return f"static _Alignas({ALIGNMENT}) {c.element.memory} {c.c_name}[{c.count}];"


def in_weights(c: GlobalConstant) -> str:
    """Return a pointer into the file of weights."""
    if not c.constant:
        raise RelaxError(
            f"C: memref.global @{c.symbol}: a variable of {c.bytes} bytes with initial values is "
            "not supported; make it constant and copy it"
        )
    return f"static const {c.element.memory} *{c.c_name};"


def fill_loop(c: GlobalConstant) -> str:
    value = c.splat()
    assert value is not None
    head = f"    for (size_t i = 0; i < {c.count}; ++i)"
    return f"{head}\n        {c.c_name}[i] = {value.text};"


def fill_function(loops: Sequence[str]) -> str:
    """Return the function that fills the arrays that `in_memory` declares."""
    body = "\n".join(loops)
    return (
        "/* Constants of one value; runs when the program or library is loaded. */\n"
        f"__attribute__((constructor)) static void fill_splats(void)\n{{\n{body}\n}}\n"
    )
