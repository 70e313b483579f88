"""The first stages of prim funcs by other kernels: what matches, what is computed, and what stays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lowering import lower
from relax_dialect import RelaxError, te
from relax_dialect.builder import BlockBuilder
from relax_dialect.interpret import register_packed, run
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import verify
from relax_dialect.rewrites.partition.split_call_tir_by_pattern import split_call_tir_by_pattern
from relax_dialect.rewrites.partition.splitting.prim_func_stages import MatchResult


def product(x: te.Tensor, w: te.Tensor) -> te.Tensor:
    k = te.reduce_axis((0, w.shape[0]), name="k")
    return te.compute(
        (x.shape[0], w.shape[1]), lambda i, j: te.sum(x[i, k] * w[k, j], axis=[k]), name="product"
    )


def biased(x: te.Tensor, b: te.Tensor) -> te.Tensor:
    return te.compute(x.shape, lambda i, j: x[i, j] + b[j], name="biased")


def relu(x: te.Tensor) -> te.Tensor:
    return te.compute(x.shape, lambda i, j: te.maximum(x[i, j], 0.0), name="relu")


def layer(x: te.Tensor, w: te.Tensor, b: te.Tensor) -> te.Tensor:
    return relu(biased(product(x, w), b))


def twice(x: te.Tensor, w: te.Tensor, b: te.Tensor) -> list[te.Tensor]:
    made = product(x, w)
    return [made, relu(biased(made, b))]


def pattern(make: Any, *shapes: Any, name: str | None = None) -> func.FuncOp:
    given = [te.placeholder(shape, "f32", name=f"p{i}") for i, shape in enumerate(shapes)]
    return te.create_prim_func([*given, make(*given)], name or make.__name__)


def module(make: Any = layer) -> ModuleOp:
    bb = BlockBuilder()
    types = {"x": TensorType(["n", 16], "f32"), "w": TensorType([16, 8], "f32"), "b": TensorType([8], "f32")}  # fmt: skip
    with bb.function("main", types) as (x, w, b):
        with bb.dataflow():
            made = bb.emit_te(make, x, w, b)
            y = bb.emit_output(made[1] if make is twice else made)
        bb.emit_func_output(y)
    return bb.get()


PRODUCT = pattern(product, ["m", "k"], ["k", "l"])
BIASED = pattern(biased, ["m", "l"], ["l"])


def given(rows: int = 3) -> Sequence[np.ndarray]:
    draw = np.random.default_rng(0)
    return [draw.normal(size=s).astype("f") for s in ((rows, 16), (16, 8), 8)]


@pytest.mark.parametrize("count", [1, 2, None])
def test_packed_functions(count: int | None) -> None:
    """One match, two of three stages by two patterns, or as many as there are."""
    changed, x, name = module(), given(), f"test.split_{count}"
    seen: list[MatchResult] = []

    def codegen(matches: Sequence[MatchResult]) -> Any:
        seen.extend(matches)
        return name if count is None else (name, count)

    assert split_call_tir_by_pattern(changed, [PRODUCT, BIASED], codegen) == 1
    verify(changed)
    assert [m.pattern for m in seen] == [PRODUCT, BIASED]
    assert {n: str(e) for n, e in seen[0].sizes.items()} == {"m": "n", "k": "16", "l": "8"}
    (epilogue,) = (op for op in changed.ops if isinstance(op, func.FuncOp))
    assert len(epilogue.body.block.args) == (2 if count == 1 else 1)

    def kernel(*arrays: np.ndarray) -> None:
        x, w, *b, out = arrays
        out[...] = x @ w + (b[0] if b else 0)

    register_packed(name, kernel)
    np.testing.assert_allclose(run(changed, "main", *x), run(module(), "main", *x), rtol=1e-4)


def test_prim_funcs() -> None:
    """Another prim func computes what matches, compiled too; the whole of a prim func may match."""
    other = pattern(product, ["m", "k"], ["k", "l"], name="mine")
    changed = module()
    assert split_call_tir_by_pattern(changed, [PRODUCT], lambda matches: other) == 1
    names = {op.sym_name.data for op in changed.ops if isinstance(op, func.FuncOp)}
    assert names == {"mine", "unfused_epilogue"}
    np.testing.assert_allclose(
        run(changed, "main", *given()), run(module(), "main", *given()), rtol=1e-4
    )
    whole = module(lambda x, w, b: product(x, w))
    assert split_call_tir_by_pattern(whole, [PRODUCT], lambda matches: "test.whole") == 1
    assert not any(isinstance(op, func.FuncOp) for op in whole.ops)


def test_what_stays() -> None:
    odd = pattern(product, ["m", "m"], ["m", "l"])
    fixed = pattern(product, ["m", 16], [16, 9])
    other = te.create_prim_func(
        [a := te.placeholder((4,), "f32"), te.compute((4,), lambda i: -a[i])]
    )
    for patterns, make, answer in (
        ([odd, fixed, other, BIASED], layer, "test.split"),
        ([PRODUCT], twice, "test.split"),
        ([PRODUCT], layer, None),
    ):
        kept = module(make)
        before = str(kept)
        assert split_call_tir_by_pattern(kept, patterns, lambda matches, answer=answer: answer) == 0
        assert str(kept) == before
    with pytest.raises(
        RelaxError, match="the number of matches that a kernel computes, 1 to 1, found 2"
    ):
        split_call_tir_by_pattern(module(), [PRODUCT], lambda matches: ("test.split", 2))


def test_patterns_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "patterns.mlir"
    file.write_text("builtin.module {}")
    with pytest.raises(RelaxError, match=r"expected prim funcs on tensors in .*patterns\.mlir"):
        lower(module(), [f'relax-split-call-tir-by-pattern{{file="{file}"}}'])
    file.write_text(str(ModuleOp([PRODUCT.clone(), BIASED.clone()])))
    changed = lower(module(), [f'relax-split-call-tir-by-pattern{{file="{file}"}}'])
    assert 'relax.call_dps_packed "product_biased"(%x, %w, %b)' in str(changed)
