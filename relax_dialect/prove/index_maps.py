"""Indices through views: the element of the operand that an element of the result reads.

    broadcast   [n, m] read by [m]                  (i, j) -> (j)
    merged      [n, m] read by [n * m]              (k)    -> (k floordiv m, k mod m)
    parted      [n * m] read by [n, m]              (i, j) -> (i * m + j)

Sizes are compared as expressions, so the maps hold for all values of their variables.
"""

from __future__ import annotations

from collections.abc import Sequence

from relax_dialect.prove.value_terms import ONE, ZERO, Index
from relax_dialect.prove.verdicts import Outside
from relax_dialect.symbolic import Expr, floordiv, floormod, product, provably_different, var


def shape_text(shape: Index) -> str:
    """Return a shape as errors show it."""
    return f"[{', '.join(map(str, shape))}]"


class IndexMaps:
    """Views of one proof; merging split indices returns the original index."""

    def __init__(self) -> None:
        self._parts: dict[Expr, tuple[Index, Index]] = {}
        """Of an index that parts were merged to, the parts and their sizes."""
        self._wholes: dict[tuple[Index, Index], Expr] = {}
        self._choices: dict[tuple[Expr, Expr], Expr] = {}

    def broadcast(self, index: Index, shape: Index, whole: Index) -> Index:
        """Return the index in an operand of this shape, which broadcasts to `whole`."""
        start = len(whole) - len(shape)
        return tuple(
            self._along(i, size, full) for i, size, full in zip(index[start:], shape, whole[start:])
        )

    def _along(self, i: Expr, size: Expr, full: Expr) -> Expr:
        if size is ONE:
            return ZERO
        if size is full or provably_different(size, ONE):
            return i
        # 0 where the size is 1 and i elsewhere: some index, the same for the same size
        name = f"spread{len(self._choices)}__"
        return self._choices.setdefault((i, size), var(name))

    def view(self, index: Index, seen: Index, shape: Index) -> Index:
        """Return the index in a tensor of `shape` of the element at an index of shape `seen`."""
        pairs = [(i, size) for i, size in zip(index, seen) if size is not ONE]
        wanted = [size for size in shape if size is not ONE]
        found = iter(self._regrouped([i for i, _ in pairs], [s for _, s in pairs], wanted))
        return tuple(ZERO if size is ONE else next(found) for size in shape)

    def _regrouped(self, index: list[Expr], seen: list[Expr], wanted: list[Expr]) -> list[Expr]:
        if seen == wanted:
            return index
        if not seen or not wanted:
            raise Outside(f"a view of {shape_text(tuple(wanted))} as {shape_text(tuple(seen))}")
        merged = _run(seen, wanted[0])
        if merged:
            whole = self.merged(tuple(index[:merged]), tuple(seen[:merged]))
            return [whole, *self._regrouped(index[merged:], seen[merged:], wanted[1:])]
        parted = _run(wanted, seen[0])
        if parted:
            parts = self.parted(index[0], tuple(wanted[:parted]))
            return [*parts, *self._regrouped(index[1:], seen[1:], wanted[parted:])]
        if product(seen) is not product(wanted):
            raise Outside(f"a view of {shape_text(tuple(wanted))} as {shape_text(tuple(seen))}")
        return list(self.parted(self.merged(tuple(index), tuple(seen)), tuple(wanted)))

    def merged(self, parts: Index, sizes: Index) -> Expr:
        """Return the row-major position of an index in a shape."""
        if len(parts) == 1:
            return parts[0]
        if (parts, sizes) in self._wholes:
            return self._wholes[parts, sizes]
        whole = ZERO
        for i, size in zip(parts, sizes):
            whole = whole * size + i
        self._parts[whole] = parts, sizes
        return whole

    def parted(self, whole: Expr, sizes: Index) -> Index:
        """Return the index in a shape of a row-major position."""
        if len(sizes) == 1:
            return (whole,)
        if whole in self._parts and self._parts[whole][1] == sizes:
            return self._parts[whole][0]
        parts: list[Expr] = []
        for axis, size in enumerate(sizes):
            inner = product(sizes[axis + 1 :])
            part = floordiv(whole, inner)
            parts.append(floormod(part, size) if axis else part)
        self._wholes[tuple(parts), sizes] = whole
        return tuple(parts)


def _run(sizes: Sequence[Expr], size: Expr) -> int:
    """Return the length of the prefix of the sizes that has this product; 0 if there is none."""
    for count in range(1, len(sizes) + 1):
        if product(sizes[:count]) is size:
            return count
    return 0
