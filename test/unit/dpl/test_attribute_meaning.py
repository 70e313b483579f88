"""`has_attr` compares what attributes mean, however they are spelled, in text and from Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i64
from xdsl.ir import Operation

from relax_dialect import parse
from relax_dialect.builder import BlockBuilder, Expression, op, var
from relax_dialect.dpl import is_op
from relax_dialect.ir.types import TensorType

IMAGES = {"x": [1, 4, 9, 9], "w": [4, 4, 3, 3]}


def built(make: Callable[..., Expression], *shapes: list[int | str] | None) -> Operation:
    """The op of an expression of parameters of the given shapes."""
    given = [var(f"p{i}", TensorType(shape, "f32")) for i, shape in enumerate(shapes)]  # pyright: ignore
    bb = BlockBuilder()
    with bb.function("f", given):
        result = bb.emit(make(*given))
        bb.emit_func_output(result)
    return result.value.owner


def conv(**attributes: Any) -> Operation:
    return built(lambda x, w: op.conv2d(x, w, **attributes), [1, 4, 9, 9], [4, 4, 3, 3])


MEANINGS: dict[str, tuple[Callable[[], Operation], dict[str, list[object]]]] = {
    "plain conv2d": (
        conv,
        {
            "data_layout": ["NCHW", None],
            "out_layout": ["NCHW", None],
            "kernel_layout": ["OIHW"],
            "strides": [1, [1], [1, 1], (1, 1)],
            "padding": [0, [0], [0, 0], [0, 0, 0, 0]],
            "groups": [1, None, IntegerAttr(1, 64)],
            "out_dtype": [None, "float32", "f32"],
        },
    ),
    "conv2d with strides": (lambda: conv(strides=2), {"strides": [2, [2], [2, 2]]}),
    "conv2d with padding": (
        lambda: conv(padding=[1, 2]),
        {"padding": [[1, 2], [1, 2, 1, 2], DenseArrayBase.from_list(i64, [1, 2, 1, 2])]},
    ),
    "conv2d of NHWC": (
        lambda: built(lambda x, w: op.conv2d(x, w, data_layout="NHWC"), [1, 9, 9, 4], [4, 4, 3, 3]),
        {"data_layout": ["NHWC"], "out_layout": ["NHWC", None]},
    ),
    "softmax": (lambda: built(op.softmax, [2, "n"]), {"axis": [-1, 1]}),
    "softmax of unknown rank": (lambda: built(op.softmax, None), {"axis": [-1]}),
    "sum": (
        lambda: built(lambda x: op.sum(x, axis=[1, 0]), [2, 3]),
        {"axis": [[0, 1], [-1, -2], None], "keepdims": [False, None]},
    ),
    "permute_dims": (
        lambda: built(op.permute_dims, [2, 3, 4]),
        {"axes": [None, [2, 1, 0], [-1, -2, -3]]},
    ),
    "stack": (
        lambda: built(lambda x, y: op.stack([x, y], axis=-1), [2], [2]),
        {"axis": [-1, 1]},
    ),
    "layer_norm": (
        lambda: built(lambda x, g: op.layer_norm(x, g, g, -1), [2, 3], [3]),
        {"axes": [1, -1, [1]], "epsilon": [1e-5, None], "center": [True, None]},
    ),
}


@pytest.mark.parametrize("name", MEANINGS)
def test_what_means_the_same_matches(name: str):
    make, wanted = MEANINGS[name]
    made = make()
    for attribute, values in wanted.items():
        for value in values:
            pattern = is_op(made.name).has_attr({attribute: value})
            assert pattern.match(made.results[0]), (attribute, value)


@pytest.mark.parametrize(
    ("make", "attribute", "value"),
    [
        (conv, "data_layout", "NHWC"),
        (conv, "strides", [1, 2]),
        (conv, "padding", [0, 0, 0, 1]),
        (conv, "out_dtype", "float16"),
        (lambda: built(op.softmax, [2, 3]), "axis", 0),
        (lambda: built(op.softmax, None), "axis", 1),
        (lambda: built(op.permute_dims, [2, 3, 4]), "axes", [0, 1, 2]),
        (lambda: built(lambda x: op.sum(x, axis=0), [2, 3]), "axis", None),
        (lambda: built(lambda x: op.sum(x, axis=0), [2, 3]), "keepdims", True),
    ],
)
def test_what_means_something_else_does_not(make: Any, attribute: str, value: object):
    made = make()
    assert not is_op(made.name).has_attr({attribute: value}).match(made.results[0])


def test_text_and_python_are_one():
    """The text may spell a default out; the builder leaves it out."""
    module = parse(
        """
        relax.func @f(%x: !relax.tensor<[1, 4, 9, 9], f32>, %w: !relax.tensor<[4, 4, 3, 3], f32>)
            -> !relax.tensor<[1, 4, 7, 7], f32> {
          %y = relax.conv2d %x, %w {strides = array<i64: 1, 1>, data_layout = "NCHW"} : (!relax.tensor<[1, 4, 9, 9], f32>, !relax.tensor<[4, 4, 3, 3], f32>) -> !relax.tensor<[1, 4, 7, 7], f32>
          relax.return %y : !relax.tensor<[1, 4, 7, 7], f32>
        }
        """
    )
    (parsed,) = [found for found in module.walk() if found.name == "relax.conv2d"]
    for attribute, value in (("data_layout", "NCHW"), ("strides", 1), ("dilation", [1, 1])):
        pattern = is_op("conv2d").has_attr({attribute: value})
        assert pattern.match(parsed.results[0]) and pattern.match(conv().results[0])
