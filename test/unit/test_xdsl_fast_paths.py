"""What `relax_dialect/xdsl_fast_paths.py` replaces does what xDSL's own functions do."""

from __future__ import annotations

from _abc import _get_dump  # pyright: ignore[reportMissingModuleSource]
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects import arith, cf, func, memref, scf, test
from xdsl.dialects.builtin import IndexType, MemRefType, f32
from xdsl.ir import Block, Operation, Region, SSAValue, core
from xdsl.irdl import operations as irdl

from lowering import lower
from relax_dialect import xdsl_fast_paths
from relax_dialect.dialect import Relax
from relax_dialect.parsing import load
from relax_dialect.xdsl_fast_paths import derived

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits.mlir"


def values(*types: Any) -> Sequence[SSAValue]:
    return test.TestOp(result_types=types).results


def registered(kind: type) -> bool:
    """Whether a class has virtual subclasses."""
    return bool(_get_dump(kind)[0])


def test_no_class_is_registered_as_another():
    kinds = {
        kind for root in (core._IRNode, core.Attribute, core.SSAValue) for kind in derived(root)
    }
    assert kinds > {*Relax.operations, *Relax.attributes}
    assert [kind for kind in kinds if registered(kind)] == []


def test_a_registered_class_is_found():
    assert registered(Sequence)


def branch() -> scf.IfOp:
    return scf.IfOp(values(IndexType())[0], [f32], [scf.YieldOp()], [scf.YieldOp()])


def load_op() -> memref.LoadOp:
    buffer, i, j = values(MemRefType(f32, [2, 3]), IndexType(), IndexType())
    return memref.LoadOp.get(buffer, [i, j])


OPS: dict[str, Callable[[], Operation]] = {
    "two operands": lambda: arith.AddfOp(*values(f32, f32)),
    "an op as operand": lambda: arith.NegfOp(arith.ConstantOp.from_int_and_width(1, 32)),
    "a property": lambda: arith.AddfOp(*values(f32, f32), flags=arith.FastMathFlagsAttr("fast")),
    "any number of operands": load_op,
    "no operands of any number": lambda: func.ReturnOp(),
    "segments": lambda: memref.AllocOp.get(f32, 64, [-1], dynamic_sizes=values(IndexType())),
    "regions": branch,
    "a block after it": lambda: cf.BranchOp(Block(arg_types=[f32]), *values(f32)),
    "an optional operand": lambda: scf.IfOp(*values(f32), [], Region(Block()), None),
}


def described(op: Operation) -> tuple[Any, ...]:
    """An op as far as two that are built alike have it in common."""
    regions = [[block.arg_types for block in region.blocks] for region in op.regions]
    fields = (op.operand_types, op.result_types, op.properties, op.attributes, op.location)
    return (type(op), *fields, regions, len(op.successors))


@pytest.mark.parametrize("name", OPS)
def test_ops_are_built_alike(name: str, monkeypatch: pytest.MonkeyPatch):
    quick = OPS[name]()
    monkeypatch.setattr(irdl, "irdl_op_init", xdsl_fast_paths._irdl_op_init)
    assert described(quick) == described(OPS[name]())
    for index, (operand, use) in enumerate(zip(quick.operands, quick._operand_uses)):
        assert use in {*operand.uses} and (use.operation, use.index) == (quick, index)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda x: arith.AddfOp.build(operands=[x], result_types=[f32]), "Expected 2 operand"),
        (lambda x: arith.NegfOp.build(operands=[None], result_types=[f32]), "passed Sequence"),
        (lambda x: arith.NegfOp.build(operands=[[x, x]], result_types=[f32]), "passed Sequence"),
    ],
)
def test_errors_are_those_of_xdsl(build: Callable[[SSAValue], Operation], message: str):
    with pytest.raises(ValueError, match=message):
        build(*values(f32))


def test_accessors_return_the_parts_of_the_definition():
    """Every op of a lowered program, through the general way."""
    module, kinds = lower(load(DIGITS)), set[type]()
    for op in module.walk():
        for owner in type(op).__mro__:
            for name, accessor in vars(owner).items():
                if isinstance(accessor, irdl.BaseAccessor):
                    kinds.add(type(accessor))
                    parts = irdl.get_op_constructs(op, accessor.construct)
                    found, expected = getattr(op, name), accessor.index(parts)
                    assert found is expected or found == expected
                    assert type(found) is type(expected)
    assert {irdl.BeforeVariadicSingleAccessor, irdl.UniqueVariadicAccessor} <= kinds


def test_slices_of_values_keep_their_class():
    found = core.SSAValues(values(f32, IndexType()))
    assert found[1:].types == (IndexType(),) and found[-1] is found[1]
    with pytest.raises(IndexError):
        found[2]


def test_a_value_of_another_type_is_refused():
    (x,) = values(f32)
    assert SSAValue.get(x) is x
    with pytest.raises(ValueError, match="Expected"):
        SSAValue.get(x, type=IndexType)
