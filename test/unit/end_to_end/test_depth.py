"""No pass calls itself once per level: programs nest deeper than Python's stack is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from optional import LONG, needs
from xdsl.dialects.builtin import ModuleOp

from bench import programs
from bench.sizes import BEFORE, LEFT_OUT, LOWERING, graph_passes
from lowering import lower
from lowering.pipeline import PASSES
from relax_dialect.ir.walk import discard, walk_ops
from relax_dialect.parsing import deep_recursion, parse_unverified
from relax_dialect.rewrites import GRAPH_PASSES
from relax_dialect.transform.regions import erase

DEPTH, CALLS = 120, 340
"""A level takes three calls of xDSL, so that these levels are too deep for so many calls."""


@pytest.fixture(autouse=True)
def little_stack() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(CALLS)
    yield
    sys.setrecursionlimit(before)


@pytest.fixture(scope="module")
def parsed() -> ModuleOp:
    return parse_unverified(programs.nested_ifs(DEPTH))


@pytest.fixture
def module(parsed: ModuleOp) -> ModuleOp:
    with deep_recursion():  # xDSL clones level by level
        return parsed.clone()


SLOW = {
    *(
        "relax-apply-pdl",
        "relax-bind-params",
        "relax-bind-symbolic-vars",
        "relax-cse",
        "relax-fold-batch-norm",
    ),
    *(
        "relax-merge-composite-functions",
        "relax-gradient",
        "relax-quantize",
        "relax-tail-calls-to-loops",
    ),
}
"""More than a second each."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=needs(LONG)) if n in SLOW else n
        for n in GRAPH_PASSES
        if n not in LEFT_OUT
    ],
)
def test_a_pass_on_the_graph(name: str, module: ModuleOp, tmp_path: Path):
    arrays = tmp_path / "arrays.npz"
    np.savez(arrays, x=np.ones(4, np.float32))
    lower(module, [*BEFORE.get(name, ()), graph_passes(arrays)[name]])


@pytest.mark.slow
def test_the_lowering(module: ModuleOp):
    lower(module, [name for name in PASSES if name in GRAPH_PASSES])
    lower(module, LOWERING)


def test_erased_ops_use_nothing(module: ModuleOp):
    (function,) = module.ops
    inside = list(walk_ops(function))
    erase(function)
    assert not any(op.operands for op in inside)
    assert not list(module.ops)


def test_discarded_ops_stay_where_they_are(module: ModuleOp):
    inside = list(walk_ops(module))
    discard(module.body.block)
    assert not any(op.operands for op in inside)
    assert list(walk_ops(module)) == inside


@needs(LONG)
def test_xdsl_calls_itself_for_each_level(module: ModuleOp):
    """`discard` stands in for this method, which fails on deep programs."""
    with pytest.raises(RecursionError):
        module.drop_all_references()
