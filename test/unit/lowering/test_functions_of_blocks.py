"""Functions of several blocks, and ops of other dialects, in a module beside functions of Relax.

No pass fails on them, wherever in the pipeline it runs, and C computes what the interpreter does.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from optional import UNOPTIMISED
from strict_c import STRICT
from xdsl.dialects.func import FuncOp

import lowering
from lowering.emit_c import emit
from lowering.pipeline import ALL_PASSES, PASSES, optimizations
from lowering.runtime import loading
from lowering.runtime.loading import CompiledModule
from relax_dialect import interpret, parse
from relax_dialect.errors import RelaxError
from relax_dialect.ir.walk import symbol_name
from relax_dialect.transform.regions import erase

TEXT = Path(__file__).with_name("functions_of_blocks.mlir").read_text()
ON_TENSORS = ("abs", "sign", "signed", "region")


@pytest.mark.parametrize("name", ALL_PASSES)
def test_each_pass_alone(name: str) -> None:
    try:
        lowering.lower(parse(TEXT), [name], verify_each=True)
    except (
        RelaxError
    ) as error:  # of a pass that has other passes before it, or options that are required
        assert any(
            word in str(error) for word in ("first", "options", "one float", "relax.grid")
        ), error


@pytest.mark.slow
@pytest.mark.parametrize("level", [0, 2])  # the default one is compiled below
def test_pipelines(level: int) -> None:
    module = lowering.lower(parse(TEXT), [*optimizations(level), *PASSES], verify_each=True)
    functions = [op for op in module.ops if isinstance(op, FuncOp)]
    assert all(len(function.body.blocks) <= 1 for function in functions)


ROWS = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
LINE = np.array([1, -2, 3], np.float32)
CALLS = {
    "count": [(np.int32(4),), (np.int32(-1),)],
    "main": [(ROWS, LINE)],
    **{name: [(LINE, False), (LINE, True)] for name in ("abs", "region")},
    "signed": [(LINE, np.array(False)), (LINE, np.array(True))],
}


def _check(model: CompiledModule, names: Iterable[str]) -> None:
    module = parse(TEXT)
    for name in names:
        for arguments in CALLS[name]:
            expected, found = interpret.run(module, name, *arguments), model[name](*arguments)
            pairs = zip(expected, found) if isinstance(expected, tuple) else [(expected, found)]
            for theirs, ours in pairs:
                np.testing.assert_allclose(ours, theirs, rtol=1e-5, err_msg=name)
    for is_set in (False, True):
        line = np.full(3, 5, np.float32)
        model["caller"](line, is_set)
        np.testing.assert_array_equal(line, [1 if is_set else 5, 5, 5])


@pytest.mark.slow
def test_values() -> None:
    _check(lowering.compile(parse(TEXT), extra_flags=UNOPTIMISED), CALLS)


@pytest.mark.slow
def test_functions_on_memory_are_left_alone() -> None:
    """The C target structures what no pass has."""
    module = parse(TEXT)
    for op in list(module.ops):
        if symbol_name(op) in ON_TENSORS:
            erase(op)
    passes = [name for name in PASSES if name != "relax-convert-cf-to-scf"]
    lowering.lower(module, passes, verify_each=True)
    before = str(module)
    assert "cf.cond_br" in before
    _check(loading.build(emit(module, "model"), extra_flags=STRICT), ["count", "main"])
    assert str(module) == before
