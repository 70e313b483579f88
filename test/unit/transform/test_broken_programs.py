"""Programs that a hand has broken and nobody has verified: whatever takes a module tells what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    f32,
    f64,
    i64,
)
from xdsl.ir import Attribute, Block, Operation
from xdsl.rewriter import Rewriter

import lowering
import relax_dialect
from relax_dialect import analysis, dpl, interpret, training
from relax_dialect.errors import InternalError, RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.gradient import check_gradient, gradient, jvp, vjp
from relax_dialect.ir.types import TensorType

Change = Callable[[ModuleOp], None]

TENSOR, SCALAR = "!relax.tensor<[3], f32>", "!relax.tensor<[], f32>"
PROGRAM = f"""
relax.func private @square(%x: {TENSOR}) -> {TENSOR} {{
  %y = relax.multiply %x, %x : ({TENSOR}, {TENSOR}) -> {TENSOR}
  relax.return %y : {TENSOR}
}}
relax.func @loss(%x: {TENSOR}) -> {SCALAR} {{
  %b = relax.dataflow {{
    %e = relax.exp %x : ({TENSOR}) -> {TENSOR}
    %s = relax.call @square(%e) : ({TENSOR}) -> {TENSOR}
    relax.output %s : {TENSOR}
  }}
  %l = relax.sum %b : ({TENSOR}) -> {SCALAR}
  relax.return %l : {SCALAR}
}}
"""


X = np.ones(3, np.float32)
ARGUMENT = dpl.wildcard()
PATTERN = dpl.is_op("exp")(ARGUMENT)


def last(module: ModuleOp, name: str) -> Operation:
    """The last op of a name."""
    return [op for op in module.walk() if op.name == f"relax.{name}"][-1]


def without(name: str) -> Change:
    return lambda module: last(module, name).detach()


def of_operands(name: str, count: int) -> Change:
    def change(module: ModuleOp) -> None:
        op = last(module, name)
        op.operands = [op.operands[0]] * count

    return change


def of_operand(name: str, other: str) -> Change:
    """An operand is the value of another op, wherever that stands."""

    def change(module: ModuleOp) -> None:
        last(module, name).operands[0] = last(module, other).results[0]

    return change


def of_result(name: str, type: Attribute) -> Change:
    def change(module: ModuleOp) -> None:
        last(module, name).results[0]._type = type  # pyright: ignore[reportPrivateUsage]

    return change


def of_property(name: str, key: str, value: Attribute | None) -> Change:
    def change(module: ModuleOp) -> None:
        properties = last(module, name).properties
        properties.pop(key, None)
        if value is not None:
            properties[key] = value

    return change


def first(module: ModuleOp) -> None:
    """A block stands after what reads it."""
    block, user = last(module, "dataflow"), last(module, "sum")
    block.detach()
    user.parent.insert_op_after(block, user)


def of_another_dialect(module: ModuleOp) -> None:
    op = last(module, "exp")
    Rewriter.replace_op(op, test_dialect.TestOp(op.operands, result_types=op.result_types))


def without_body(module: ModuleOp) -> None:
    last(module, "func").regions[0].detach_block(0)


def with_two_blocks(module: ModuleOp) -> None:
    last(module, "func").regions[0].add_block(Block())


BROKEN: dict[str, Change] = {
    "no terminator": without("return"),
    "a block without terminator": without("output"),
    "an op is gone whose result is read": without("exp"),
    "read before it is defined": first,
    "a value inside of a block": of_operand("sum", "exp"),
    "a value of another function": of_operand("sum", "multiply"),
    "an operand too few": of_operands("multiply", 1),
    "an operand too many": of_operands("exp", 2),
    "no operand": of_operands("sum", 0),
    "returns nothing": of_operands("return", 0),
    "puts out nothing": of_operands("output", 0),
    "another size": of_result("exp", TensorType.get((4,), f32)),
    "another element type": of_result("exp", TensorType.get((3,), f64)),
    "no tensor": of_result("exp", f64),
    "a call of another type": of_result("call", TensorType.get((4,), f32)),
    "a callee that is not there": of_property("call", "callee", SymbolRefAttr("nobody")),
    "a callee that is no symbol": of_property("call", "callee", StringAttr("square")),
    "no callee": of_property("call", "callee", None),
    "no name": of_property("func", "sym_name", None),
    "no type": of_property("func", "function_type", None),
    "a type of MLIR's": of_property("func", "function_type", FunctionType.from_lists([], [])),
    "an attribute of another kind": of_property("sum", "axis", StringAttr("first")),
    "an axis that is not there": of_property("sum", "axis", DenseArrayBase.from_list(i64, [7])),
    "two functions of a name": of_property("func", "sym_name", StringAttr("square")),
    "a function without a body": without_body,
    "a function of two blocks": with_two_blocks,
    "an op of another dialect": of_another_dialect,
}

USES: dict[str, Callable[[ModuleOp], object]] = {
    "gradient": lambda module: gradient(module, "loss"),
    "vjp": lambda module: vjp(module, "loss"),
    "jvp": lambda module: jvp(module, "loss"),
    "check_gradient": lambda module: check_gradient(module, "loss", X),
    "make_step": lambda module: training.make_step(
        module, "loss", training.SGD(0.1), parameters=["x"]
    ),
    "run": lambda module: interpret.run(module, "loss", X),
    "dual numbers": lambda module: interpret.jvp(module, "loss", [X], [X]),
    "lower": lowering.lower,
    "to_c": lowering.to_c,
    "memory": lowering.estimate_memory_usage,
    "dump": tvmscript.dump,
    "match": lambda module: list(PATTERN.find_all(module)),
    "rewrite": lambda module: dpl.rewrite_call(PATTERN, lambda _, m: m[ARGUMENT], module),
    "equal": lambda module: relax_dialect.structural_equal(module, module.clone()),
    "well_formed": analysis.well_formed,
    "detect_recursion": analysis.detect_recursion,
    "remove_all_unused": analysis.remove_all_unused,
}


def broken(kind: str) -> ModuleOp:
    module = relax_dialect.parse(PROGRAM)
    BROKEN[kind](module)
    return module


@pytest.mark.parametrize("kind", BROKEN)
def test_it_is_told(kind: str):
    with pytest.raises(RelaxError):
        relax_dialect.verify(broken(kind))
    for name, use in USES.items():
        try:
            use(broken(kind))
        except InternalError as error:
            pytest.fail(f"{name}: {error}")
        except RelaxError:
            pass  # told


@pytest.mark.parametrize("use", ["gradient", "vjp", "jvp", "make_step", "run", "dump"])
def test_what_is_sound_works(use: str):
    USES[use](relax_dialect.parse(PROGRAM))
