"""Eight products of 2048 x 2048 in a row, with weights of fewer bits, and with rows of integers too."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32

from bench.languages.plain_numpy import Numpy
from bench.work import Input, Network, Work
from bench.works.products import weights
from relax_dialect.builder.constant_values import array
from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.linear_algebra import MatmulOp
from relax_dialect.ops.quantization import DequantizeOp
from relax_dialect.rewrites.quantization.quantize_activations import quantize_activations

SIZE, COUNT, GROUP = 2048, 8, 32
LARGEST = {4: 7, 8: 127}
"""The largest integer of a number of bits."""


@cache
def chain() -> Network:
    """Build the product with each of the weights."""
    matrices = [weights(SIZE, SIZE, seed=n) for n in range(COUNT)]

    def network(o, x):  # pyright: ignore
        for w in matrices:
            x = o.matmul(x, o.const(w))
        return x

    return network  # pyright: ignore


def in_floats(x: np.ndarray) -> np.ndarray:
    return chain()(Numpy({}), x)


def narrowed(module: ModuleOp, bits: int, *, in_integers: bool) -> None:
    """Store the weights of our network as integers with a scale for each group of rows."""
    for op in [op for op in module.walk() if isinstance(op, MatmulOp)]:
        constant = op.rhs.owner
        assert isinstance(constant, ConstantOp) and op.parent is not None
        groups = from_dense(constant.value).reshape(-1, GROUP, SIZE)  # pyright: ignore
        scale = np.abs(groups).max(1) / LARGEST[bits]
        codes = np.rint(groups / scale[:, None]).astype(np.int8).reshape(SIZE, SIZE)
        parts = [array(each) for each in (codes, scale, np.zeros((), np.int8))]
        q, s, zero = parts
        floats = DequantizeOp(q, s, zero, 0, f32, GROUP)
        op.parent.insert_ops_before([*parts, floats], op)
        op.operands[1] = floats.results[0]
    if in_integers:
        quantize_activations(module, GROUP)


def _works() -> Iterator[Work]:
    forms = {
        "f32": None,
        "i8 in groups": partial(narrowed, bits=8, in_integers=False),
        "i4 in groups": partial(narrowed, bits=4, in_integers=False),
        "i8 in groups, rows of i8": partial(narrowed, bits=8, in_integers=True),
        "i4 in groups, rows of i8": partial(narrowed, bits=4, in_integers=True),
    }
    for rows in (1, 128):
        for name, prepare in forms.items():
            yield Work(
                f"{COUNT} matmuls, {rows} x {SIZE} x {SIZE}, weights {name}",
                chain(),
                (Input(("n", SIZE)),),
                {"n": rows},
                2 * COUNT * rows * SIZE * SIZE,
                core=rows == 1 and name == "i4 in groups, rows of i8",
                static=False,
                tolerance=1e-3 if prepare is None else 0.6,
                expected=in_floats,
                prepare=prepare,
            )


WORKS = (*_works(),)
