"""Ops with effects, and calls of external functions without effects."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, StringAttr, TupleType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from relax_dialect.ir.lattice import contradict
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import FunctionalOp, require_boolean
from relax_dialect.ops.calls import PackedCallOp, PackedOp, TirCallOp
from relax_dialect.ops.forms import integers


@irdl_op_definition
class CallPurePackedOp(PackedCallOp):
    """Call an external function that has no effect: `relax.call_pure_packed "f"(%x) : (T) -> T`."""

    name = "relax.call_pure_packed"

    traits = traits_def(Pure())


@irdl_op_definition
class CallDpsPackedOp(PackedOp):
    """Call an external function that writes its results into its last arguments.

    `relax.call_dps_packed "f"(%x) : (T) -> !relax.tensor<[n], f32>`; several results, or tuples of tensors,
    are as many tensors.

    (C1) The results are tensors of known shape, or tuples of them. An unknown element type is refused when
    the call is run or compiled: the result is allocated before the call.
    """

    name = "relax.call_dps_packed"

    outs = var_result_def(AnyAttr())

    traits = traits_def(Pure())

    def __init__(
        self,
        func_name: str,
        args: Sequence[SSAValue | Operation | Attribute | str | float],
        result_types: Attribute | Sequence[Attribute],
    ):
        types = [result_types] if isinstance(result_types, Attribute) else result_types
        super().__init__(func_name, args, [types])

    @property
    def result(self) -> SSAValue:
        """The result, if there is one."""
        (result,) = self.results
        return result

    def infer(self) -> Sequence[Attribute]:
        stack = list(self.result_types)
        while stack:
            type = stack.pop()
            if isinstance(type, TupleType):
                stack.extend(type.types)
            elif not has_known_shape(type):
                self.fail(
                    "a result of known shape (C1)",
                    f"{type}",
                    "declare it: the result is allocated before the call",
                )
        return self.result_types


def has_known_shape(type: Attribute) -> bool:
    """Return whether all sizes of a tensor are expressions."""
    return isinstance(type, TensorType) and type.shape is not None and None not in type.shape


@irdl_op_definition
class CallInplacePackedOp(PackedOp):
    """Call an external function that writes some of its arguments.

    `relax.call_inplace_packed "f"(%a, %b) {inplace_indices = array<i64: 0, -1>} : (A, B) -> (A, C)`

    Result i is the content of argument `inplace_indices[i]` after the call, or for -1 the function's return
    value. The argument is copied unless that is unobservable: values are immutable.

    (C1) One index for each result: that of a tensor argument, none twice, or -1 if the result is no tuple;
    not all are -1.
    (C2) The result has the type of that argument.
    """

    name = "relax.call_inplace_packed"

    outs = var_result_def(AnyAttr())
    inplace_indices = prop_def(DenseArrayBase)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        func_name: str,
        args: Sequence[SSAValue | Operation | Attribute | str | float],
        inplace_indices: Sequence[int],
        result_types: Sequence[Attribute],
    ):
        indices = DenseArrayBase.from_list(i64, inplace_indices)
        super().__init__(func_name, args, [result_types], inplace_indices=indices)

    def verify_(self) -> None:
        super().verify_()
        indices, arguments = integers(self.inplace_indices), self.all_arguments()
        written = [i for i in indices if i != -1]
        fits = len(indices) == len(self.results) and len(set(written)) == len(written) > 0
        if not fits or not all(0 <= i < len(arguments) for i in written):
            self.fail(
                f"one argument's number for each of {len(self.results)} results, none twice, or -1 "
                "for a new result (C1)",
                str(list(indices)),
                f"arguments are counted from 0 to {len(arguments) - 1}",
            )
        for result, index in zip(self.results, indices):
            argument = arguments[index] if index >= 0 else result
            if not isinstance(argument, SSAValue) or (
                index >= 0 and not isinstance(argument.type, TensorType)
            ):
                found = argument.type if isinstance(argument, SSAValue) else argument
                self.fail("a tensor to be written (C1)", f"{found}", "name a tensor argument")
            if index < 0 and isinstance(result.type, TupleType):
                self.fail("no tuple as a new result (C1)", f"{result.type}", "write "
                          "a result for each of its fields")  # fmt: skip
            if contradict(result.type, argument.type):
                self.fail(
                    f"a result of the type of argument {index}, {argument.type} (C2)",
                    f"{result.type}",
                    "correct the result type",
                )


@irdl_op_definition
class CallTirInplaceOp(TirCallOp):
    """Call a prim func that writes its results into some of its arguments.

    `relax.call_tir_inplace @f(%a, %b) {inplace_indices = array<i64: 0>} : (A, B) -> A`

    Result i may lie in the argument `inplace_indices[i]`, or is allocated for -1. The op is pure: values
    never change, and the argument is copied if anything else uses it.

    (C1) One index for each result: the number of an argument, none twice, or -1; not all are -1.
    (C2) The result has the type of that argument.
    (C3) Arguments and results are no tuples.
    """

    name = "relax.call_tir_inplace"

    inplace_indices = prop_def(DenseArrayBase)
    traits = traits_def(Pure())

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
        for type in (*self.operand_types, *self.result_types):
            if isinstance(type, TupleType):
                self.fail(
                    "tensors as arguments and results (C3)",
                    f"{type}",
                    "take the fields with relax.tuple_get_item: the indices count tensors",
                )
        indices = integers(self.inplace_indices)
        written = [i for i in indices if i != -1]
        fits = len(indices) == len(self.results) and len(set(written)) == len(written) > 0
        if not fits or not all(0 <= i < len(self.args) for i in written):
            self.fail(
                f"one argument's number for each of {len(self.results)} results, none twice, or -1 for "
                "a new tensor (C1)",
                str(list(indices)),
                f"arguments are counted from 0 to {len(self.args) - 1}",
            )
        for result, index in zip(self.results, indices):
            if index >= 0 and contradict(result.type, self.args[index].type):
                self.fail(
                    f"a result of the type of argument {index}, {self.args[index].type} (C2)",
                    f"{result.type}",
                    "correct the result type",
                )


class EffectOp(FunctionalOp):
    """An op that is executed for its effect and has no result.

    (C1) The format has one `{}` for each value; `{{` and `}}` are braces.
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
                "write {} for a value, and {{ or }} for a brace",
            )
        return ()


def _placeholders(format: str) -> int | None:
    """Return the number of `{}` in a format; None if it has other braces."""
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

    (C2) The condition is a boolean: an i1, or a tensor of it of rank 0.
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
        require_boolean(self, self.condition, "C2")
        return super().infer()


OPS: list[type[Operation]] = [
    CallPurePackedOp,
    CallDpsPackedOp,
    CallInplacePackedOp,
    CallTirInplaceOp,
    PrintOp,
    AssertOp,
]
