"""Construction of operators from numpy functions: one line per operator in the family's file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl
from xdsl.ir import Operation

from relax_dialect.interpret.runtime_values import fresh
from relax_dialect.ops.base import OperatorOp


def operator(op_type: type[OperatorOp], function: Callable[..., Any]) -> Any:
    """Return the semantics of an operator without attributes: `function(*operands)`.

    A variadic operand is passed as a list, an omitted optional one as None; an operator of several results
    returns a tuple.
    """
    return operator_with_attributes(op_type, lambda op, *operands: function(*operands))


def operator_with_attributes(op_type: type[OperatorOp], function: Callable[..., Any]) -> Any:
    """Return the semantics of an operator, `function(op, *operands)`; operands and results as above."""

    def run(_: Any, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        assert isinstance(op, OperatorOp)
        args = tuple(np.asarray(a) if isinstance(a, np.generic) else a for a in args)
        results = function(op, *op.grouped(args))
        return tuple(map(fresh, results)) if isinstance(results, tuple) else (fresh(results),)

    return impl(op_type)(run)
