"""Decision trees as ONNX writes them, as the one table of nodes that `relax.tree_leaves` reads.

Leaves come first, so that their numbers index the rows of a table of weights. A node with another
comparison than `<=` becomes one or two with it: `x < t` is `x <= p` for the number p before t, `x > t` is
`x <= t` with its children exchanged, and `x == t` is `x <= t` and not `x <= p`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.imported_values import Array
from relax_dialect.frontends.onnx.node import OnnxNode

LEQ, LT, GTE, GT, EQ, NEQ, MEMBER = range(7)
"""The comparisons, with the numbers that TreeEnsemble has for them."""


@dataclass(frozen=True)
class Branches:
    """The nodes that are no leaves, as columns."""

    modes: Array
    features: Array
    splits: Array
    true: Array
    false: Array
    missing_true: Array
    """Whether NaN takes the branch of a comparison that holds."""

    def __len__(self) -> int:
        return len(self.modes)

    def at(self, rows: Array) -> Branches:
        """Return some of the nodes."""
        return Branches(*(getattr(self, field.name)[rows] for field in fields(self)))

    def joined(self, more: Branches) -> Branches:
        """Append other nodes."""
        names = [field.name for field in fields(self)]
        return Branches(*(np.append(getattr(self, n), getattr(more, n)) for n in names))


@dataclass(frozen=True)
class Forest:
    """Trees: nodes numbered below `leaves` are leaves, the others are branches in order."""

    leaves: int
    roots: Array
    branches: Branches

    def with_members(self, sets: Sequence[Sequence[float]]) -> Forest:
        """Rewrite each MEMBER node as a chain of EQ nodes, whose numbers are the sets in order."""
        modes, splits, false = (
            getattr(self.branches, n).copy() for n in ("modes", "splits", "false")
        )
        more: list[tuple[int, float, int]] = []
        for row, members in zip(np.flatnonzero(modes == MEMBER), sets):
            first, *others = members or [np.nan]
            chain = range(len(modes) + len(more), len(modes) + len(more) + len(others))
            ends = [*(self.leaves + number for number in chain), false[row]]
            more += [(int(row), member, end) for member, end in zip(others, ends[1:])]
            splits[row], false[row] = first, ends[0]
        modes[modes == MEMBER] = EQ
        found = replace(self.branches, modes=modes, splits=splits, false=false)
        if more:
            rows, values, ends = (np.array(column) for column in zip(*more))
            links = found.at(rows)
            found = found.joined(replace(links, splits=values.astype(splits.dtype), false=ends))
        return replace(self, branches=found)

    def reached(self, node: OnnxNode, x: Value) -> Value:
        """Return the leaf of each row and tree."""
        self._check(node, x)
        table, missing_first = self._table()
        integers = np.dtype(f"i{table.splits.itemsize}")
        numbers, none = np.arange(self.leaves), np.zeros(self.leaves, np.int64)
        leaf = np.column_stack([none, none, numbers, numbers])
        own = [table.features, table.splits.view(integers), table.true, table.false]
        nodes = np.concatenate([leaf, np.column_stack(own)]).astype(integers)
        further: dict[str, Any] = {}
        if missing_first.any():
            further["missing_first"] = np.append(np.zeros(self.leaves, bool), missing_first)
        depth = self._depth(node, table)
        return node.emit(
            op.tree_leaves(x, nodes, self.roots.astype(integers), depth=depth, **further)
        )

    def _check(self, node: OnnxNode, x: Value) -> None:
        """Refuse children, roots and features that are no numbers of nodes and features."""
        count, width = self.leaves + len(self.branches), node.shape_of(x)[1].value
        most = np.iinfo(np.int32).max if width is None else width
        for what, numbers, end in (
            ("children", self.branches.true, count),
            ("children", self.branches.false, count),
            ("roots", self.roots, count),
            ("features", self.branches.features, most),
        ):
            if numbers.size and (numbers.min() < 0 or numbers.max() >= end):
                found = f"{numbers.min()} to {numbers.max()}"
                node.fail(f"{what} within 0..{end - 1}", found, "correct the model")

    def _table(self) -> tuple[Branches, Array]:
        """Return nodes that compare by `<=` alone, and the mask of nodes where NaN takes the first
        child."""
        found, modes = self.branches, self.branches.modes
        strict, equal = np.isin(modes, (LT, GTE)), np.isin(modes, (EQ, NEQ))
        turned = np.isin(modes, (GTE, GT))
        splits = np.where(strict, before(found.splits), found.splits)
        splits = np.where(turned & np.isnan(found.splits), np.inf, splits)
        true, false = (
            np.where(turned, found.false, found.true),
            np.where(turned, found.true, found.false),
        )
        missing_first = found.missing_true ^ turned
        rows = np.flatnonzero(equal)
        second = found.at(rows)
        is_equal = second.modes == EQ
        true[rows] = self.leaves + len(found) + np.arange(len(rows))
        false[rows] = np.where(is_equal, second.false, second.true)
        missing_first[rows] &= is_equal
        lower = replace(
            second,
            splits=before(second.splits),
            true=np.where(is_equal, second.false, second.true),
            false=np.where(is_equal, second.true, second.false),
        )
        upper = replace(found, splits=splits.astype(found.splits.dtype), true=true, false=false)
        return upper.joined(lower), np.append(missing_first, np.zeros(len(rows), bool))

    @cached_property
    def trees(self) -> Array:
        """Return the tree of each leaf; -1 for an unreachable leaf."""
        owner = np.full(self.leaves + len(self.branches), -1)
        level, owner[self.roots] = self.roots, np.arange(len(self.roots))
        while (level := level[level >= self.leaves]).size:
            rows = level - self.leaves
            children = np.append(self.branches.true[rows], self.branches.false[rows])
            owner[children] = np.tile(owner[level], 2)
            level = np.unique(children)
        return owner[: self.leaves]

    def _depth(self, node: OnnxNode, table: Branches) -> int:
        """Return the number of steps from the roots to the deepest leaf."""
        level, depth = np.unique(self.roots), 0
        while (level := level[level >= self.leaves]).size:
            if depth > len(table):
                node.fail("trees without cycles", "a node below itself", "correct the model")
            rows, depth = level - self.leaves, depth + 1
            level = np.unique(np.append(table.true[rows], table.false[rows]))
        return depth


def before(splits: Array) -> Array:
    """Return the next smaller numbers; NaN, which compares to nothing, for -inf."""
    least = splits == -np.inf
    return np.where(least, np.nan, np.nextafter(splits, -np.inf)).astype(splits.dtype)
