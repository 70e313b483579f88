"""Operands that do not broadcast: interpreter and C stop, and name the sizes in the same words."""

from __future__ import annotations

import numpy as np
import pytest

import lowering
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType

Size = int | str


@pytest.mark.parametrize(
    ("left", "right", "sizes", "found"),
    [
        (["n", "m"], ["k"], ((3, 2), (3,)), "2 and 3"),
        (["n", "m"], ["k", "m"], ((3, 2), (4, 2)), "3 and 4"),
        (["n"], [4], ((3,), (4,)), "3 and 4"),
        ([4, "n"], ["m", "n"], ((4, 0), (3, 0)), "3 and 4"),
    ],
)
@pytest.mark.parametrize("name", ["add", "less", "power", "where", "lerp"])
def test_sizes_that_do_not_broadcast_are_named(
    name: str,
    left: list[Size],
    right: list[Size],
    sizes: tuple[tuple[int, ...], tuple[int, ...]],
    found: str,
):
    bb = BlockBuilder()
    params = {"x": TensorType(left, "f32"), "y": TensorType(right, "f32")}
    with bb.function("main", params) as (x, y):
        operator = getattr(op, name)
        operands = {"where": (x > 0.0, x, y), "lerp": (x, x, y)}.get(name, (x, y))
        bb.emit_func_output(bb.emit(operator(*operands)))
    module = bb.get()
    a, b = (np.zeros(size, np.float32) for size in sizes)
    said: set[str] = set()
    for attempt in (
        lambda: run(module, "main", a, b),
        lambda: lowering.compile(module, extra_flags=["-O0"])["main"](a, b),
    ):
        with pytest.raises(RelaxError) as error:
            attempt()
        said.add(str(error.value))
    (message,) = said
    assert message.endswith(f"to be equal, or one of them 1, found {found}")
