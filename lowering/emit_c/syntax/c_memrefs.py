"""Memrefs in C: a pointer to the first element, sizes and strides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from lowering.emit_c.syntax.c_expressions import CExpr, Prec, add, multiply, number
from lowering.emit_c.syntax.c_types import CType


@dataclass(frozen=True)
class CBuffer:
    """A memref: row-major if it has no strides; a splat constant also carries its value."""

    base: str
    element: CType
    sizes: tuple[CExpr, ...]
    strides: tuple[CExpr, ...] | None = None
    splat: CExpr | None = None

    def explicit_strides(self) -> tuple[CExpr, ...]:
        """Return the strides, spelled out for a row-major buffer too."""
        if self.strides is not None:
            return self.strides
        strides = [number(1)]
        for size in reversed(self.sizes[1:]):
            strides.append(multiply(size, strides[-1]))
        return tuple(reversed(strides))[: len(self.sizes)]

    def dense_from(self) -> int:
        """Return the first of the last dimensions whose elements follow each other without gaps."""
        strides, step = self.explicit_strides(), number(1)
        for d in reversed(range(len(self.sizes))):
            if strides[d].text != step.text:
                return d + 1
            step = multiply(self.sizes[d], step)
        return 0

    def offset(self, indices: Sequence[CExpr]) -> CExpr:
        """Return the distance of an element from the first one: `(i * n + j) * 64 + k`."""
        if self.strides is None and any(s.literal is None for s in self.sizes[1:]):
            position = number(0)
            for index, size in zip(indices, self.sizes):
                position = add(multiply(position, size), index)
            return position
        terms = [multiply(i, s) for i, s in zip(indices, self.explicit_strides())]
        return reduce(add, terms, number(0))

    def at(self, indices: Sequence[CExpr]) -> CExpr:
        """Return the element: `A[i * n + j]`."""
        return CExpr(f"{self.base}[{self.offset(indices).text}]", Prec.ATOM, loads=True)

    def count(self) -> CExpr:
        """Return the number of elements."""
        return reduce(multiply, self.sizes, number(1))
