"""relax-fold-batch-norm against PyTorch and the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from effort import effort
from optional import package

from relax_dialect import BlockBuilder
from relax_dialect.builder import op
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.rewrites.algebra.dce import eliminate_dead_code
from relax_dialect.rewrites.algebra.fold_batch_norm import fold_batch_norms
from relax_dialect.rewrites.algebra.fold_constant import fold_constants

from .rewritten import assert_kept, function, names, outcome, special

torch = package("torch")
RANDOM = np.random.default_rng(0)


def numbers(*shape: int, least: float = -1) -> np.ndarray:
    return RANDOM.uniform(least, 1, shape).astype("f")


PARTS = [numbers(4, least=0.2), numbers(4), numbers(4), numbers(4, least=0.5)]
VECTORS = [(4,)] * 4


def norm(bb: BlockBuilder, x: Any, *parts: Any, **attributes: Any) -> Any:
    """The normalized x."""
    return bb.emit(op.batch_norm(x, *parts, training=False, **attributes))[0]


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("transposed", [False, True])
def test_convolutions_as_pytorch_has_them(rank: int, transposed: bool, bias: bool, groups: int):
    suffix = "_transpose" if transposed else ""
    kernel = numbers(4, 4 // groups, *(3,) * rank)
    window = {"strides": 2, "padding": 1, "groups": groups}

    def make(bb: BlockBuilder, x: Any, w: Any, b: Any, *parts: Any) -> Any:
        y = getattr(op, f"conv{rank}d{suffix}")(x, w, **window)
        return norm(bb, y + op.reshape(b, [1, 4, *[1] * rank]) if bias else y, *parts)

    module = function(make, ["n", 4, *(6,) * rank], kernel.shape, (4,), *VECTORS)
    arguments = [numbers(2, 4, *(6,) * rank), kernel, numbers(4), *PARTS]
    folds = not (transposed and groups > 1)
    assert assert_kept(module, fold_batch_norms, *arguments, tolerance=1e-4) == folds
    assert ("batch_norm" in names(module)) is not folds

    kind = "_transpose" if transposed else ""
    convolve = getattr(torch.nn.functional, f"conv{kind}{rank}d")
    x, w, b, gamma, beta, mean, var = map(torch.tensor, arguments)
    y = convolve(x, w, b if bias else None, stride=2, padding=1, groups=groups)
    expected = torch.nn.functional.batch_norm(y, mean, var, gamma, beta, training=False)
    np.testing.assert_allclose(outcome(module, *arguments), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kernel", ["OIHW", "HWIO", "OHWI"])
@pytest.mark.parametrize(("data", "out"), [("NCHW", None), ("NHWC", None), ("NCHW", "NHWC")])
def test_layouts(data: str, out: str | None, kernel: str):
    sizes = {"N": "n", "C": 3, "H": 5, "W": 6, "O": 4, "I": 3}
    axis = (out or data).index("C")

    def make(bb: BlockBuilder, x: Any, w: Any, *parts: Any) -> Any:
        y = op.conv2d(x, w, data_layout=data, kernel_layout=kernel, out_layout=out)
        return norm(bb, y, *parts, axis=axis)

    shape = [sizes[letter] for letter in data]
    weight = [sizes[letter] if letter in "OI" else 2 for letter in kernel]
    module = function(make, shape, weight, *VECTORS)
    x = numbers(*(2 if size == "n" else size for size in shape))  # pyright: ignore
    arguments = [x, numbers(*weight), *PARTS]  # pyright: ignore
    assert assert_kept(module, fold_batch_norms, *arguments) == 1
    assert "batch_norm" not in names(module)


@pytest.mark.parametrize("flags", [{"center": False}, {"scale": False}, {"epsilon": 0.1}, {}])
@pytest.mark.parametrize("form", ["matmul", "matmul + b", "linear", "linear with b", "linear + b"])
def test_products(form: str, flags: dict[str, Any]):
    def make(bb: BlockBuilder, x: Any, w: Any, b: Any, *parts: Any) -> Any:
        bias = b if "with" in form else None
        y = op.matmul(x, w) if "matmul" in form else op.linear(x, op.permute_dims(w), bias)
        return norm(bb, y + b if "+" in form else y, *parts, **flags)

    module = function(make, ["n", 3], [3, 4], [4], *VECTORS)
    count = assert_kept(module, fold_batch_norms, numbers(2, 3), numbers(3, 4), numbers(4), *PARTS)
    assert count == 1 and "batch_norm" not in names(module)


def expanded(form: str, y: Any, gamma: Any, beta: Any, mean: Any, var: Any) -> Any:
    """Batch normalization of [n, 4, h, w] as exporters write it out."""
    gamma, beta, mean, var = (op.reshape(p, [1, 4, 1, 1]) for p in (gamma, beta, mean, var))
    root = op.sqrt(var + 1e-5)
    match form:
        case "in order":
            return (y - mean) / root * gamma + beta
        case "rsqrt":
            return (y - mean) * op.rsqrt(var + 1e-5) * gamma + beta
        case "scale first":
            return (y - mean) * (gamma / root) + beta
        case "scale and shift":
            return y * (gamma / root) + (beta - mean * (gamma / root))
        case _:
            return gamma * ((y + op.negative(mean)) / root) + beta


@pytest.mark.parametrize(
    "form", ["in order", "rsqrt", "scale first", "scale and shift", "gamma first"]
)
@pytest.mark.parametrize("are_constants", [False, True])
def test_written_out(form: str, are_constants: bool):
    kernel = numbers(4, 3, 3, 3)

    def make(bb: BlockBuilder, x: Any, w: Any, *parts: Any) -> Any:
        given = [*PARTS] if are_constants else [*parts]
        given = [bb.emit(p) for p in given] if are_constants else given
        return expanded(form, op.conv2d(x, bb.emit(kernel) if are_constants else w), *given)

    module = function(make, ["n", 3, 5, 5], kernel.shape, *VECTORS)
    fold_constants(module)

    def fold(module: Any) -> int:
        count = fold_batch_norms(module)
        fold_constants(module)
        eliminate_dead_code(module)
        return count

    assert assert_kept(module, fold, numbers(2, 3, 5, 5), kernel, *PARTS, tolerance=1e-4) >= 1
    if are_constants:
        assert names(module)[:2] == ["conv2d", "add"] and names(module).count("add") == 1
    else:
        after = names(module)[names(module).index("conv2d") :]
        assert after.count("multiply") + after.count("divide") <= 3  # of the channels only


def test_special_values_stay():
    def make(bb: BlockBuilder, x: Any, w: Any, *parts: Any) -> Any:
        return norm(bb, op.conv2d(x, w), *parts)

    module = function(make, ["n", 3, 6, 6], [4, 3, 2, 2], *VECTORS)
    x = special(RANDOM, 2, 3, 6, 6)
    assert assert_kept(module, fold_batch_norms, x, numbers(4, 3, 2, 2), *PARTS) == 1


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64"])
def test_other_element_types(dtype: str):
    def make(bb: BlockBuilder, x: Any, w: Any, *parts: Any) -> Any:
        return norm(bb, op.conv2d(x, w), *parts)

    module = function(make, ["n", 3, 6, 6], [4, 3, 2, 2], *VECTORS, dtype=dtype)
    arguments = [numbers(2, 3, 6, 6), numbers(4, 3, 2, 2), *PARTS]
    cast = [a.astype(numpy_dtype(parse_dtype(dtype))) for a in arguments]
    tolerance = {"f16": 4e-3, "bf16": 3e-2, "f64": 1e-12}[dtype]
    assert assert_kept(module, fold_batch_norms, *cast, tolerance=tolerance) == 1


def test_weights_of_constants_become_one_constant():
    def make(bb: BlockBuilder, x: Any) -> Any:
        y = op.conv2d(x, bb.emit(numbers(4, 3, 2, 2)))
        return norm(bb, y, *map(bb.emit, PARTS))

    module = function(make, ["n", 3, 6, 6])
    assert fold_batch_norms(module) == 1
    fold_constants(module)
    eliminate_dead_code(module)
    assert names(module) == ["conv2d", "add"]


@pytest.mark.long
def test_work_is_linear():
    def work(length: int) -> int:
        def make(bb: BlockBuilder, x: Any, w: Any, *parts: Any) -> Any:
            for _ in range(length):
                x = norm(bb, bb.emit(op.linear(x, w)), *parts)
            return x

        module = function(make, ["n", 4], [4, 4], *VECTORS)
        return effort(lambda: fold_batch_norms(module))

    work(2)
    assert work(160) < 2.5 * work(80)
