"""How an operator is made from a numpy function: one line per operator in the family's file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.interpreter import Interpreter, PythonValues, impl
from xdsl.ir import Operation

from relax_dialect.interpret.values import fresh


def operator(op_type: type[Operation], function: Callable[..., Any]) -> Any:
    """The semantics of an operator that has one result and no attributes: `function(*operands)`."""

    def run(_: Any, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        return (fresh(function(*args)),)

    return impl(op_type)(run)


def operator_with_attributes(op_type: type[Operation], function: Callable[..., Any]) -> Any:
    """The semantics of an operator with one result: `function(op, *operands)`."""

    def run(_: Any, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        return (fresh(function(op, *args)),)

    return impl(op_type)(run)
