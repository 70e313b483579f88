"""Ops built from Python: inferred types, and mistakes that are refused at once, by constraint."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseIntOrFPElementsAttr, f32
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Block

from relax_dialect.dialect import OPERATOR_FAMILIES, Relax
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import OBJECT, ShapeType, TensorType, tuple_type
from relax_dialect.ops import (
    activation,
    binary,
    blocks,
    builtin_tensors,
    calls,
    core,
    datatype,
    linear_algebra,
    manipulate,
    statistical,
    unary,
)
from relax_dialect.ops.base import IllFormedOpError, OperatorOp
from relax_dialect.parsing import parse

FOLDER = Path(__file__).parents[2] / "filecheck" / "ops"
OPERATORS = [op for family in OPERATOR_FAMILIES for op in family.OPS]
BINARY = [binary.AddOp, binary.SubtractOp, binary.MultiplyOp, binary.DivideOp, binary.MaximumOp]
FLOAT = [unary.ExpOp, unary.SqrtOp, unary.RsqrtOp, unary.TanhOp, unary.ErfOp, unary.SigmoidOp]
REDUCTIONS = [statistical.SumOp, statistical.MaxOp, statistical.MeanOp]


def value(type):
    return test.TestOp(result_types=[type]).results[0]


def x(*dims, dtype="f32"):
    return value(TensorType(dims, dtype))


def shape(*dims):
    return value(ShapeType(dims))


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.mlir")), ids=lambda p: p.stem)
def test_inference_gives_the_types_of_the_texts(path: Path):
    """The texts declare by hand what numpy's rules give; only those named wider declare more."""
    for func in parse(path.read_text()).ops:
        for op in func.walk():
            if isinstance(op, OperatorOp):
                exact = tuple(op.infer()) == tuple(op.result_types)
                assert exact != func.sym_name.data.startswith("wider")


def test_every_operator_has_a_text():
    names = {op.name.removeprefix("relax.") for op in OPERATORS}
    assert {p.stem for p in FOLDER.rglob("*.mlir")} == names


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        *((cls(x("n", 1), x("m")), TensorType(["n", "m"], "f32")) for cls in BINARY),
        *((cls(x("n", 4)), TensorType(["n", 4], "f32")) for cls in FLOAT),
        (unary.NegativeOp(x("n", dtype="i32")), TensorType(["n"], "i32")),
        (activation.ReluOp(x("n")), TensorType(["n"], "f32")),
        (activation.GeluOp(x("n")), TensorType(["n"], "f32")),
        (activation.SoftmaxOp(x("n", 4)), TensorType(["n", 4], "f32")),
        (linear_algebra.MatmulOp(x("b", "n", 3), x(3, "m")), TensorType(["b", "n", "m"], "f32")),
        *((cls(x("n", 4), 1), TensorType(["n"], "f32")) for cls in REDUCTIONS),
        *((cls(x("n", 4), [0], True), TensorType([1, 4], "f32")) for cls in REDUCTIONS),
        *((cls(x("n", 4)), TensorType([], "f32")) for cls in REDUCTIONS),
        (manipulate.ReshapeOp(x("n", 4), shape("4 * n")), TensorType(["4 * n"], "f32")),
        (manipulate.FlattenOp(x("n", 4)), TensorType(["4 * n"], "f32")),
        (manipulate.PermuteDimsOp(x("n", 4)), TensorType([4, "n"], "f32")),
        (manipulate.PermuteDimsOp(x("n", 4), [0, 1]), TensorType(["n", 4], "f32")),
        (manipulate.BroadcastToOp(x(1), shape("n", 4)), TensorType(["n", 4], "f32")),
        (datatype.AstypeOp(x("n"), "i8"), TensorType(["n"], "i8")),
        (core.ShapeOp(["n", 4]), ShapeType(["n", 4])),
        (core.ShapeOfOp(x("n", 4)), ShapeType(["n", 4])),
        (core.TupleOp(x(4), shape(1)), tuple_type([TensorType([4], "f32"), ShapeType([1])])),
        (core.TupleGetItemOp(core.TupleOp(x(4), shape(1)), 1), ShapeType([1])),
        (core.MatchShapeOp(x("?", 4), ["n", 4]), TensorType(["n", 4], "f32")),
        (core.MatchShapeOp(shape("?", 4), ["n", 4]), ShapeType(["n", 4])),
        (core.MatchCastOp(value(OBJECT), ShapeType(["n"])), ShapeType(["n"])),
        (builtin_tensors.ToBuiltinOp(x("n", 4)), BuiltinTensorType(f32, [DYNAMIC_INDEX, 4])),
        (
            builtin_tensors.FromBuiltinOp(value(BuiltinTensorType(f32, [DYNAMIC_INDEX, 4]))),
            TensorType(["?", 4], "f32"),
        ),
        (
            core.ConstantOp(
                DenseIntOrFPElementsAttr.from_list(BuiltinTensorType(f32, [2]), [1, 2])
            ),
            TensorType([2], "f32"),
        ),
        (calls.CallOp("f", [x("n")]), OBJECT),
        (calls.CallOp("f", [x("n")], ShapeType([1])), ShapeType([1])),
        (calls.CallTirOp("f", [x("n")], ["m"]), OBJECT),
        (calls.CallPackedOp("f", [x("n")], ShapeType([1])), ShapeType([1])),
    ],
    ids=lambda v: v.name if isinstance(v, OperatorOp) else "",
)
def test_python_infers(op, expected):
    op.verify()
    assert op.results[0].type == expected


def test_blocks_take_the_types_of_their_output():
    for cls in (blocks.DataflowOp, blocks.BindingBlockOp):
        inner = core.ShapeOp(["n"])
        block = cls(Block([inner, blocks.OutputOp(inner, inner)]))
        block.verify()
        assert block.result_types == (ShapeType(["n"]), ShapeType(["n"]))


def test_call_infers_from_the_callee():
    func = parse(
        "relax.func @f(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32> {\n"
        "relax.return %x : !relax.tensor<[n, m], f32> }"
    ).body.block.first_op
    assert isinstance(func, core.FuncOp)
    assert calls.CallOp(func, [x("k", 4)]).results[0].type == TensorType(["k", 4], "f32")
    with pytest.raises(
        RelaxError, match="expected as many arguments as parameters, 1 \\(F2\\), found 2"
    ):
        calls.CallOp(func, [x("k", 4), x("k", 4)])


def refused(constraint: str, build) -> None:
    with pytest.raises(IllFormedOpError, match=rf"\({constraint}\), found .*; "):
        build()


@pytest.mark.parametrize("cls", BINARY)
def test_binary_C1(cls):
    refused("C1", lambda: cls(x(4), x(4, dtype="f64")))
    if not issubclass(cls, binary.SemiringOp):
        refused("C1", lambda: cls(x(dtype="i1"), x(dtype="i1")))


@pytest.mark.parametrize("cls", BINARY)
def test_binary_C2(cls):
    refused("C2", lambda: cls(x("n", 3), x("n", 4)))
    refused("C2", lambda: cls(x("n + 2"), x("n + 3")))


@pytest.mark.parametrize(
    "cls", [unary.NegativeOp, activation.ReluOp, statistical.MeanOp, statistical.ReduceL1Op]
)
def test_numeric_C1(cls):
    refused("C1", lambda: cls(x(4, dtype="i1")))


@pytest.mark.parametrize("cls", [*FLOAT, activation.GeluOp, activation.SoftmaxOp])
def test_float_C1(cls):
    refused("C1", lambda: cls(x(4, dtype="i32")))


@pytest.mark.parametrize("axis", [2, -3])
def test_softmax_C2(axis):
    refused("C2", lambda: activation.SoftmaxOp(x("n", 4), axis))


def test_matmul_C1():
    refused("C1", lambda: linear_algebra.MatmulOp(x(4, 4), x(4, 4, dtype="f64")))


def test_matmul_C2():
    refused("C2", lambda: linear_algebra.MatmulOp(x(), x(4, 4)))
    refused("C2", lambda: linear_algebra.MatmulOp(value(TensorType(None)), x()))


def test_matmul_C3():
    refused("C3", lambda: linear_algebra.MatmulOp(x("n", 4), x(5, "m")))
    refused("C3", lambda: linear_algebra.MatmulOp(x("n"), x("n + 1")))


def test_matmul_C4():
    refused("C4", lambda: linear_algebra.MatmulOp(x(2, "n", 4), x(3, 4, "m")))


@pytest.mark.parametrize("cls", REDUCTIONS)
@pytest.mark.parametrize("axis", [2, -3, [0, 0], [1, -1]])
def test_reduction_C2(cls, axis):
    refused("C2", lambda: cls(x("n", 4), axis))


def test_variance_C1():
    refused("C1", lambda: statistical.VarianceOp(x(4, dtype="i32")))


def test_reshape_C1():
    refused("C1", lambda: manipulate.ReshapeOp(x(3, 4), shape(2, 5)))
    with pytest.raises(IllFormedOpError, match=r"which is 2 \* n \(C1\)"):
        manipulate.ReshapeOp(x(2, "n"), shape("2 * n + 1"))


@pytest.mark.parametrize("axes", [[0], [0, 0], [0, 2], [0, 1, 2]])
def test_permute_dims_C1(axes):
    refused("C1", lambda: manipulate.PermuteDimsOp(x("n", 4), axes))


def test_broadcast_to_C1():
    refused("C1", lambda: manipulate.BroadcastToOp(x(3, 4), shape(4)))


def test_broadcast_to_C2():
    refused("C2", lambda: manipulate.BroadcastToOp(x(3), shape(4)))
    refused("C2", lambda: manipulate.BroadcastToOp(x("n + 2"), shape("n")))


def test_astype_C1():
    refused("C1", lambda: datatype.AstypeOp(x(4), "index"))


@pytest.mark.parametrize("index", [2, -1])
def test_tuple_get_item_C1(index):
    refused("C1", lambda: core.TupleGetItemOp(core.TupleOp(x(4), x(4)), index))


def test_match_shape_C1():
    refused("C1", lambda: core.MatchShapeOp(x("n", 4), ["n"]))


def test_match_shape_C2():
    refused("C2", lambda: core.MatchShapeOp(x("n", 4), ["n", 5]))


def test_match_cast_C1():
    refused("C1", lambda: core.MatchCastOp(x("n", 4), ShapeType(["n", 4])))


def test_operand_of_another_kind_is_refused_at_once():
    with pytest.raises(IllFormedOpError, match=r"relax\.exp"):
        unary.ExpOp(value(OBJECT))


def test_the_dialect_knows_every_op_once():
    names = [op.name for op in Relax.operations]
    assert len(set(names)) == len(names)
    assert {op.name for op in OPERATORS} <= set(names)
