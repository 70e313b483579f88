"""Operators element by element, and along an axis."""

from __future__ import annotations

from relax_dialect.builder import op

from .case import Case, case, fixed

CASES: dict[str, Case] = {}
for name in (
    *[
        "negative",
        "abs",
        "square",
        "exp",
        "exp2",
        "expm1",
        "cbrt",
        "sin",
        "cos",
        "tan",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "erf",
        "erfc",
    ],
    *[
        "sigmoid",
        "relu",
        "relu6",
        "leakyrelu",
        "elu",
        "celu",
        "selu",
        "silu",
        "gelu",
        "gelu_tanh",
        "quick_gelu",
        "hard_sigmoid",
    ],
    *[
        "hard_swish",
        "hard_tanh",
        "softplus",
        "softsign",
        "mish",
        "log_sigmoid",
        "thresholded_relu",
        "hard_shrink",
    ],
    *["soft_shrink", "tanh_shrink"],
):
    CASES[name] = case(getattr(op, name), (2, 3))
for name in [
    "reciprocal",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "asin",
    "acos",
    "atanh",
]:
    CASES[name] = case(getattr(op, name), (2, 3), low=0.2, high=0.9)
CASES["acosh"] = case(op.acosh, (2, 3), low=1.1, high=3.0)

PAIRS = {
    "same": ((2, 3), (2, 3)),
    "row": ((2, 3), (3,)),
    "both": ((1, 3), (2, 1)),
    "number": ((), (3,)),
}
for name in ["add", "subtract", "multiply", "maximum", "minimum", "atan2", "log_add_exp"]:
    for kind, shapes in PAIRS.items():
        CASES[f"{name}_{kind}"] = case(getattr(op, name), *shapes)
for kind, shapes in PAIRS.items():
    CASES[f"divide_{kind}"] = case(op.divide, *shapes, low=0.5)
    CASES[f"power_{kind}"] = case(op.power, *shapes, low=0.2)
CASES |= {
    "where": case(lambda a, b, c: op.where(a > 0.0, b, c), (2, 3), (2, 3), (3,)),
    "ewise_fma": case(op.ewise_fma, (2, 3), (3,), (2, 1)),
    "lerp": case(op.lerp, (2, 3), (3,), (2, 1)),
    "clip": case(lambda x: op.clip(x, -0.5, 0.5), (2, 3)),
    "clip_one_side": case(lambda x: op.clip(x, None, 0.5), (2, 3)),
    "masked_fill": case(lambda x, y: op.masked_fill(x, y > 0.0, 2.0), (2, 3), (2, 3)),
    "prelu": case(lambda x, a: op.prelu(x, a, 1), (2, 3, 2), (3,)),
    "glu": fixed(lambda x: op.glu(x, 1), (2, 4)),
    "astype": case(lambda x: op.astype(x, "f64"), (2, 3)),
}
for name in ["softmax", "log_softmax"]:
    for axis in (0, -1):
        CASES[f"{name}_{axis}"] = case(lambda x, f=name, a=axis: getattr(op, f)(x, a), (2, 3))
for kind, shapes in PAIRS.items():
    for name in ("floor_mod", "mod"):
        CASES[f"{name}_{kind}"] = case(getattr(op, name), *shapes, low=0.3)
