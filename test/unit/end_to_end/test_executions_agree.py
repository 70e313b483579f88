"""Interpreter, emitted C and MLIR compute the same: on random graphs with symbolic sizes."""

import os
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from mlir_oracle import lower_and_load
from optional import MLIR, UNOPTIMISED, amount, needs
from random_programs import Program, programs
from tiny_tiles import use_tiny_tiles
from xdsl.dialects.builtin import ModuleOp

import lowering
import relax_dialect
from lowering.pipeline import PASSES
from relax_dialect import interpret
from relax_dialect.errors import RelaxError

EXAMPLES = int(os.environ.get("RELAX_EXAMPLES", amount(8, 6)))
"""How many programs each property is tried on; more on demand."""

few = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="RELAX_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)


Outcome = tuple[np.ndarray, ...] | None
"""The results of a run, None where the sizes do not fit and the run ends in an error."""


def outcome(run: Callable[..., object], *arguments: np.ndarray) -> Outcome:
    try:
        result = run(*arguments)
    except RelaxError:
        return None
    return result if isinstance(result, tuple) else (result,)  # pyright: ignore


def interpreted(program: Program, module: ModuleOp | None = None) -> Outcome:
    run = partial(interpret.run, module or program.module, "main")
    return outcome(run, *program.arguments)


def agree(found: Outcome, expected: Outcome) -> None:
    """Equal up to rounding (values are below 1 here, or infinite and NaN alike), or both in error."""
    if found is None or expected is None:
        assert found is expected
        return
    assert len(found) == len(expected)
    for f, e in zip(found, expected):
        assert f.shape == e.shape and f.dtype == e.dtype
        np.testing.assert_allclose(f, e, rtol=2e-4, atol=2e-5)


@pytest.mark.slow
@few
@given(programs(), st.sampled_from((0, 1)))
def test_emitted_c_agrees_with_the_interpreter(program: Program, level: int) -> None:
    model = lowering.compile(program.module, opt_level=level, extra_flags=UNOPTIMISED)
    agree(outcome(model.main, *program.arguments), interpreted(program))


@pytest.mark.slow
@settings(few, max_examples=-(-EXAMPLES // 3))
@given(programs())
def test_every_pass_agrees_with_the_interpreter(program: Program) -> None:
    """The program after each pass, with every kernel in tiles, run by the interpreter."""
    expected = interpreted(program)
    module = program.module.clone()
    with pytest.MonkeyPatch.context() as patch:
        use_tiny_tiles(patch)
        for name in PASSES:
            before = str(module)
            lowering.lower(module, [name], verify_each=True)
            if str(module) != before:
                agree(interpreted(program, module), expected)


@pytest.mark.slow
@needs(MLIR)
@few
@given(programs())
def test_loops_compiled_by_mlir_agree_with_the_interpreter(program: Program) -> None:
    expected = interpreted(program)
    assume(expected is not None)  # a failing cf.assert ends the process
    module = lowering.lower(program.module.clone(), verify_each=True)
    found = lower_and_load(module).call_entry("main", *program.arguments)
    agree(tuple(found), expected)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_loops_interpreted_agree(n: int) -> None:
    """The loop level itself, step by step."""
    text = """
    relax.func @main(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 3], f32>)
        -> !relax.tensor<[n, 3], f32> {
      %0 = relax.matmul %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 3], f32>) -> !relax.tensor<[n, 3], f32>
      %1 = relax.gelu %0 : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32>
      %2 = relax.softmax %1 {axis = -1 : i64} : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32>
      relax.return %2 : !relax.tensor<[n, 3], f32>
    }
    """
    module = relax_dialect.parse(text)
    random = np.random.default_rng(n)
    x, w = (random.normal(size=s).astype(np.float32) for s in ((n, 4), (4, 3)))
    expected = interpret.run(module, "main", x, w)
    loops = lowering.lower(module, verify_each=True)
    found = interpret.run(loops, "main", x, w)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
