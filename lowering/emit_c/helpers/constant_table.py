"""The constants of a file: which are used, and where each is stored, by its size and value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects import memref

from lowering.emit_c.syntax.c_constants import (
    GlobalConstant,
    fill_function,
    fill_loop,
    in_memory,
    in_text,
    in_weights,
    read_constant,
)
from lowering.emit_c.syntax.c_expressions import CExpr
from lowering.emit_c.syntax.c_names import CNames
from lowering.emit_c.syntax.c_types import CType
from lowering.emit_c.syntax.layout import comment
from lowering.emit_c.syntax.weights_file import WeightsFile
from relax_dialect.errors import RelaxError, blaming

SMALL = 64
"""Constants of more bytes than this join the constants above the threshold, if there are any, in their
file."""


class ConstantTable:
    """The constants of a module that functions use; constants of more bytes than the threshold go to a file
    of weights, if the C may have one."""

    def __init__(
        self, ops: Mapping[str, memref.GlobalOp], threshold: int, *, has_file: bool, names: CNames
    ):
        self._ops = ops
        self._threshold = threshold
        self._has_file = has_file
        self.c_names = {symbol: names.fresh(symbol) for symbol in ops}
        self._read: dict[str, GlobalConstant] = {}
        self._splats: dict[str, CExpr | None] = {}
        self._materialised: dict[str, None] = {}
        self._stored: set[str] = set()
        self.weights = WeightsFile()
        self.pointers: list[tuple[str, CType, int]] = []
        """The C names of the constants in the weights file, with their element types and offsets there."""

    def pointer(self, symbol: str, only_loads: bool) -> tuple[str, CExpr | None]:
        """Return the pointer to a constant, and its value if only that is needed."""
        if symbol not in self._read:
            if symbol not in self._ops:
                raise RelaxError(f"C: memref.get_global @{symbol}: no such memref.global")
            op = self._ops[symbol]
            with blaming(op):
                self._read[symbol] = read_constant(op, self.c_names[symbol])
            self._splats[symbol] = self._read[symbol].splat()
        splat = self._splats[symbol] if only_loads else None
        if splat is None:
            self._materialised[symbol] = None
        return self._read[symbol].c_name, splat

    def is_constant(self, symbol: str) -> bool:
        """Return whether the constant is never written."""
        return self._read[symbol].constant

    def are_stored(self, symbols: Iterable[str]) -> bool:
        """Return whether some of these constants are in the file of weights."""
        return not self._stored.isdisjoint(symbols)

    def texts(self) -> tuple[list[str], list[str]]:
        """Return the declarations of the used constants, and the code that fills some of them."""
        texts: list[str] = []
        fills: list[str] = []
        limit = self._text_limit()
        for symbol in self._materialised:
            c = self._read[symbol]
            if c.bytes <= limit or (c.is_zero() and c.bytes <= self._threshold):
                text = in_text(c)
            elif c.bytes > self._threshold and (c.is_zero() or c.splat() is not None):
                text = in_memory(c)
                if not c.is_zero():
                    fills.append(fill_loop(c))
            elif not self._has_file:
                text = in_text(c)
            else:
                text = in_weights(c)
                assert c.data is not None
                self.pointers.append((c.c_name, c.element, self.weights.add(c.data)))
                self._stored.add(symbol)
            texts.append(f"{comment(c.description())}\n{text}\n")
        return texts, [fill_function(fills)] if fills else []

    def _text_limit(self) -> int:
        """Return the most bytes of a constant in the C text: few, once there is a weights file."""
        used = (self._read[symbol] for symbol in self._materialised)
        large = (c for c in used if c.bytes > self._threshold)
        needs_file = any(not c.is_zero() and c.splat() is None for c in large)
        return min(self._threshold, SMALL) if needs_file and self._has_file else self._threshold
