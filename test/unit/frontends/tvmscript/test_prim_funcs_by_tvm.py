"""Prim funcs of ours that TVM schedules, builds and runs, and those of TVM that we read, interpret and compile.

`support/tvm_prim_funcs.py` does it for all operators, `support/tvm_schedules.py` for as many schedules as asked for.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from optional import package

package("tvm")
package("torch")

import tvm_prim_funcs  # noqa: E402
import tvm_schedules  # noqa: E402

OPERATORS = ("matmul", "softmax", "conv2d", "cumprod", "topk", "strided_slice", "concat", "astype",
             "max_pool2d", "layer_norm", "gather_nd", "resize2d", "gather_elements")  # fmt: skip
"""One of each family; theirs are those that TVM has too."""


def trial(operator: str) -> tvm_prim_funcs.Trial:
    """The first one that has elements: TVM gives a reduction of none no value."""
    drawn = tvm_prim_funcs.trials(5, "committed", operator)
    return next(
        t for t in drawn if t.peer.operator == operator and all(np.size(a) for a in t.arguments)
    )


@pytest.mark.parametrize("operator", OPERATORS)
def test_tvm_runs_what_we_write(operator: str):
    assert tvm_prim_funcs.ours(trial(operator)) == tvm_prim_funcs.AGREE


@pytest.mark.parametrize("operator", OPERATORS[:8])
def test_we_run_what_tvm_writes(operator: str):
    assert tvm_prim_funcs.theirs(trial(operator)) == tvm_prim_funcs.AGREE


@pytest.mark.parametrize("number", (0, 3, 5), ids=("product", "softmax", "argmax"))
def test_schedules_of_tvm_keep_their_values(number: int):
    rng = random.Random(number)
    for _ in range(2):
        script = tvm_schedules.scheduled(rng, number)
        assert tvm_schedules.outcome((number, script)) == tvm_schedules.AGREE, script
