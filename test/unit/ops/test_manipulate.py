"""Operators that change shapes, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.manipulate import (
    OPS,
    BatchFlattenOp,
    BroadcastToOp,
    ExpandDimsOp,
    FlattenOp,
    PermuteDimsOp,
    ReshapeOp,
    SqueezeOp,
)

from .compiled import STATIC, Case, Sizes, call, check, compile_cases, each_case, shape, tensor
from .inputs import ranked, refused
from .inputs import x as tensor_value
from .stopping import both_stop


def permuted(*axes: int):
    def build(x: SSAValue) -> Operation:
        return PermuteDimsOp(x, axes)

    return Case(build, [tensor("n", "m", "k")], lambda x: x.transpose(axes))


RESHAPES = {
    "split": (tensor("n * m"), shape("n", "m")),
    "split_inner": (tensor("k", "n * m"), shape("k", "n", "m")),
    "split_static": (tensor("n", 12), shape("n", 3, 2, 2)),
    "merge": (tensor("n", "m", "k"), shape("n", "m * k")),
    "merge_outer": (tensor("n", "m", "k"), shape("n * m", "k")),
    "regroup": (tensor("n", 6, "m"), shape("2 * n", 3, "m")),
    "regroup_all": (tensor("n", 4, "m"), shape(2, "n", "m", 2)),
    "swap": (tensor("n", "m"), shape("m", "n")),
    "units": (tensor("n", 1, "m"), shape(1, "n", "m", 1)),
    "same": (tensor("n", "m"), shape("n", "m")),
    "integers": (tensor("n", 4, dtype="i8"), shape("2 * n", 2)),
    "booleans": (tensor("n", 4, dtype="i1"), shape("4 * n")),
}
STATIC_RESHAPES = {
    "reshape_static": (tensor(6, 4), shape(8, 3)),
    "reshape_nothing": (tensor(2, 0), shape(0, 5)),
    "reshape_to_scalar": (tensor(1, 1), shape()),
    "reshape_from_scalar": (tensor(), shape(1, 1)),
}
BROADCASTS = {
    "broadcast_rows": (tensor("m"), shape("n", "m")),
    "broadcast_columns": (tensor("n", 1), shape("n", "m")),
    "broadcast_both": (tensor(1, "m", 1), shape("n", "m", 3)),
    "broadcast_scalar": (tensor(), shape("n", 2)),
    "broadcast_same": (tensor("n", "m"), shape("n", "m")),
    "broadcast_integers": (tensor("m", dtype="i64"), shape("n", "m")),
    "broadcast_booleans": (tensor("m", dtype="i1"), shape(2, "m")),
}


def expanded(axes: int | tuple[int, ...], type: TensorType, to: list[int | None]) -> Case:
    """`to` is the new shape, None for the sizes of the operand, in order."""

    def meaning(x: np.ndarray) -> np.ndarray:
        sizes = iter(x.shape)
        return x.reshape([next(sizes) if size is None else size for size in to])

    return Case(lambda x: ExpandDimsOp(x, axes), [type], meaning)


def squeezed(axes: int | tuple[int, ...] | None, type: TensorType, keep: tuple[int, ...], **more):
    """`keep` are the axes that stay."""

    def meaning(x: np.ndarray) -> np.ndarray:
        return x.reshape([x.shape[axis] for axis in keep])

    return Case(lambda x: SqueezeOp(x, axes), [type], meaning, **more)


UNPROVED = [
    {"n": 1, "m": 5},
    {"n": 5, "m": 5},
    {"n": 1, "m": 1},
    {"n": 1, "m": 0},
    {"n": 0, "m": 0},
]
"""Sizes for which n broadcasts to m."""

CASES: dict[str, Case] = {
    "expand_first": expanded(0, tensor("n", "m"), [1, None, None]),
    "expand_last": expanded(-1, tensor("n", "m", dtype="i64"), [None, None, 1]),
    "expand_several": expanded((2, 0, -1), tensor("n", "m"), [1, None, 1, None, 1]),
    "expand_scalar": expanded((0, 1), tensor(), [1, 1]),
    "squeeze_axis": squeezed(1, tensor("n", 1, "m"), (0, 2)),
    "squeeze_axes": squeezed((0, -1), tensor(1, "n", 1, dtype="i1"), (1,)),
    "squeeze_all": squeezed(None, tensor(1, 3, 1), (1,), sizes=STATIC),
    "squeeze_unproved": squeezed(
        0, tensor("n", "m"), (1,), sizes=[{"n": 1, "m": 5}, {"n": 1, "m": 0}]
    ),
    "broadcast_unproved": Case(
        BroadcastToOp,
        [tensor("n", 3), shape("k", "m", 3)],
        np.broadcast_to,
        [{**s, "k": 2} for s in UNPROVED],
    ),
    "batch_flatten": Case(
        BatchFlattenOp,
        [tensor("n", "m", 3, "k")],
        lambda x: x.reshape(len(x), x[:1].size if len(x) else x.shape[1] * 3 * x.shape[3]),
    ),
    "batch_flatten_vector": Case(BatchFlattenOp, [tensor("n")], lambda x: x[:, None]),
    **{f"reshape_{name}": Case(ReshapeOp, types, np.reshape) for name, types in RESHAPES.items()},
    **{n: Case(ReshapeOp, types, np.reshape, STATIC) for n, types in STATIC_RESHAPES.items()},
    **{n: Case(BroadcastToOp, types, np.broadcast_to) for n, types in BROADCASTS.items()},
    "broadcast_static": Case(
        BroadcastToOp, [tensor(3, 1), shape(2, 3, 4)], np.broadcast_to, STATIC
    ),
    "reshape_unproved": Case(
        ReshapeOp,
        [tensor("n", 6), shape("k", 4)],
        np.reshape,
        [{"n": 2, "k": 3}, {"n": 0, "k": 0}, {"n": 6, "k": 9}],
    ),
    "flatten": Case(FlattenOp, [tensor("n", "m", 3)], np.ravel),
    "flatten_static": Case(FlattenOp, [tensor(2, 3)], np.ravel, STATIC),
    "flatten_scalar": Case(FlattenOp, [tensor()], np.ravel, STATIC),
    "flatten_vector": Case(FlattenOp, [tensor("n", dtype="i32")], np.ravel),
    "transpose": Case(PermuteDimsOp, [tensor("n", "m")], np.transpose),
    "reverse": Case(PermuteDimsOp, [tensor("n", "m", "k")], np.transpose),
    "permute_rotate": permuted(1, 2, 0),
    "permute_batch": permuted(0, 2, 1),
    "permute_negative": permuted(-1, 0, -2),
    "permute_identity": permuted(0, 1, 2),
    "permute_static": Case(
        lambda x: PermuteDimsOp(x, [2, 0, 3, 1]),
        [tensor(2, 3, 4, 5, dtype="f64")],
        lambda x: x.transpose(2, 0, 3, 1),
        STATIC,
    ),
    "permute_vector": Case(PermuteDimsOp, [tensor("n")], np.transpose),
    "permute_scalar": Case(PermuteDimsOp, [tensor()], np.transpose, STATIC),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_another_number_of_elements_is_an_error(model: CompiledModule):
    x = np.zeros((2, 6), np.float32)
    message = r"expected a shape of as many elements as \[2, 6\] \(12\), found \[4, 4\] \(16\)$"
    with pytest.raises(RelaxError, match=rf"relax\.reshape: {message}"):
        call(model, "reshape_unproved", x, (4, 4))
    module = ModuleOp([CASES["reshape_unproved"].function("main")])
    with pytest.raises(RelaxError, match=message):
        run(module, "main", x, (4, 4))


def test_a_product_that_the_sizes_contradict_is_an_error(model: CompiledModule):
    x = np.zeros(11, np.float32)
    with pytest.raises(RelaxError, match=r"expected size m \* n = 12 in dimension 0, found 11"):
        call(model, "reshape_split", x, (3, 4))


def test_a_size_other_than_1_is_not_squeezed(model: CompiledModule):
    message = "expected the size of axis 0 to be 1"
    both_stop(model, CASES, "squeeze_unproved", (2, 5), message=message)


def test_a_size_that_does_not_broadcast_is_an_error(model: CompiledModule):
    x, new = np.zeros((2, 3), np.float32), (4, 5, 3)
    module = ModuleOp([CASES["broadcast_unproved"].function("main")])
    for attempt in (
        lambda: call(model, "broadcast_unproved", x, new),
        lambda: run(module, "main", x, new),
    ):
        with pytest.raises(RelaxError, match="expected sizes of x that are 1 or those of the new"):
            attempt()


def test_expand_dims_C1():
    refused("C1", lambda: ExpandDimsOp(tensor_value("n"), 2))
    refused("C1", lambda: ExpandDimsOp(tensor_value("n"), [0, -3]))


def test_squeeze_C1():
    refused("C1", lambda: SqueezeOp(tensor_value("n", 1), 2))
    refused("C1", lambda: SqueezeOp(tensor_value("n", 1), [1, -1]))


def test_squeeze_C2():
    refused("C2", lambda: SqueezeOp(tensor_value("n + 2", 1), 0))


def test_batch_flatten_C1():
    refused("C1", lambda: BatchFlattenOp(tensor_value()))


def test_squeeze_of_sizes_that_may_be_1_has_no_known_rank():
    assert SqueezeOp(tensor_value("n", 1)).result.type == TensorType(None, "f32")
    assert SqueezeOp(ranked(), 0).result.type == TensorType(None, "f32")
    assert SqueezeOp(tensor_value("n + 2", 1)).result.type == TensorType(["n + 2"], "f32")
