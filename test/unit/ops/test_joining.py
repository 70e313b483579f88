"""Operators that make one tensor of several, or several of one, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.joining import OPS, ConcatOp, MeshgridOp, SplitOp, StackOp

from .compiled import STATIC, Case, Sizes, check, compile_cases, each_case, shape, special, tensor
from .inputs import ranked, refused, x
from .stopping import both_stop


def joined(axis: int | None):
    """Slices written one after the other."""

    def meaning(*tensors: np.ndarray) -> np.ndarray:
        if axis is None:
            return np.array([e for t in tensors for e in t.ravel()], tensors[0].dtype)
        shape, start = list(tensors[0].shape), 0
        shape[axis] = sum(t.shape[axis] for t in tensors)
        result = np.zeros(shape, tensors[0].dtype)
        view = np.moveaxis(result, axis, 0)
        for t in tensors:
            view[start : start + t.shape[axis]] = np.moveaxis(t, axis, 0)
            start += t.shape[axis]
        return result

    return meaning


def concat(axis: int | None, *types: TensorType, **more: Any) -> Case:
    return Case(lambda *t: ConcatOp(t, axis), types, joined(axis), **more)


def stack(axis: int, *types: TensorType, **more: Any) -> Case:
    def meaning(*tensors: np.ndarray) -> np.ndarray:
        return joined(axis)(*(np.expand_dims(t, axis) for t in tensors))

    return Case(lambda *t: StackOp(t, axis), types, meaning, **more)


def sliced(axis: int, ends: Sequence[int]):
    """Python's slices between the ends."""

    def meaning(x: np.ndarray) -> Any:
        rows = np.moveaxis(x, axis, 0)
        bounds = zip([0, *ends], [*ends, len(rows)])
        pieces = tuple(np.moveaxis(rows[start:end], 0, axis) for start, end in bounds)
        return pieces if len(pieces) > 1 else pieces[0]

    return meaning


def parts(axis: int, count: int):
    """As many pieces as asked for, the last ones shorter or empty."""

    def meaning(x: np.ndarray) -> Any:
        step = -(-x.shape[axis] // count)
        return sliced(axis, [step * (piece + 1) for piece in range(count - 1)])(x)

    return meaning


def split_at(axis: int, indices: Sequence[int], type: TensorType, **more: Any) -> Case:
    return Case(lambda x: SplitOp(x, indices, axis), [type], sliced(axis, indices), **more)


def split_in(axis: int, count: int, type: TensorType, **more: Any) -> Case:
    return Case(lambda x: SplitOp(x, count, axis), [type], parts(axis, count), **more)


def grid(indexing: str, *types: TensorType) -> Case:
    def meaning(*vectors: np.ndarray) -> Any:
        axes = list(range(len(vectors)))
        if indexing == "xy" and len(vectors) > 1:
            axes = [1, 0, *axes[2:]]
        shape = [len(vectors[axes.index(d)]) for d in range(len(axes))]
        results = []
        for vector, axis in zip(vectors, axes):
            result = np.zeros(shape, vector.dtype)
            for place in np.ndindex(*shape):
                result[place] = vector[place[axis]]
            results.append(result)
        return tuple(results) if len(results) > 1 else results[0]

    return Case(lambda *t: MeshgridOp(t, indexing), types, meaning)


CASES: dict[str, Case] = {
    "concat_first": concat(0, tensor("n", 3), tensor("m", 3), tensor(2, 3)),
    "concat_last": concat(-1, tensor("n", "m"), tensor("n", "k"), tensor("n", "m")),
    "concat_middle": concat(1, *(tensor("n", d, "m", dtype="i8") for d in ("k", 1, "b"))),
    "concat_flat": concat(None, tensor("n", "m"), tensor("k"), tensor()),
    "concat_bf16": concat(1, tensor("n", 2, dtype="bf16"), tensor("n", "m", dtype="bf16")),
    "concat_one": concat(0, tensor("n", dtype="i1")),
    "concat_many": concat(0, *(tensor(d % 3) for d in range(70)), sizes=STATIC),
    "concat_special": concat(1, tensor("n", 9), tensor("n", 9), values=special),
    "concat_unproved": concat(
        1, tensor("n", 2), tensor("m", 3), sizes=[{"n": 4, "m": 4}, {"n": 0, "m": 0}]
    ),
    "stack_first": stack(0, tensor("n", "m"), tensor("n", "m")),
    "stack_last": stack(-1, tensor("n", "m"), tensor("n", "m"), tensor("n", "m")),
    "stack_middle": stack(1, *[tensor("n", "m", dtype="ui32")] * 3),
    "stack_scalars": stack(0, tensor(), tensor(), tensor(), sizes=STATIC),
    "stack_unproved": stack(0, tensor("n"), tensor("m"), sizes=[{"n": 4, "m": 4}]),
    "split_sections": split_in(0, 3, tensor("n", "m")),
    "split_exact": Case(
        lambda x, _: SplitOp(x, 4, 1),
        [tensor("n", "4 * m", dtype="f64"), shape("m")],
        lambda x, _: parts(1, 4)(x),
    ),
    "split_static": split_in(-1, 3, tensor(2, 7), sizes=STATIC),
    "split_one": split_in(0, 1, tensor("n")),
    "split_indices": split_at(0, [2, 5], tensor("n", 3)),
    "split_negative_axis": split_at(-2, [0, 1, 1], tensor("n", "m", dtype="i1")),
    "split_decreasing": split_at(0, [4, 1, 6, 6, 0], tensor("n", 2)),
    "split_decreasing_static": split_at(1, [5, 2, 9], tensor("n", 6)),
    "split_indices_static": split_at(1, [1, 4], tensor(2, 6, dtype="i16"), sizes=STATIC),
    "meshgrid_ij": grid("ij", tensor("n"), tensor("m", dtype="i64"), tensor(2)),
    "meshgrid_xy": grid("xy", tensor("n"), tensor("m"), tensor("k")),
    "meshgrid_one": grid("xy", tensor("n")),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


@pytest.mark.parametrize(
    ("name", "shapes", "message"),
    [
        (
            "concat_unproved",
            [(4, 2), (5, 3)],
            "expected operands of equal sizes but along the axis",
        ),
        ("stack_unproved", [(4,), (5,)], "expected operands of equal sizes"),
    ],
)
def test_other_sizes_are_an_error(model: CompiledModule, name: str, shapes: Any, message: str):
    both_stop(model, CASES, name, *shapes, message=message)


def test_concat_C1():
    refused("C1", lambda: ConcatOp([]))
    refused("C1", lambda: ConcatOp([x("n"), ranked(None), x("n", dtype="f64")]))


def test_concat_C2():
    refused("C2", lambda: ConcatOp([x("n"), x("n", 1)]))


def test_concat_C3():
    refused("C3", lambda: ConcatOp([x("n"), x("n")], 1))


def test_concat_C4():
    refused("C4", lambda: ConcatOp([x("n", 3), x("n", 4)], 0))


def test_stack_C1():
    refused("C1", lambda: StackOp([]))


def test_stack_C2():
    refused("C2", lambda: StackOp([x("n"), x("n", 1)]))


def test_stack_C3():
    refused("C3", lambda: StackOp([x("n"), x("n")], -3))


def test_stack_C4():
    refused("C4", lambda: StackOp([x(3), x(4)]))


def test_split_C1():
    block = SplitOp(x("n"), 2)
    block.properties.pop("sections")
    refused("C1", lambda: block.infer() and block)
    assert len(SplitOp(x("n"), []).results) == 1


def test_split_C2():
    refused("C2", lambda: SplitOp(x("n"), 0))
    refused("C2", lambda: SplitOp(x("n"), [-1]))


def test_split_C3():
    refused("C3", lambda: SplitOp(x("n"), 2, 1))


def test_meshgrid_C1():
    refused("C1", lambda: MeshgridOp([]))


def test_meshgrid_C2():
    refused("C2", lambda: MeshgridOp([x("n", 1)]))


def test_meshgrid_C3():
    refused("C3", lambda: MeshgridOp([x("n")], "ji"))
