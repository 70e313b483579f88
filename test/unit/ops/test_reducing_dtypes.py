"""Reductions, running reductions, searches and sorts in the element types that their tables of cases leave
out: the C gives what the interpreter gives, which numpy computes in the same type (bf16 in f32)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sampling import sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lowering.runtime.loading import CompiledModule
from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ops import cumulative, search, sorting, statistical
from relax_dialect.ops.base import IllFormedOpError

from .compiled import Case, compile_some, tensor

TYPES = ("bf16", "i16", "i32", "ui16", "ui32", "ui64")
TOLERANCE = 2e-2
"""Of bf16, which has 8 bits: numpy sums pairwise, so that a few results round to the neighbour."""

MADE: dict[str, Callable[[Any], Operation]] = {
    **{op.__name__: lambda x, op=op: op(x, 1) for op in statistical.OPS},  # pyright: ignore
    **{
        op.__name__: op
        for op in (
            *cumulative.OPS,
            *sorting.OPS,
            search.ArgmaxOp,
            search.ArgminOp,
            search.NonzeroOp,
        )
    },
    "UniqueOp": lambda x: search.UniqueOp(x, False, True, True, True),
}


def cases() -> dict[str, Case]:
    """Every operator on the types that it takes."""
    found: dict[str, Case] = {}
    for name, made in MADE.items():
        for dtype in TYPES:
            case = Case(made, [tensor("n", "m", dtype=dtype)], lambda x: x)
            try:
                case.function("f")
            except IllFormedOpError:
                continue
            found[f"{name}_{dtype}"] = case
    return found


CASES = cases()


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_some({name: CASES[name] for name in sampled(CASES)})


def test_which_types_are_taken():
    """Logic needs truth values, fractions need floats; all else takes every number."""
    floats = {*statistical.FloatReductionOp.__subclasses__(), cumulative.LogcumsumexpOp}
    logic = set(statistical.LogicalReductionOp.__subclasses__())
    expected = {
        f"{name}_{dtype}"
        for name in set(MADE) - {op.__name__ for op in logic}
        for dtype in (("bf16",) if name in {op.__name__ for op in floats} else TYPES)
    }
    assert set(CASES) == expected


def values(name: str, shape: tuple[int, int]) -> np.ndarray:
    dtype = name.rpartition("_")[2]
    random = np.random.default_rng(sum(shape))
    x = np.round(random.standard_normal(shape) * 20)
    if dtype == "bf16":
        x = x / 16
        x[-1, -1] = np.nan
    return (np.abs(x) if dtype.startswith("u") else x).astype(numpy_dtype(parse_dtype(dtype)))


@pytest.mark.parametrize("shape", [(5, 7), (3, 150), (2, 1)], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_c_and_interpreter_agree(model: CompiledModule, name: str, shape: tuple[int, int]):
    x = values(name, shape)
    results = [run(ModuleOp([CASES[name].function(name)]), name, x), model[name](x)]
    interpreted, compiled = (r if isinstance(r, tuple) else (r,) for r in results)
    for one, other in zip(interpreted, compiled, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.dtype.kind in "iu":
            np.testing.assert_array_equal(one, other)
        else:
            np.testing.assert_allclose(one.astype("f"), other.astype("f"), TOLERANCE, TOLERANCE)
