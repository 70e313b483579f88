"""The rule sets on layers, on random programs: what they mean stays up to rounding, and they come to an end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import random_programs
from hypothesis import given, note, reject
from hypothesis import strategies as st
from optional import FULL, examples
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.errors import ExecutionError
from relax_dialect.interpret import run
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.algebra.dce import eliminate_dead_code
from relax_dialect.rewrites.algebra.fold_batch_norm import fold_batch_norms
from relax_dialect.rewrites.algebra.fold_constant import fold_constants
from relax_dialect.rewrites.algebra.simplify_algebra import simplify_algebra
from relax_dialect.rewrites.matmul.combine_parallel_matmul import combine_parallel_matmuls
from relax_dialect.rewrites.matmul.fold_transpose_into_matmul import fold_transposes

from . import layer_programs

RULE_SETS: dict[str, Callable[[ModuleOp], int]] = {
    "combine-parallel-matmul": combine_parallel_matmuls,
    "fold-batch-norm": fold_batch_norms,
    "fold-transpose-into-matmul": fold_transposes,
    "simplify-algebra": simplify_algebra,
}
LAYER_RULES = ("combine-parallel-matmul", "fold-batch-norm", "fold-transpose-into-matmul")
"""Those that must find enough to do on programs of layers."""
FIRED: dict[str, int] = dict.fromkeys(RULE_SETS, 0)


def close(before: Any, after: Any) -> None:
    """Equal to 1e-4 of the largest finite number: sums are taken in another order."""
    if isinstance(before, tuple):
        assert len(before) == len(after)
        for a, b in zip(before, after):
            close(a, b)
        return
    assert before.dtype == after.dtype
    finite = np.abs(before[np.isfinite(before)])
    scale = float(finite.max(initial=1))
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-4 * scale)


def outcome(module: ModuleOp, arguments: list[np.ndarray]) -> Any:
    try:
        with np.errstate(all="ignore"):
            return run(module, "main", *arguments)
    except ExecutionError:
        reject()  # sizes that are checked at run time do not fit


def check(program: ModuleOp, arguments: list[np.ndarray]) -> None:
    """Each rule set alone keeps what a program means, and leaves nothing to do."""
    program = parse(str(program))
    before = outcome(program, arguments)
    for name, rules in RULE_SETS.items():
        note(name)
        module = program.clone()
        if (fired := rules(module)) == 0:
            assert str(module) == str(program)
            continue
        FIRED[name] += fired
        verify(module)
        close(before, outcome(module, arguments))
        once = str(module)
        assert rules(module) == 0
        assert str(module) == once
        assert str(parse(once)) == once


@pytest.mark.slow
@pytest.mark.shortened
def test_on_programs_of_layers():
    @examples(36)
    @given(layer_programs.programs())
    def test(program: layer_programs.Program) -> None:
        check(program.module, program.arguments)

    FIRED.update(dict.fromkeys(RULE_SETS, 0))
    test()
    enough = 9 if FULL else 1
    assert all(FIRED[name] >= enough for name in LAYER_RULES), FIRED


@examples(16)
@given(random_programs.programs())
def test_on_other_programs(program: random_programs.Program):
    check(program.module, program.arguments)


@pytest.mark.slow
@examples(16)
@given(layer_programs.programs(), st.permutations([*RULE_SETS]))
def test_after_one_another(program: layer_programs.Program, order: list[str]):
    before = outcome(program.module, program.arguments)
    for name in order:
        RULE_SETS[name](program.module)
        fold_constants(program.module)
        eliminate_dead_code(program.module)
        verify(program.module)
    close(before, outcome(program.module, program.arguments))
