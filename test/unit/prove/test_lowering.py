"""What lowers elementwise programs is proved: prim funcs compute what the operators do, and fused ones the same."""

from __future__ import annotations

import random

import pytest
from fuzz import proofs
from optional import package
from proof_cases import DTYPES, OPS, made, vector

import lowering
from relax_dialect.builder import op as ops
from relax_dialect.ir.types import TensorType
from relax_dialect.prove import VerdictKind, prove

package("z3", "prove")

LEGALIZED = ("relax-legalize",)
FUSED = ("relax-legalize", "relax-fuse-elementwise")
UNARY = ("abs", "negative", "relu6", "sign", "round", "sqrt", "exp", "isnan", "bitwise_not")
BINARY = ("add", "divide", "maximum", "floor_divide", "right_shift", "less", "logical_and")


def unproved(types, build, passes) -> str | None:
    """Why a pipeline is not proved on a program; None if it is, or there is no such program."""
    before = made(types, build)
    if before is None:
        return None
    after = before.clone()
    lowering.lower(after, passes)
    (verdict,) = prove(before, after)
    return None if verdict.kind is VerdictKind.PROVED else f"{verdict}\n{after}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_operators(dtype: str):
    for name in (*UNARY, *BINARY):
        x = vector(dtype)
        types = [x] if name in UNARY else [x, x]
        is_outside = name == "floor_divide" and dtype in ("f16", "bf16", "f32", "f64")
        if not is_outside:
            assert unproved(types, OPS[name], LEGALIZED) is None, name


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i8", "ui32", "i1"])
def test_casts(dtype: str):
    for target in DTYPES:
        build = lambda x, target=target: x.astype(target)  # noqa: E731
        assert unproved([vector(dtype)], build, LEGALIZED) is None, target


def test_chains():
    x, y = TensorType(["n", "m"], "f32"), TensorType(["m"], "f32")
    found = unproved([x, y], lambda x, y: ops.permute_dims(ops.relu(x + y) * x), FUSED)
    assert found is None
    found = unproved([x], lambda x: ops.exp(ops.reshape(ops.negative(x), ["m", "n"])), FUSED)
    assert found is None


def test_a_wrong_prim_func_is_refuted():
    before = made([vector("f32")], ops.relu)
    assert before is not None
    after = before.clone()
    lowering.lower(after, LEGALIZED)
    (maximum,) = (op for op in after.walk() if op.name == "arith.maximumf")
    maximum.operands = maximum.operands[::-1]  # of equal zeros the first is given
    (verdict,) = prove(before, after)
    assert verdict.kind is VerdictKind.REFUTED and "-0.0 before, 0.0 after" in verdict.detail


def test_programs_of_chance():
    found = [proofs.proved(random.Random(seed)) for seed in range(12)]
    assert found.count(VerdictKind.PROVED) > 8
