"""Effects, each once and in the order of the program, and functions from outside without any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import StringAttr
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.calls import call_prim_func, check_results, packed, read_only
from relax_dialect.interpret.control import truth
from relax_dialect.interpret.machine import frame_of
from relax_dialect.interpret.values import Array, fresh, from_python, poisoned
from relax_dialect.ops.effects import (
    AssertOp,
    CallDpsPackedOp,
    CallPurePackedOp,
    CallTirInplaceOp,
    PrintOp,
)
from relax_dialect.ops.rules import ints
from relax_dialect.run_time_checks import other_size_in_place
from relax_dialect.types import TensorType


def message(format: StringAttr | None, values: Sequence[Any], default: str = "") -> str:
    """The text of `relax.print` and `relax.assert_op`: each `{}` stands for a value."""
    texts = [_text(value) for value in values]
    if format is None:
        return " ".join([default, *texts] if default else texts)
    return format.data.format(*texts)


def _text(value: Any) -> str:
    """A value as it is printed: arrays as numpy prints them, tuples and shapes by element."""
    return f"({', '.join(map(_text, value))})" if isinstance(value, tuple) else str(value)


@register_impls
class EffectFunctions(InterpreterFunctions):
    """The ops of `relax_dialect.ops.effects`."""

    @impl(CallPurePackedOp)
    def run_call_pure_packed(
        self, interpreter: Interpreter, op: CallPurePackedOp, args: PythonValues
    ) -> PythonValues:
        results = (from_python(packed(op)(*map(read_only, args))),)
        check_results(interpreter, op, f'"{op.func_name.data}"', results)
        return results

    @impl(CallDpsPackedOp)
    def run_call_dps_packed(
        self, interpreter: Interpreter, op: CallDpsPackedOp, args: PythonValues
    ) -> PythonValues:
        type = op.result.type
        assert isinstance(type, TensorType) and type.shape is not None and type.dtype is not None
        sizes = frame_of(interpreter).sizes
        out = poisoned(
            [d.evaluate(sizes, as_size=True) for d in type.shape if d is not None], type.dtype
        )
        packed(op)(*map(read_only, args), out)
        return (out,)

    @impl(CallTirInplaceOp)
    def run_call_tir_inplace(
        self, interpreter: Interpreter, op: CallTirInplaceOp, args: PythonValues
    ) -> PythonValues:
        # fresh results: the values of a program never change, so nothing tells where they lie
        results = tuple(fresh(result) for result in call_prim_func(interpreter, op, args))
        for number, (index, result) in enumerate(zip(ints(op.inplace_indices), results)):
            place: Array = args[index]
            for d, (found, wanted) in enumerate(zip(result.shape, place.shape)):
                if found != wanted:
                    raise RelaxError(other_size_in_place(number, index, d, found, wanted))
        return results

    @impl(PrintOp)
    def run_print(self, interpreter: Interpreter, op: PrintOp, args: PythonValues) -> PythonValues:
        print(message(op.format, args))
        return ()

    @impl(AssertOp)
    def run_assert(
        self, interpreter: Interpreter, op: AssertOp, args: PythonValues
    ) -> PythonValues:
        condition, *values = args
        if not truth(condition):
            raise RelaxError(message(op.format, values, "assertion failed"))
        return ()
