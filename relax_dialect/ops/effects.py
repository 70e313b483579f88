"""Ops with effects, and calls of functions from outside that have none."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from relax_dialect.ops.base import FunctionalOp
from relax_dialect.ops.calls import PackedCallOp, TirCallOp
from relax_dialect.ops.rules import ints
from relax_dialect.types import TensorType, contradict


@irdl_op_definition
class CallPurePackedOp(PackedCallOp):
    """Call a function from outside that has no effect: `relax.call_pure_packed "f"(%x) : (T) -> T`."""

    name = "relax.call_pure_packed"

    traits = traits_def(Pure())


@irdl_op_definition
class CallDpsPackedOp(PackedCallOp):
    """Call a function from outside that writes its result into a tensor it is given last.

    `relax.call_dps_packed "f"(%x) : (T) -> !relax.tensor<[n], f32>`

    (C1) The result is a tensor of known shape and element type.
    """

    name = "relax.call_dps_packed"

    traits = traits_def(Pure())

    def infer(self) -> Sequence[Attribute]:
        type = self.result.type
        known = isinstance(type, TensorType) and type.shape is not None and None not in type.shape
        if not known or type.dtype is None:  # pyright: ignore
            self.fail(
                "a result of known shape and element type (C1)",
                f"{type}",
                "declare them: the result is allocated before the call",
            )
        return self.result_types


@irdl_op_definition
class CallTirInplaceOp(TirCallOp):
    """Call a prim func that writes its results into some of its arguments.

    `relax.call_tir_inplace @f(%a, %b) {inplace_indices = array<i64: 0>} : (A, B) -> A`

    Result i may lie in the argument `inplace_indices[i]`, if nobody can tell: values never change.

    (C1) One index for each result, each the number of an argument, none twice.
    (C2) The result has the type of that argument.
    """

    name = "relax.call_tir_inplace"

    inplace_indices = prop_def(DenseArrayBase)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        callee: func.FuncOp | str,
        args: Sequence[SSAValue | Operation],
        inplace_indices: Sequence[int],
        symbols: Sequence[object] = (),
        result_types: Sequence[Attribute] | None = None,
    ):
        super().__init__(
            callee,
            args,
            symbols,  # pyright: ignore[reportArgumentType]
            result_types,
            inplace_indices=list(inplace_indices),
        )

    def verify_(self) -> None:
        super().verify_()
        indices = ints(self.inplace_indices)
        fits = len(set(indices)) == len(indices) == len(self.results)
        if not fits or not all(0 <= i < len(self.args) for i in indices):
            self.fail(
                f"one argument's number for each of {len(self.results)} results, none twice (C1)",
                str(list(indices)),
                f"arguments are counted from 0 to {len(self.args) - 1}",
            )
        for result, index in zip(self.results, indices):
            if contradict(result.type, self.args[index].type):
                self.fail(
                    f"a result of the type of argument {index}, {self.args[index].type} (C2)",
                    f"{result.type}",
                    "correct the result type",
                )


class EffectOp(FunctionalOp):
    """An op that is there for its effect and has no result.

    (C1) The format has one `{}` for each value; `{{` and `}}` stand for braces.
    """

    values = var_operand_def(AnyAttr())
    format = opt_prop_def(StringAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def infer(self) -> Sequence[Attribute]:
        text = None if self.format is None else self.format.data
        if text is not None and _placeholders(text) != len(self.values):
            self.fail(
                f"a format with one {{}} for each of {len(self.values)} values (C1)",
                f'"{text}"',
                "write {} where a value is to stand, and {{ or }} for a brace",
            )
        return ()


def _placeholders(format: str) -> int | None:
    """How many `{}` a format has; None if it has other braces."""
    try:
        fields = [f for f in Formatter().parse(format) if f[1] is not None]
    except ValueError:
        return None
    return len(fields) if all(f[1:] == ("", "", None) for f in fields) else None


@irdl_op_definition
class PrintOp(EffectOp):
    """Print values: `relax.print %x {format = "x = {}"} : (T) -> ()`."""

    name = "relax.print"

    def __init__(self, *values: SSAValue | Operation, format: str | None = None):
        text = None if format is None else StringAttr(format)
        self.init_inferred([list(values)], {"format": text}, 0)  # pyright: ignore


@irdl_op_definition
class AssertOp(EffectOp):
    """Stop the program with a message unless a condition holds.

    `relax.assert_op %c, %x {format = "x is {}"} : (!relax.tensor<[], i1>, T) -> ()`

    (C2) The condition is a boolean tensor of rank 0.
    """

    name = "relax.assert_op"

    condition = operand_def(AnyAttr())
    values = var_operand_def(AnyAttr())

    def __init__(
        self,
        condition: SSAValue | Operation,
        *values: SSAValue | Operation,
        format: str | None = None,
    ):
        text = None if format is None else StringAttr(format)
        self.init_inferred([condition, list(values)], {"format": text}, 0)  # pyright: ignore

    def infer(self) -> Sequence[Attribute]:
        boolean = TensorType.get((), IntegerType(1))
        if contradict(self.condition.type, boolean):
            self.fail(
                f"a condition of type {boolean} (C2)",
                f"{self.condition.type}",
                "reduce the condition to one boolean",
            )
        return super().infer()


OPS: list[type[Operation]] = [
    CallPurePackedOp,
    CallDpsPackedOp,
    CallTirInplaceOp,
    PrintOp,
    AssertOp,
]
