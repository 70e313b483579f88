"""Semantics of ops as functions of the op and its operands, for the classes that `register_impls` reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from xdsl.interpreter import (
    Interpreter,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
)
from xdsl.ir import Operation

OpT = TypeVar("OpT", bound=Operation)


def semantics(
    op_type: type[OpT],
) -> Callable[[Callable[[Any, OpT, PythonValues], PythonValues]], Any]:
    """Declare a method of an op and its operands as the semantics of a class of ops."""

    def declare(method: Callable[[Any, OpT, PythonValues], PythonValues]) -> Any:
        def run(own: Any, interpreter: Interpreter, op: OpT, args: PythonValues) -> PythonValues:
            return method(own, op, args)

        return impl(op_type)(run)

    return declare


def computed(op_type: type[Operation], function: Callable[..., Any]) -> Any:
    """Return the semantics of an op with one result: `function(*operands)`."""
    return semantics(op_type)(lambda _, op, args: (function(*args),))


def forwarding(op_type: type[Operation]) -> Any:
    """Return the semantics of a terminator that passes its operands out of the region."""

    def run(
        _: Any, interpreter: Interpreter, op: Operation, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()

    return impl_terminator(op_type)(run)
