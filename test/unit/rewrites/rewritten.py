"""Small functions for tests of rule sets, and their results before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from relax_dialect import BlockBuilder
from relax_dialect.builder import var
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.parsing import verify


def function(make: Callable[..., Any], *shapes: Sequence[Any], dtype: str = "f32") -> ModuleOp:
    """A function @main of tensors of some shapes; what `make(bb, ...)` gives is its result."""
    params = [var(f"x{i}", TensorType(shape, dtype)) for i, shape in enumerate(shapes)]
    bb = BlockBuilder()
    with bb.function("main", params):
        with bb.dataflow():
            made = make(bb, *params)
            several = isinstance(made, tuple)
            outputs = [bb.emit_output(value) for value in (made if several else (made,))]
        bb.emit_func_output(tuple(outputs) if several else outputs[0])
    return bb.get()


def outcome(module: ModuleOp, *arguments: np.ndarray) -> Any:
    with np.errstate(all="ignore"):
        return run(module, "main", *arguments)


def names(module: ModuleOp) -> list[str]:
    """The names of the operators of a module."""
    return [op.name.removeprefix("relax.") for op in walk_ops(module) if _is_operator(op)]


def _is_operator(op: Operation) -> bool:
    return bool(op.operands) and bool(op.results) and not op.regions


def assert_kept(
    module: ModuleOp,
    apply: Callable[[ModuleOp], int],
    *arguments: np.ndarray,
    tolerance: float = 1e-5,
) -> int:
    """Apply a rule set: the results stay, to a tolerance where they are finite, else exactly."""
    before = outcome(module, *arguments)
    count = apply(module)
    verify(module)
    after = outcome(module, *arguments)
    for a, b in zip(*((r if isinstance(r, tuple) else (r,)) for r in (before, after))):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(
            b.astype("f8"), a.astype("f8"), rtol=tolerance, atol=tolerance, equal_nan=True
        )
    return count


def special(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Random numbers, NaN, infinities and -0.0 among them."""
    x = random.uniform(-1, 1, shape).astype("f")
    flat = x.reshape(-1)
    flat[:4] = [np.nan, np.inf, -0.0, -np.inf]
    return x
