"""Branches, loops, and functions as values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)

from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret.core import call_function, entries
from relax_dialect.interpret.foreign import from_python
from relax_dialect.interpret.machine import (
    Frame,
    RelaxInterpreter,
    ValueScope,
    deep_recursion,
    frame_of,
    machine,
)
from relax_dialect.interpret.op_semantics import forwarding
from relax_dialect.interpret.runtime_values import as_scalar
from relax_dialect.interpret.type_matching import TypedValue, kind_of, match_types
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import FuncType
from relax_dialect.ops.control import CallClosureOp, ClosureOp, IfOp, MakeClosureOp, YieldOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.prim.run_time_checks import called


def truth(condition: Any) -> bool:
    """Return the value of a condition, which must be one boolean."""
    if (
        not isinstance(condition, np.ndarray | np.bool_)
        or condition.dtype != bool
        or condition.ndim
    ):
        raise RelaxError(
            f"expected a condition that is one boolean, found {kind_of(condition)}; reduce it to an "
            "array of i1 without dimensions"
        )
    return bool(condition)


@dataclass(eq=False)
class Closure:
    """A function value: a Python callable that keeps the values and variables it captured."""

    interpreter: RelaxInterpreter
    op: ClosureOp
    scope: ValueScope
    frame: Frame

    def __call__(self, *args: Any) -> Any:
        types = self.op.body.block.arg_types
        if len(args) == len(types):
            args = tuple(map(as_scalar, types, args))
        values = tuple(map(from_python, args))
        with deep_recursion(self.interpreter.max_depth), self.interpreter.call_of_value(self.name):
            return call_closure(self, values)

    @property
    def name(self) -> str:
        """Its name in errors."""
        return self.frame.located(describe(self.op))

    def __repr__(self) -> str:
        return f"<function value {self.name} : {self.op.type}>"

    @property
    def is_pure(self) -> bool:
        """Whether its type promises that it has no effect."""
        return self.op.type.is_pure


def call_closure(closure: Closure, args: PythonValues) -> Any:
    """Run a closure: its parameters bind its own variables and are checked against the captured."""
    op = closure.op
    frame = closure.frame.inner()
    match_types(entries(closure.name, op.body.block.args, args), frame.sizes)
    sizes = dict(frame.sizes)
    interpreter = closure.interpreter
    depth = interpreter.depth
    with interpreter.activation(closure.scope, frame):
        interpreter.depth = depth
        (result,) = interpreter.run_in_order(op.body, args, "closure")
    match_types([TypedValue(f"{closure.name}: result", op.type.output, result)], sizes)
    return result


@dataclass(eq=False)
class PartialFunction:
    """A function of the module with its first arguments bound: a Python callable."""

    interpreter: RelaxInterpreter
    func: FuncOp
    given: PythonValues
    is_pure: bool

    def __repr__(self) -> str:
        return f"<function value @{self.func.sym_name.data}, bound arguments: {len(self.given)}>"

    def __call__(self, *args: Any) -> Any:
        values = tuple(map(from_python, args))
        name = called(self.func)
        with deep_recursion(self.interpreter.max_depth), self.interpreter.call_of_value(name):
            return self.run(values)

    def run(self, args: PythonValues) -> Any:
        """Call it from a program that is running."""
        return call_function(self.interpreter, self.func, (*self.given, *args), len(self.given))


@register_impls
class ControlFunctions(InterpreterFunctions):
    """The ops of `relax_dialect.ops.control` and `relax_dialect.ops.loops`."""

    @impl(IfOp)
    def run_if(self, interpreter: Interpreter, op: IfOp, args: PythonValues) -> PythonValues:
        region = op.then_region if truth(args[0]) else op.else_region
        own = machine(interpreter)
        outer = own.frame
        own.frame = outer.inner()
        values = own.run_in_order(region, (), "if")
        own.frame = outer
        return values

    @impl(WhileOp)
    def run_while(self, interpreter: Interpreter, op: WhileOp, args: PythonValues) -> PythonValues:
        own = machine(interpreter)
        outer = own.frame
        while True:
            own.frame = outer.inner()  # each iteration binds its symbolic variables anew
            (test,) = own.run_in_order(op.condition, args, "while")
            if not truth(test):
                break
            own.frame = outer.inner()
            args = own.run_in_order(op.body, args, "while")
        own.frame = outer
        return args

    run_yield = forwarding(YieldOp)

    @impl(ClosureOp)
    def run_closure(
        self, interpreter: Interpreter, op: ClosureOp, args: PythonValues
    ) -> PythonValues:
        own = machine(interpreter)
        frame = Frame(own.frame.function, dict(own.frame.sizes), own.frame.points)
        return (Closure(own, op, own.scope, frame),)

    @impl(MakeClosureOp)
    def run_make_closure(
        self, interpreter: Interpreter, op: MakeClosureOp, args: PythonValues
    ) -> PythonValues:
        callee = interpreter.get_op_for_symbol(op.callee)
        if not isinstance(callee, FuncOp):
            raise RelaxError(f"expected a relax.func, found {callee.name} @{op.callee_name}")
        pure = isinstance(op.result.type, FuncType) and op.result.type.is_pure
        return (PartialFunction(machine(interpreter), callee, args, pure),)

    @impl(CallClosureOp)
    def run_call_closure(
        self, interpreter: Interpreter, op: CallClosureOp, args: PythonValues
    ) -> PythonValues:
        callee, *rest = args
        frame = frame_of(interpreter)
        what = frame.located(describe(op))
        with machine(interpreter).call_of_value(what):
            result = _call(callee, tuple(rest))
        entry = TypedValue(f"{what}: result", op.result.type, result)
        match_types([entry], dict(frame.sizes), frame.definitions)
        return (result,)


def _call(callee: Callable[..., Any], args: PythonValues) -> Any:
    """Call a function value of ours, or any callable of Python's."""
    if isinstance(callee, PartialFunction):
        return callee.run(args)
    if isinstance(callee, Closure):
        return call_closure(callee, args)
    try:
        return from_python(callee(*args))
    except ExecutionError:
        raise
    except Exception as error:
        raise RelaxError(f"the function called raised {type(error).__name__}: {error}") from error
