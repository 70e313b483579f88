"""Decision trees as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.ops.trees import OPS, TreeLeavesOp

from .compiled import Case, Sizes, check, compile_cases, each_case, special, tensor
from .stopping import both_stop

SOME: list[Sizes] = [
    {"n": 7, "m": 5, "k": 9, "j": 9, "t": 3},
    {"n": 1, "m": 1, "k": 1, "j": 1, "t": 1},
    {"n": 0, "m": 3, "k": 2, "j": 2, "t": 2},
    {"n": 2, "m": 3, "k": 4, "j": 4, "t": 0},
    {"n": 131, "m": 3, "k": 40, "j": 40, "t": 35},
]


def leaves(dtype: str = "f32", depth: int = 3, missing: bool = False, **more: Any) -> Case:
    """Tables of random numbers, of which many are out of bounds."""
    whole, bits = dtype.replace("f", "i"), int(dtype[1:]) // 8
    types = [tensor("n", "m", dtype=dtype), tensor("k", 4, dtype=whole), tensor("t", dtype=whole)]
    types += [tensor("j", dtype="i1")] if missing else []

    def walk(row: Any, nodes: Any, node: int, first: Any) -> int:
        last = len(nodes) - 1
        node = min(max(node, 0), last)
        for _ in range(depth):
            value = row[min(max(nodes[node, 0], 0), len(row) - 1)]
            split = nodes[node, 1:2].view(row.dtype)[0]
            is_first = value <= split or (np.isnan(value) and first[node])
            node = min(max(nodes[node, 2 if is_first else 3], 0), last)
        return node

    def numpy(x: Any, nodes: Any, roots: Any, first: Any = None) -> Any:
        first = np.zeros(len(nodes), bool) if first is None else first
        found = [[walk(row, nodes, root, first) for root in roots] for row in x]
        return np.array(found, nodes.dtype).reshape(len(x), len(roots))

    def table(nodes: Any) -> Any:
        """Numbers that are mostly within bounds, and splits near zero."""
        found = np.array(nodes) % (len(nodes) + 3) - 1
        found[:, 1] = np.round((nodes[:, 1] % 9 - 4) / 2).astype(f"f{bits}").view(f"i{bits}")
        return found

    values = (special, table, lambda roots: roots % 11 - 1, *([lambda x: x] if missing else []))
    return Case(
        lambda *operands: TreeLeavesOp(*operands, depth=depth),
        types,
        numpy,
        **{"sizes": SOME, "values": values, **more},
    )


CASES = {
    "leaves": leaves(),
    "leaves_f64": leaves("f64", missing=True),
    "missing": leaves(missing=True, depth=5),
    "roots_alone": leaves(depth=0),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_empty_tables(model: CompiledModule):
    message = "relax.tree_leaves: expected at least one {} (C5)"
    both_stop(model, CASES, "leaves", (2, 3), (0, 4), (1,), message=message.format("node"))
    both_stop(model, CASES, "leaves", (2, 0), (3, 4), (1,), message=message.format("feature"))


def test_a_flag_for_some_nodes(model: CompiledModule):
    message = "an element of 'missing_first' for each node (C3)"
    both_stop(model, CASES, "missing", (2, 3), (3, 4), (1,), (2,), message=message)
