"""Operands that do not broadcast: interpreter and C stop, and name the sizes in the same words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.runtime.loading import CompiledModule
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType

Size = int | str


Sizes = tuple[tuple[int, ...], tuple[int, ...]]

OPERATORS = ("add", "less", "power", "where", "lerp")
CASES: Sequence[tuple[list[Size], list[Size], Sizes, str]] = (
    (["n", "m"], ["k"], ((3, 2), (3,)), "2 and 3"),
    (["n", "m"], ["k", "m"], ((3, 2), (4, 2)), "3 and 4"),
    (["n"], [4], ((3,), (4,)), "3 and 4"),
    ([4, "n"], ["m", "n"], ((4, 0), (3, 0)), "3 and 4"),
)


@pytest.fixture(scope="module")
def module() -> ModuleOp:
    """All operators on all shapes, each as a function."""
    bb = BlockBuilder()
    for name in OPERATORS:
        for number, (left, right, _, _) in enumerate(CASES):
            params = {"x": TensorType(left, "f32"), "y": TensorType(right, "f32")}
            with bb.function(f"{name}{number}", params) as (x, y):
                operands = {"where": (x > 0.0, x, y), "lerp": (x, x, y)}.get(name, (x, y))
                bb.emit_func_output(bb.emit(getattr(op, name)(*operands)))
    return bb.get()


@pytest.fixture(scope="module")
def model(module: ModuleOp) -> CompiledModule:
    return lowering.compile(module, extra_flags=["-O0"])


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(CASES)))
@pytest.mark.parametrize("name", OPERATORS)
def test_sizes_that_do_not_broadcast_are_named(
    module: ModuleOp, model: CompiledModule, name: str, number: int
):
    _, _, sizes, found = CASES[number]
    a, b = (np.zeros(size, np.float32) for size in sizes)
    said: set[str] = set()
    for attempt in (
        lambda: run(module, f"{name}{number}", a, b),
        lambda: model[f"{name}{number}"](a, b),
    ):
        with pytest.raises(RelaxError) as error:
            attempt()
        said.add(str(error.value))
    (message,) = said
    assert message.endswith(f"to be equal, or one of them 1, found {found}")
