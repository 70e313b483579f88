"""Linear algebra against PyTorch and ONNX Runtime."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from optional import package

from relax_dialect.ops.linear_algebra import (
    EinsumOp,
    LinearOp,
    MatmulOp,
    OuterOp,
    TensordotOp,
    TraceOp,
)

from .onnx_peer import onnx_runtime
from .peers import agree

torch = package("torch")

TOLERANCE = {"float16": 5e-3, "float32": 1e-5, "float64": 1e-11}

EINSUMS = {
    "bij,bjk->bik": [(2, 3, 4), (2, 4, 5)],
    "bij,bjk": [(2, 3, 4), (2, 4, 5)],
    "...ij,...jk->...ik": [(2, 1, 3, 4), (5, 4, 3)],
    "i...->...": [(3, 4, 5)],
    "ii->i": [(4, 4)],
    "iji": [(3, 2, 3)],
    "i,j,k->kij": [(2,), (3,), (4,)],
    "bnd,hd,be->bnhe": [(2, 3, 4), (5, 4), (2, 3)],
    "Aa,aA": [(3, 4), (4, 3)],
    "ij->": [(3, 4)],
}

NOT_IN_ONNX = {"...ij,...jk->...ik": "axes of different number", "Aa,aA": "capital letters"}


def normal(seed: int, *shape: int, dtype: str = "float32") -> np.ndarray:
    return np.asarray(np.random.default_rng(seed).standard_normal(shape)).astype(dtype)


@pytest.mark.parametrize("subscripts", EINSUMS)
def test_einsum_agrees_with_torch_and_onnx(subscripts: str):
    arrays = [normal(seed, *shape) for seed, shape in enumerate(EINSUMS[subscripts])]
    peers = [torch.einsum(subscripts, *map(torch.tensor, arrays)).numpy()]
    if subscripts not in NOT_IN_ONNX:
        peers += onnx_runtime("Einsum", arrays, equation=subscripts)
    for expected in peers:
        agree(lambda *x: EinsumOp(x, subscripts), arrays, expected, compiled=True, tolerance=1e-5)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", [(7,), (3, 7), (2, 3, 7)])
def test_linear_agrees_with_torch(shape: tuple[int, ...], dtype: str):
    arrays = [normal(seed, *s, dtype=dtype) for seed, s in enumerate((shape, (5, 7), (5,)))]
    expected = torch.nn.functional.linear(*map(torch.tensor, arrays)).numpy()
    tolerance = TOLERANCE[dtype]
    agree(LinearOp, arrays, expected, compiled=len(shape) == 2, tolerance=tolerance)


def test_outer_tensordot_and_trace_agree_with_torch():
    a, b, square = normal(0, 4), normal(1, 5), normal(2, 5, 5)
    agree(OuterOp, [a, b], torch.outer(torch.tensor(a), torch.tensor(b)).numpy())
    agree(TraceOp, [square], torch.trace(torch.tensor(square)).numpy())
    x, y, axes = normal(0, 2, 3, 4), normal(1, 4, 5, 2), [[0, -1], [-1, 0]]
    expected = torch.tensordot(torch.tensor(x), torch.tensor(y), dims=axes).numpy()
    agree(lambda x, y: TensordotOp(x, y, axes), [x, y], expected, compiled=True, tolerance=1e-5)


def test_bf16_accumulates_in_f32_as_torch():
    a, b = normal(0, 3, 300), normal(1, 300, 2)
    operands = [x.astype(ml_dtypes.bfloat16) for x in (a, b)]
    narrow = [torch.tensor(x.astype("f")).bfloat16() for x in operands]
    expected = (narrow[0] @ narrow[1]).float().numpy().astype(ml_dtypes.bfloat16)
    agree(MatmulOp, operands, expected, compiled=True, tolerance=1e-2)
