"""Passes on products of several matrices: the same results, fewer multiplications, or the form asked for."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from optional import package
from xdsl.dialects.builtin import IntegerAttr

from relax_dialect import assert_structural_equal
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.frontends.tvmscript import from_tvm, loads
from relax_dialect.rewrites.matmul.adjust_matmul_order import adjust_matmul_order
from relax_dialect.rewrites.matmul.expand_matmul_of_sum import expand_matmuls_of_sums
from relax_dialect.rewrites.matmul.reorder_permute_dims_after_concat import reorder_permute_dims
from relax_dialect.rewrites.matmul.reorder_take_after_matmul import reorder_takes
from relax_dialect.transform.regions import functions

from .rewritten import assert_kept, function, names

RANDOM = np.random.default_rng(0)


def numbers(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype("f")


ORDERS: dict[str, tuple[Any, list[list[Any]], list[tuple[int, ...]], list[str] | None]] = {
    # the product, the shapes of a, b and x, actual ones, the operators after (None where it stays)
    "vector": (
        lambda a, b, x: op.matmul(op.matmul(a, b), x),
        [["n", 2], [2, 16], [16]], [(3, 2), (2, 16), (16,)], ["matmul", "matmul"],
    ),
    "low rank": (
        lambda a, b, x: op.matmul(x, op.matmul(a, b)),
        [[16, 2], [2, 8], ["n", 2, 16]], [(16, 2), (2, 8), (3, 2, 16)], ["matmul", "matmul"],
    ),
    "low rank of few rows": (
        lambda a, b, x: op.matmul(x, op.matmul(a, b)),
        [[16, 2], [2, 8], [3, 16]], [(16, 2), (2, 8), (3, 16)], ["matmul", "matmul"],
    ),
    "transposed": (
        lambda a, b, x: op.matmul(x, op.permute_dims(op.matmul(a, b))),
        [[32, "r"], ["r", 16], [16]], [(32, 3), (3, 16), (16,)], ["linear", "linear"],
    ),
    "linear": (
        lambda a, b, x: op.linear(x, op.matmul(a, b)),
        [[32, 2], [2, 16], [4, 16]], [(32, 2), (2, 16), (4, 16)], ["linear", "linear"],
    ),
    "better for some sizes only": (
        lambda a, b, x: op.matmul(x, op.matmul(a, b)),
        [[16, 8], [8, 2], ["n", 2, 16]], [(16, 8), (8, 2), (3, 2, 16)], None,
    ),
    "better as it is": (
        lambda a, b, x: op.matmul(op.matmul(x, a), b),
        [[16, 32], [32, 4], [2, 16]], [(16, 32), (32, 4), (2, 16)], None,
    ),
    "batches": (
        lambda a, b, x: op.matmul(op.matmul(x, a), b),
        [[16, 32], [32, 4], [5, 20, 16]], [(16, 32), (32, 4), (5, 20, 16)], ["matmul", "matmul"],
    ),
    "a vector in the middle": (
        lambda a, b, x: op.matmul(op.matmul(a, b), x),
        [[4, 6], [6], [4, 2]], [(4, 6), (6,), (4, 2)], None,
    ),
    "a vector and batches": (
        lambda a, b, x: op.matmul(op.matmul(a, b), x),
        [[2], [3, 2, 16], [3, 16, 1]], [(2,), (3, 2, 16), (3, 16, 1)], None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", ORDERS)
def test_the_order_of_products(form: str):
    make, shapes, sizes, expected = ORDERS[form]
    module = function(lambda bb, *values: make(*values), *shapes)
    before = names(module)
    count = assert_kept(module, adjust_matmul_order, *(numbers(*size) for size in sizes))
    assert (count, names(module)) == ((0, before) if expected is None else (1, expected))


def test_a_product_that_is_used_elsewhere_is_no_saving():
    def make(bb: BlockBuilder, a: Any, b: Any, x: Any) -> Any:
        w = bb.emit(op.matmul(a, b))
        return op.matmul(w, x), w

    module = function(make, [8, 4], [4, 8], [8, 6])
    assert adjust_matmul_order(module) == 0
    small = function(make, [8, 1], [1, 8], [8, 6])
    values = numbers(8, 1), numbers(1, 8), numbers(8, 6)
    assert assert_kept(small, adjust_matmul_order, *values) == 1


def test_weights_stay_together():
    """What only depends on weights is computed before the run, however large it is."""
    for make, calls in (
        (lambda bb, x, a, b: op.matmul(x, op.matmul(a, b)), 0),
        (lambda bb, x, a, b: op.matmul(op.matmul(x, a), b), 1),
    ):
        module = function(make, [3, 16], [16, 2], [2, 16])
        functions(module)[0].attributes["num_input"] = IntegerAttr(1, 64)
        values = numbers(3, 16), numbers(16, 2), numbers(2, 16)
        assert assert_kept(module, adjust_matmul_order, *values) == calls
        assert adjust_matmul_order(module) == 0


SUMS: dict[str, Any] = {
    "matmul": lambda bb, x, a, b, c: op.matmul(x, a + b),
    "transposed": lambda bb, x, a, b, c: op.matmul(x, op.permute_dims(a + b)),
    "linear": lambda bb, x, a, b, c: op.linear(x, a + b),
    "linear with bias": lambda bb, x, a, b, c: op.linear(x, a + b, c),
}


@pytest.mark.parametrize("form", SUMS)
def test_a_product_with_a_sum(form: str):
    module = function(SUMS[form], ["n", 6], [6, 6], [6, 6], [6])
    values = numbers(3, 6), numbers(6, 6), numbers(6, 6), numbers(6)
    assert assert_kept(module, expand_matmuls_of_sums, *values) == 1
    assert names(module)[-1] == "add" and names(module).count("add") == 1


def test_sums_that_stay():
    broadcast = function(lambda bb, x, a, b: op.matmul(x, a + b), ["n", 6], [6, 4], [4])
    used = function(
        lambda bb, x, a, b: (op.matmul(x, w := bb.emit(a + b)), w), [2, 6], [6, 4], [6, 4]
    )
    weights = function(lambda bb, x, a, b: op.matmul(x, a + b), ["n", 6], [6, 4], [6, 4])
    functions(weights)[0].attributes["num_input"] = IntegerAttr(1, 64)
    for module in (broadcast, used, weights):
        assert expand_matmuls_of_sums(module) == 0


def test_an_adapted_layer():
    """x @ (w + a @ b): the product of the two small matrices is never made."""
    module = function(
        lambda bb, x, w, a, b: op.matmul(x, w + op.matmul(a, b)),
        [4, 32],
        [32, 32],
        [32, 2],
        [2, 32],
    )
    values = numbers(4, 32), numbers(32, 32), numbers(32, 2), numbers(2, 32)
    assert assert_kept(module, expand_matmuls_of_sums, *values) == 1
    assert assert_kept(module, adjust_matmul_order, *values) == 1
    assert names(module) == ["matmul", "matmul", "matmul", "add"]


def test_transpositions_after_joining():
    def make(bb: BlockBuilder, a: Any, b: Any, c: Any) -> Any:
        turned = [op.permute_dims(a), op.permute_dims(b, [1, 0]), op.permute_dims(c, [-1, -2])]
        return op.concat(turned, axis=1)

    module = function(make, [8, 16], ["k", 16], [3, 16])
    assert assert_kept(module, reorder_permute_dims, numbers(8, 16), numbers(5, 16), numbers(3, 16))
    assert names(module) == ["concat", "permute_dims"]
    other = function(lambda bb, a, b: op.concat([op.permute_dims(a), b], axis=0), [2, 3], [4, 2])
    alike = function(
        lambda bb, a, b: op.concat([op.permute_dims(a, [0, 2, 1]), op.permute_dims(b)], axis=1),
        [2, 3, 4], [3, 5, 2],
    )  # fmt: skip
    assert reorder_permute_dims(other) == reorder_permute_dims(alike) == 0


def test_columns_and_matrices_are_chosen_from_the_product():
    def chosen(axis: int, mode: str = "fast") -> Any:
        index = np.array([2, 0, 2, -1])
        return lambda bb, x, w: op.matmul(x, op.take(w, bb.emit(index), axis=axis, mode=mode))

    columns = function(chosen(-1), ["n", 6], [6, "v"])
    assert assert_kept(columns, reorder_takes, numbers(3, 6), numbers(6, 4)) == 1
    assert names(columns)[-1] == "take"
    batches = function(chosen(0), [4, "s", 6], ["v", 6, 2])
    assert assert_kept(batches, reorder_takes, numbers(4, 3, 6), numbers(3, 6, 2)) == 1
    assert names(batches)[-1] == "gather_nd"
    rows = function(chosen(0), [3, 4], ["v", 6])
    clipped = function(chosen(-1, "clip"), ["n", 6], [6, "v"])
    one_for_all = function(chosen(0), [1, "s", 6], ["v", 6, 2])
    assert not any(map(reorder_takes, (rows, clipped, one_for_all)))


HEAD = "@I.ir_module\nclass Module:\n    @R.function\n"
SCRIPTS = {
    "AdjustMatmulOrder": (adjust_matmul_order, [
        "def main(x: R.Tensor((16,)), a: R.Tensor((32, 2)), b: R.Tensor((2, 16))):\n"
        "    w = R.matmul(a, b)\n    y = R.matmul(w, x)\n    return y",
        "def main(x: R.Tensor((16,)), a: R.Tensor((32, 2)), b: R.Tensor((2, 16))):\n"
        "    R.func_attr({'num_input': 1})\n    w = R.matmul(a, b)\n    y = R.matmul(w, x)\n    return y",
        "def main(x: R.Tensor(('n', 's', 4096)), a: R.Tensor((4096, 'r')), b: R.Tensor(('r', 4096))):\n"
        "    w = R.matmul(a, b)\n    y = R.matmul(x, w)\n    return y",
        "def main(x: R.Tensor((5, 200, 16)), a: R.Tensor((16, 320)), b: R.Tensor((320, 4))):\n"
        "    w = R.matmul(x, a)\n    y = R.matmul(w, b)\n    return y, w",
    ]),
    "ExpandMatmulOfSum": (expand_matmuls_of_sums, [
        "def main(x: R.Tensor(('n', 16)), a: R.Tensor((8, 16)), b: R.Tensor((8, 16))):\n"
        "    w = R.add(a, b)\n    t = R.permute_dims(w)\n    y = R.matmul(x, t)\n    return y",
    ]),
    "ReorderPermuteDimsAfterConcat": (reorder_permute_dims, [
        "def main(a: R.Tensor((8, 16)), b: R.Tensor(('k', 16))):\n"
        "    s = R.permute_dims(a)\n    t = R.permute_dims(b, [1, 0])\n"
        "    y = R.concat((s, t), axis=1)\n    return y",
    ]),
    "ReorderTakeAfterMatmul": (reorder_takes, [
        "def main(x: R.Tensor(('b', 16)), w: R.Tensor((16, 'v')), i: R.Tensor(('k',), 'int64')):\n"
        "    c = R.take(w, i, axis=1)\n    y = R.matmul(x, c)\n    return y",
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_tvm_gives_the_same(name: str):
    tvm = package("tvm")
    apply, programs = SCRIPTS[name]
    for program in programs:
        typed = re.sub(r"Tensor\((\([^()]*\))\)", r"Tensor(\1, 'float32')", program)
        text = HEAD + "".join(f"    {line}\n" for line in typed.splitlines())
        module = loads(text)
        apply(module)
        given = getattr(tvm.relax.transform, name)()(tvm.script.from_source(text))
        assert_structural_equal(module, from_tvm(given))
