"""The types that operators on indices infer, and what they refuse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, TensorType, i64
from xdsl.ir import SSAValue

from relax_dialect.ops.base import IllFormedOpError, OperatorOp
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.indexing import GatherElementsOp, GatherNdOp, IndexTensorOp, TakeOp
from relax_dialect.ops.scattering import IndexPutOp, ScatterElementsOp, ScatterNdOp
from relax_dialect.ops.slicing import DynamicStridedSliceOp, SliceScatterOp, StridedSliceOp
from relax_dialect.ops.type_rules import tensor_type

from .inputs import inferred, ranked, refused, shape, x


def i(*dims: object, dtype: str = "i64") -> SSAValue:
    """A tensor of indices."""
    return x(*dims, dtype=dtype)


def known(*indices: Any) -> SSAValue:
    """A constant tensor of indices."""
    array = np.array(indices)
    type = TensorType(i64, array.shape)
    return ConstantOp(DenseIntOrFPElementsAttr.from_list(type, array.reshape(-1).tolist())).result


def shown(op: OperatorOp) -> str:
    """The result's type without its frame."""
    return str(op.results[0].type).removeprefix("!relax.tensor<").removesuffix(">")


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        (([0], [1], [5]), "[max(min(n, 5) - 1, 0), 4], f32"),
        (([0], [0], [-1]), "[max(n - 1, 0), 4], f32"),
        (([0], [-3], [None]), "[min(n, 3), 4], f32"),
        (([0], [None], [None], [2]), "[(n + 1) floordiv 2, 4], f32"),
        (([0], [None], [None], [-1]), "[n, 4], f32"),
        (([0], ["m"], ["n"]), "[max(-m + n, 0), 4], f32"),
        (([0], ["n - 2"], ["n"]), "[2, 4], f32"),
        (([0, 1], ["m", -1], ["n", None]), "[max(-m + n, 0), 1], f32"),
        (([1], [1], [3], None, True), "[n, 2], f32"),
        (([0], ["m"], ["n"], None, True), "[max(-m + n, 0), 4], f32"),
    ],
)
def test_the_length_of_a_slice(bounds: Sequence[Any], expected: str):
    assert shown(StridedSliceOp(x("n", 4), *bounds)) == expected


@pytest.mark.parametrize("size", range(6))
@pytest.mark.parametrize("stride", [-3, -2, -1, 1, 2, 4])
def test_slices_of_known_sizes_are_those_of_python(size: int, stride: int):
    for begin in (None, *range(-7, 8)):
        for end in (None, *range(-7, 8)):
            expected = len(range(*slice(begin, end, stride).indices(size)))
            op = StridedSliceOp(x(size), [0], [begin], [end], [stride])
            assert shown(op) == f"[{expected}], f32"


@pytest.mark.parametrize("stride", [-3, -1, 1, 2])
def test_slices_of_symbolic_sizes_are_those_of_python(stride: int):
    for begin in (None, *range(-4, 5)):
        for end in (None, *range(-4, 5)):
            op = StridedSliceOp(x("n"), [0], [begin], [end], [stride])
            shape = tensor_type(op.result).shape
            assert shape is not None and (length := shape[0]) is not None
            for size in range(7):
                expected = len(range(*slice(begin, end, stride).indices(size)))
                assert length.evaluate({"n": size}) == expected, (begin, end, size)


def test_unknown_types_stay_unknown():
    assert shown(TakeOp(ranked(), i("k"), 0)) == "*, f32"
    assert shown(TakeOp(x("n", None, dtype=None), i(None), 1)) == "[n, ?]"
    assert shown(TakeOp(x("n", 2), ranked("i64"), 1)) == "*, f32"
    assert shown(GatherElementsOp(x("n", 2), ranked("i64"))) == "[?, ?], f32"
    assert shown(GatherElementsOp(ranked(), i(3))) == "[3], f32"
    assert shown(GatherNdOp(x("n", 2), i("k", None))) == "*, f32"
    assert shown(IndexTensorOp(x("n", 2), [i("k"), i(None)])) == "[?], f32"
    assert shown(IndexTensorOp(ranked(), [i("k")])) == "*, f32"
    assert shown(ScatterElementsOp(ranked(), ranked("i64"), ranked())) == "*, f32"
    assert shown(ScatterNdOp(x("n"), ranked("i64"), ranked(None))) == "[n]"
    assert shown(IndexPutOp(x("n"), [ranked("i64")], ranked())) == "[n], f32"
    assert shown(StridedSliceOp(ranked(), [0], [1], [2])) == "*, f32"
    assert shown(StridedSliceOp(x(None, "m"), [0], [0], [1])) == "[?, m], f32"
    assert shown(SliceScatterOp(x(None, "m"), ranked(), 0, 1)) == "[?, m], f32"


def test_take_C1():
    refused("C1", lambda: TakeOp(x("n"), x("k")))
    refused("C1", lambda: TakeOp(x("n"), i("k", dtype="i1")))


def test_take_C2():
    refused("C2", lambda: TakeOp(x("n"), i("k"), 1))
    refused("C2", lambda: TakeOp(x("n", "m"), i("k")))


def test_take_C3():
    refused("C3", lambda: TakeOp(x("n"), i("k"), 0, "raise"))


def test_take_C4():
    refused("C4", lambda: TakeOp(x(4), known(0, 4), 0))
    refused("C4", lambda: TakeOp(x(4), known(-5), 0))
    TakeOp(x(4), known(-4, 3), 0)
    TakeOp(x(4), known(4), 0, "clip")
    TakeOp(x("n"), known(4), 0)


def test_gather_elements_C1():
    refused("C1", lambda: GatherElementsOp(x("n"), x("k")))


def test_gather_elements_C2():
    refused("C2", lambda: GatherElementsOp(x("n"), i("k"), 1))


def test_gather_elements_C3():
    refused("C3", lambda: GatherElementsOp(x("n"), i("k", 1)))
    refused("C3", lambda: GatherElementsOp(x("n", 2), i("k", 3)))
    refused("C3", lambda: GatherElementsOp(x("n", "m"), i("k", "m + 1")))


def test_gather_elements_C4():
    refused("C4", lambda: GatherElementsOp(x("n", 2), known([2]), 1))


def test_gather_nd_C1():
    refused("C1", lambda: GatherNdOp(x("n"), x("k", 1)))


def test_gather_nd_C2():
    refused("C2", lambda: GatherNdOp(x("n"), i()))
    refused("C2", lambda: GatherNdOp(x("n"), i("k", 2)))
    refused("C2", lambda: GatherNdOp(x("n", 2), i("n", 2), 1))


def test_gather_nd_C3():
    refused("C3", lambda: GatherNdOp(x("n"), i("k", 1), -1))
    refused("C3", lambda: GatherNdOp(x("n", 2, 2), i("n", 1), 2))


def test_gather_nd_C4():
    refused("C4", lambda: GatherNdOp(x(3, 2), i(2, 1), 1))


def test_gather_nd_C5():
    refused("C5", lambda: GatherNdOp(x(2, 5), known([1, 4], [4, 1])))
    GatherNdOp(x(2, 5), known([1, 4], [-2, -5]))


def test_index_tensor_C1():
    refused("C1", lambda: IndexTensorOp(x("n"), [x("k")]))


def test_index_tensor_C2():
    refused("C2", lambda: IndexTensorOp(x("n"), []))
    refused("C2", lambda: IndexTensorOp(ranked(), []))
    refused("C2", lambda: IndexTensorOp(x("n"), [i("k"), i("k")]))


def test_index_tensor_C3():
    refused("C3", lambda: IndexTensorOp(x("n", "m"), [i(2), i(3)]))


def test_index_tensor_C4():
    refused("C4", lambda: IndexTensorOp(x("n", 3), [i(1), known(3)]))


def test_scatter_C1():
    refused("C1", lambda: ScatterElementsOp(x("n"), x("n"), x("n")))
    refused("C1", lambda: ScatterElementsOp(x("n"), i("n"), x("n", dtype="f16")))
    refused("C1", lambda: ScatterNdOp(x(2, dtype="i1"), i(2, 1), x(2, dtype="i1"), "add"))


def test_scatter_elements_C2():
    refused("C2", lambda: ScatterElementsOp(x("n"), i("n"), x("n"), -2))


def test_scatter_elements_C3():
    refused("C3", lambda: ScatterElementsOp(x("n"), i("n", 1), x("n", 1)))
    refused("C3", lambda: ScatterElementsOp(x("n"), i("n"), x("n", 1)))
    refused("C3", lambda: ScatterElementsOp(x("n"), i(2), x(3)))
    refused("C3", lambda: ScatterElementsOp(x("n", 2), i("n", 3), x("n", 3)))


def test_scatter_C4():
    refused("C4", lambda: ScatterElementsOp(x("n"), i("n"), x("n"), 0, "sum"))
    refused("C4", lambda: ScatterNdOp(x("n"), i("n", 1), x("n"), "none"))


def test_scatter_elements_C5():
    refused("C5", lambda: ScatterElementsOp(x(3), known(3), x(1)))


def test_scatter_nd_C2():
    refused("C2", lambda: ScatterNdOp(x("n"), i(), x()))
    refused("C2", lambda: ScatterNdOp(x("n"), i("k", 2), x("k")))


def test_scatter_nd_C3():
    refused("C3", lambda: ScatterNdOp(x("n", 4), i("k", 1), x("k")))
    refused("C3", lambda: ScatterNdOp(x("n", 4), i("k", 1), x("k", 3)))


def test_scatter_nd_C5():
    refused("C5", lambda: ScatterNdOp(x(3), known([3]), x(1)))


def test_index_put_C1():
    refused("C1", lambda: IndexPutOp(x("n"), [x("k")], x("k")))
    refused("C1", lambda: IndexPutOp(x("n"), [i("k")], i("k")))
    bits = x("n", dtype="i1")
    refused("C1", lambda: IndexPutOp(bits, [i("n")], bits, accumulate=True))


def test_index_put_C2():
    refused("C2", lambda: IndexPutOp(x("n"), [], x()))


def test_index_put_C3():
    refused("C3", lambda: IndexPutOp(x("n", "m"), [i(2), i(3)], x()))


def test_index_put_C4():
    refused("C4", lambda: IndexPutOp(x(3), [known(-4)], x()))


def test_index_put_C5():
    refused("C5", lambda: IndexPutOp(x(5, 2), [i(3)], x(3)))
    refused("C5", lambda: IndexPutOp(x(5), [i(3)], x(1, 3)))


def slices(*bounds: SSAValue, **given: Sequence[int]) -> OperatorOp:
    """A slice of a tensor of two dimensions, as it is read from a text."""
    properties = {name: DenseArrayBase.from_list(i64, list(v)) for name, v in given.items()}
    op = inferred(StridedSliceOp, [x("n", 4), *bounds], **properties)
    assert isinstance(op, OperatorOp)
    return op


def test_slicing_C1():
    refused("C1", lambda: slices(axes=[0]))
    refused("C1", lambda: slices(axes=[0], begin=[0]))
    refused("C1", lambda: slices(shape(1), axes=[0]))
    refused("C1", lambda: slices(shape(1), axes=[0], end=[2]))
    refused("C1", lambda: slices(shape(1), shape(2), axes=[0], begin=[0], end=[2]))
    slices(shape(1), shape(2), axes=[0])


def test_slicing_C2():
    refused("C2", lambda: StridedSliceOp(x("n"), [1], [0], [1]))
    refused("C2", lambda: StridedSliceOp(x("n", "m"), [0, -2], [0, 0], [1, 1]))
    refused("C2", lambda: SliceScatterOp(x("n"), x(1), 0, 1, axis=1))


def test_slicing_C3():
    refused("C3", lambda: StridedSliceOp(x("n"), [0], [0, 1], [1]))
    refused("C3", lambda: StridedSliceOp(ranked(), [0], [0], [1, 2]))
    refused("C3", lambda: StridedSliceOp(x("n"), [0], [0], [1], [1, 1]))
    refused("C3", lambda: slices(shape(1, 2), shape(2), axes=[0]))


def test_slicing_C4():
    refused("C4", lambda: StridedSliceOp(x("n"), [0], [0], [1], [0]))
    refused("C4", lambda: SliceScatterOp(x("n"), x(1), 0, 1, 0))


def test_strided_slice_C5():
    refused("C5", lambda: StridedSliceOp(x(4), [0], [1], [5], None, True))
    refused("C5", lambda: StridedSliceOp(x(4), [0], [3], [1], None, True))
    refused("C5", lambda: StridedSliceOp(x("n"), [0], [2], [1], None, True))


def test_slice_scatter_C5():
    refused("C5", lambda: SliceScatterOp(x("n"), x(1, 1), 0, 1))
    refused("C5", lambda: SliceScatterOp(x(5), x(2), 0, 1))
    refused("C5", lambda: SliceScatterOp(x(5, 3), x(1, 2), 0, 1))


def test_slice_scatter_C6():
    refused("C6", lambda: SliceScatterOp(x(5), x(1, dtype="f64"), 0, 1))


def bounds(*dims: object, dtype: str = "i64") -> list[SSAValue]:
    return [x(*dims, dtype=dtype) for _ in range(3)]


def test_dynamic_slices_have_the_rank_of_x():
    assert shown(DynamicStridedSliceOp(x("n", 2), *bounds(2))) == "[?, ?], f32"
    assert shown(DynamicStridedSliceOp(x("n", 2, dtype=None), *bounds("k"))) == "[?, ?]"
    assert shown(DynamicStridedSliceOp(ranked(), *bounds(2))) == "*, f32"


def test_dynamic_strided_slice_C1():
    refused("C1", lambda: DynamicStridedSliceOp(x("n"), *bounds(1, dtype="f32")))


def test_dynamic_strided_slice_C2():
    refused("C2", lambda: DynamicStridedSliceOp(x("n"), *bounds(1, 1)))
    refused("C2", lambda: DynamicStridedSliceOp(x("n"), *bounds(2)))


def test_dynamic_strided_slice_C3():
    refused("C3", lambda: DynamicStridedSliceOp(x("n"), i(1), i(1), known(0)))


def test_a_negative_bound_with_a_symbolic_one_needs_the_size():
    with pytest.raises(IllFormedOpError, match="names the size"):
        StridedSliceOp(x(None), [0], [-1], ["m"])
