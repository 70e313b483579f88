"""Effects, each once and in the order of the program, and external functions without effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import StringAttr, TupleType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Attribute

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.calls import (
    arguments,
    call_prim_func,
    check_results,
    packed,
    read_only,
)
from relax_dialect.interpret.control import truth
from relax_dialect.interpret.foreign import from_python
from relax_dialect.interpret.machine import frame_of
from relax_dialect.interpret.op_semantics import semantics
from relax_dialect.interpret.runtime_values import Array, fresh, poisoned
from relax_dialect.ops.effects import (
    AssertOp,
    CallDpsPackedOp,
    CallInplacePackedOp,
    CallPurePackedOp,
    CallTirInplaceOp,
    PrintOp,
)
from relax_dialect.ops.forms import integers
from relax_dialect.prim.run_time_checks import allocated, other_size_in_place


def message(format: StringAttr | None, values: Sequence[Any], default: str = "") -> str:
    """Return the text of `relax.print` and `relax.assert_op`: each `{}` is replaced by a value."""
    texts = [_text(value) for value in values]
    if format is None:
        return " ".join([default, *texts] if default else texts)
    return format.data.format(*texts)


def _text(value: Any) -> str:
    """Return a value as it is printed: arrays as numpy prints them, tuples and shapes by element."""
    return f"({', '.join(map(_text, value))})" if isinstance(value, tuple) else str(value)


def results_in_place(indices: Sequence[int], values: Sequence[Any], given: Any) -> list[Any]:
    """Return the results of a function that writes arguments: these, and for -1 its returned values."""
    if given is None and -1 not in indices:
        given = (None,) * len(indices)
    elif len(indices) == 1:
        given = (given,)
    if not isinstance(given, tuple) or len(given) != len(indices):
        raise RelaxError(
            f"expected {len(indices)} results, as a tuple, found a Python {type(given).__name__}"
        )
    for number, (index, result) in enumerate(zip(indices, given)):
        if index >= 0 and result is not None and result is not values[index]:
            raise RelaxError(
                f"expected argument {index}, which it writes, as result {number}, found another value; "
                "write to the argument, and return it or None"
            )
    return [values[i] if i >= 0 else result for i, result in zip(indices, given)]


@register_impls
class EffectFunctions(InterpreterFunctions):
    """The ops of `relax_dialect.ops.effects`."""

    @impl(CallPurePackedOp)
    def run_call_pure_packed(
        self, interpreter: Interpreter, op: CallPurePackedOp, args: PythonValues
    ) -> PythonValues:
        results = (from_python(packed(op)(*arguments(op, map(read_only, args)))),)
        check_results(interpreter, op, f'"{op.func_name.data}"', results)
        return results

    @impl(CallDpsPackedOp)
    def run_call_dps_packed(
        self, interpreter: Interpreter, op: CallDpsPackedOp, args: PythonValues
    ) -> PythonValues:
        sizes = frame_of(interpreter).sizes
        places: list[Array] = []

        def place(type: Attribute) -> Any:
            if isinstance(type, TupleType):
                return tuple(map(place, type.types))
            shape, dtype = allocated(op, type)
            places.append(poisoned([d.evaluate(sizes) for d in shape], dtype))
            return places[-1]

        results = tuple(map(place, op.result_types))
        packed(op)(*arguments(op, map(read_only, args)), *places)
        return results

    @impl(CallInplacePackedOp)
    def run_call_inplace_packed(
        self, interpreter: Interpreter, op: CallInplacePackedOp, args: PythonValues
    ) -> PythonValues:
        indices = integers(op.inplace_indices)
        values = arguments(op, map(read_only, args))
        for index in indices:
            if index >= 0:  # a copy: the values of a program never change
                values[index] = fresh(values[index])
        given = packed(op)(*values)
        results = tuple(map(from_python, results_in_place(indices, values, given)))
        check_results(interpreter, op, f'"{op.func_name.data}"', results)
        return results

    @impl(CallTirInplaceOp)
    def run_call_tir_inplace(
        self, interpreter: Interpreter, op: CallTirInplaceOp, args: PythonValues
    ) -> PythonValues:
        # fresh results: values of a program are immutable, so their memory is unobservable
        results = tuple(fresh(result) for result in call_prim_func(interpreter, op, args))
        for number, (index, result) in enumerate(zip(integers(op.inplace_indices), results)):
            place: Array = args[index] if index >= 0 else result
            for d, (found, wanted) in enumerate(zip(result.shape, place.shape)):
                if found != wanted:
                    raise RelaxError(other_size_in_place(number, index, d, found, wanted))
        return results

    @semantics(PrintOp)
    def run_print(self, op: PrintOp, args: PythonValues) -> PythonValues:
        print(message(op.format, args))
        return ()

    @semantics(AssertOp)
    def run_assert(self, op: AssertOp, args: PythonValues) -> PythonValues:
        condition, *values = args
        if not truth(condition):
            raise RelaxError(message(op.format, values, "assertion failed"))
        return ()
