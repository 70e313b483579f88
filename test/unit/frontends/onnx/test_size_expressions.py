"""Names of sizes that are expressions, as `torch.export` writes `4*h`: sizes that their variables are solved from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_models import expected, helper, model, value

import lowering
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.onnx import load
from relax_dialect.frontends.onnx.size_expressions import expressions_among

F32 = np.float32


def pooled(*sizes: int | str) -> Any:
    """The largest of each square of 4 x 4 pixels."""
    node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[4, 4], strides=[4, 4])
    return model([node], [value("x", F32, sizes)], ["y"], {}, opset=19)


def parameters(tested: Any, **options: Any) -> str:
    text = str(load(tested, **options))
    return text[text.index("@main(") : text.index(" ->")]


def test_pooled_images():
    """One compiled model for all multiples of 4, which ONNX computes too; others are refused by name."""
    tested = pooled("n", 3, "4*h", "4*w")
    assert "%x: !relax.tensor<[n, 3, 4 * h, 4 * w], f32>" in parameters(tested)
    compiled = lowering.compile(load(tested), "pooled", cpu="generic", extra_flags=["-O0"])
    for shape in ((1, 3, 8, 12), (2, 3, 4, 0), (2, 3, 16, 4)):
        x = np.random.default_rng(0).normal(size=shape).astype(F32)
        if x.size:
            np.testing.assert_array_equal(compiled.main(x), expected(tested, {"x": x})[0])
        else:
            assert compiled.main(x).shape == (2, 3, 1, 0)
    with pytest.raises(RelaxError, match=r"expected size 4 \* w in dimension 3 .* found 6"):
        compiled.main(np.zeros((1, 3, 8, 6), F32))


@pytest.mark.parametrize(
    ("sizes", "options", "expected"),
    [
        (("n", 3, "4*h", "4*w"), {"dims": {"h": 2}}, "[n, 3, 8, 4 * w]"),
        (("n", 3, "4*h", "4*w"), {"dims": {"4*h": 8}}, "[n, 3, 8, 4 * w]"),
        (("n", 3, "4*h", "4*w"), {"dims": {"h": 2, "4*h": 8}}, "[n, 3, 8, 4 * w]"),
        (("n", "h", "4*h", "w"), {"dims": {"4*h": 8}}, "[n, 2, 8, w]"),
        (("n", 3, "4*h", "4*w"), {"dims": {"x": ["n", 3, "8*h", 4]}}, "[n, 3, 8 * h, 4]"),
        (("n", "past", "past + n", "w"), {}, "[n, past, n + past, w]"),
        (("n", "n//2", "h", "w"), {}, "[n, n floordiv 2, h, w]"),
        (("n", "n//2", "m//2", "w"), {}, "[n, n floordiv 2, m__2, w]"),
        (("batch", "batch-size", "a*b", "2 * (n"), {}, "[batch, batch_size, a_b, n_2____n]"),
    ],
    ids=str,
)
def test_names_of_sizes(sizes: tuple[int | str, ...], options: dict[str, Any], expected: str):
    """Those that define their variables are expressions, any others names."""
    tested = model([helper.make_node("Relu", ["x"], ["y"])], [value("x", F32, sizes)], ["y"], {})
    assert f"%x: !relax.tensor<{expected}, f32>" in parameters(tested, **options)


def test_fixed_sizes_that_are_none():
    with pytest.raises(RelaxError, match=r"expected a value of '4\*h' for integers .* found 9"):
        load(pooled("n", 3, "4*h", "4*w"), dims={"4*h": 9})
    with pytest.raises(RelaxError, match=r"expected a value of '4\*h' for integers .* found 8"):
        load(pooled("n", 3, "4*h", "4*w"), dims={"4*h": 8, "h": 3})
    with pytest.raises(RelaxError, match=r"dims: expected the name of a size .* found 'v'"):
        load(pooled("n", 3, "4*h", "4*w"), dims={"v": 9})


def test_expressions_need_definitions():
    assert expressions_among(["a + b", "b + c"]) == {}
    assert list(expressions_among(["a + b", "b + c", "c"])) == ["a + b", "b + c"]
