"""Functions of one element."""

from __future__ import annotations

import numpy as np

from peers.drawing import FLOATS, INTEGERS, NUMBERS, Draw
from peers.libraries import Function, by_numpy, by_torch, torch
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.ops import unary as ops

EXACT: dict[str, tuple[Build, Function, tuple[str, ...]]] = {
    "negative": (ops.NegativeOp, by_torch(torch.neg), NUMBERS),
    "abs": (ops.AbsOp, by_torch(torch.abs), NUMBERS),
    "sign": (ops.SignOp, by_numpy(np.sign), NUMBERS),
    "square": (ops.SquareOp, by_torch(lambda x: x * x), NUMBERS),
    "ceil": (ops.CeilOp, by_torch(torch.ceil), NUMBERS),
    "floor": (ops.FloorOp, by_torch(torch.floor), NUMBERS),
    "round": (ops.RoundOp, by_torch(torch.round), NUMBERS),
    "trunc": (ops.TruncOp, by_torch(torch.trunc), NUMBERS),
    "isnan": (ops.IsnanOp, by_torch(torch.isnan), FLOATS),
    "isinf": (ops.IsinfOp, by_torch(torch.isinf), FLOATS),
    "isfinite": (ops.IsfiniteOp, by_torch(torch.isfinite), FLOATS),
    "logical_not": (ops.LogicalNotOp, by_torch(torch.logical_not), ("bool",)),
    "bitwise_not": (ops.BitwiseNotOp, by_torch(torch.bitwise_not), (*INTEGERS, "bool")),
}
ROUNDED: dict[str, tuple[Build, Function]] = {
    "reciprocal": (ops.ReciprocalOp, by_torch(torch.reciprocal)),
    "exp": (ops.ExpOp, by_torch(torch.exp)),
    "exp2": (ops.Exp2Op, by_torch(torch.exp2)),
    "expm1": (ops.Expm1Op, by_torch(torch.expm1)),
    "log": (ops.LogOp, by_torch(torch.log)),
    "log2": (ops.Log2Op, by_torch(torch.log2)),
    "log10": (ops.Log10Op, by_torch(torch.log10)),
    "log1p": (ops.Log1pOp, by_torch(torch.log1p)),
    "sqrt": (ops.SqrtOp, by_torch(torch.sqrt)),
    "rsqrt": (ops.RsqrtOp, by_torch(torch.rsqrt)),
    "cbrt": (ops.CbrtOp, by_numpy(np.cbrt)),
    "sin": (ops.SinOp, by_torch(torch.sin)),
    "cos": (ops.CosOp, by_torch(torch.cos)),
    "tan": (ops.TanOp, by_torch(torch.tan)),
    "asin": (ops.AsinOp, by_torch(torch.asin)),
    "acos": (ops.AcosOp, by_torch(torch.acos)),
    "atan": (ops.AtanOp, by_torch(torch.atan)),
    "sinh": (ops.SinhOp, by_torch(torch.sinh)),
    "cosh": (ops.CoshOp, by_torch(torch.cosh)),
    "tanh": (ops.TanhOp, by_torch(torch.tanh)),
    "asinh": (ops.AsinhOp, by_torch(torch.asinh)),
    "acosh": (ops.AcoshOp, by_torch(torch.acosh)),
    "atanh": (ops.AtanhOp, by_torch(torch.atanh)),
    "erf": (ops.ErfOp, by_torch(lambda x: torch.erf(x.double()).to(x.dtype))),
    "erfc": (ops.ErfcOp, by_torch(torch.erfc)),
    "sigmoid": (ops.SigmoidOp, by_torch(torch.sigmoid)),
}


def enter(name: str, build: Build, meaning: Meaning, dtypes: tuple[str, ...], **how: float) -> None:
    @peer(name, **how)
    def draw(d: Draw) -> tuple[Build, Meaning]:
        d.array(d.shape(), d.one(dtypes))
        return build, meaning


for name, (build, meaning, dtypes) in EXACT.items():
    enter(name, build, meaning, dtypes, **exact)
for name, (build, meaning) in ROUNDED.items():
    enter(name, build, meaning, FLOATS, cancels=0)
