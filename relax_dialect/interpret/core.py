"""Functions, constants, tuples, shapes, and the ops that define symbolic variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import SSAValue

from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret.machine import RelaxInterpreter, Sizes, frame_of
from relax_dialect.interpret.op_semantics import forwarding, semantics
from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.interpret.type_matching import TypedValue, match_types
from relax_dialect.ir.order import describe
from relax_dialect.ir.upper_bounds import above_bound, upper_bounds
from relax_dialect.ops.builtin_tensors import FromBuiltinOp, ToBuiltinOp
from relax_dialect.ops.core import (
    ConstantOp,
    FuncOp,
    MatchCastOp,
    MatchShapeOp,
    ReturnOp,
    ShapeOfOp,
    ShapeOp,
    TupleGetItemOp,
    TupleOp,
)
from relax_dialect.ops.graph import LetOp
from relax_dialect.prim.run_time_checks import called, definition_of, function_around, negative_size


@dataclass
class TailCall:
    """A pending call in tail position, which replaces its caller."""

    func: FuncOp
    args: PythonValues


def call_function(
    interpreter: RelaxInterpreter, func: FuncOp, args: PythonValues, given: int = 0
) -> Any:
    """Run a function, and its tail calls as iterations of a loop, whose result is the function's."""
    first, sizes = func, _entered(func, args, given)
    bound = sizes
    while True:
        name = func.sym_name.data
        with interpreter.call_of(name):
            around = function_around(func).removeprefix("@")
            (result,) = interpreter.run_body(around, func, args, dict(bound))
        if not isinstance(result, TailCall):
            break
        func, args = result.func, result.args
        bound = _entered(func, args)
    for each, known in {func: bound, first: sizes}.items():
        what = f"{called(each)}: result"
        match_types([TypedValue(what, each.function_type.output, result)], known)
    return result


def _entered(func: FuncOp, args: PythonValues, given: int = 0) -> Sizes:
    """Return the sizes that the parameters of a function bind, after checking the arguments; the first
    `given` were bound before the call."""
    sizes: Sizes = {}
    match_types(entries(called(func), func.body.block.args, args, given), sizes)
    for name, most in upper_bounds(func).items():
        if sizes[name] > most:
            raise ExecutionError(f"{function_around(func)}: {above_bound(name, most, sizes[name])}")
    return sizes


def entries(
    what: str, params: Sequence[SSAValue], args: PythonValues, given: int = 0
) -> list[TypedValue]:
    """Return the arguments of a function or closure, with their types. Refuses a wrong number of them."""
    names = [f"'{p.name_hint or f'#{index}'}'" for index, p in enumerate(params)]
    if len(args) != len(params):
        listed = ", ".join(names[given:]) or "none"
        raise ExecutionError(
            f"{what}: expected {len(params) - given} arguments ({listed}), found {len(args) - given}"
        )
    return [
        TypedValue(f"{what}: argument {name}", p.type, arg)
        for name, p, arg in zip(names, params, args)
    ]


@register_impls
class CoreFunctions(InterpreterFunctions):
    """The ops of `relax_dialect.ops.core`; a tuple is a Python tuple, a shape a tuple of ints."""

    run_return = forwarding(ReturnOp)

    @semantics(ConstantOp)
    def run_constant(self, op: ConstantOp, args: PythonValues) -> PythonValues:
        return (from_dense(op.value),)

    @semantics(LetOp)
    def run_let(self, op: LetOp, args: PythonValues) -> PythonValues:
        return args

    @semantics(TupleOp)
    def run_tuple(self, op: TupleOp, args: PythonValues) -> PythonValues:
        return (args,)

    @semantics(TupleGetItemOp)
    def run_tuple_get_item(self, op: TupleGetItemOp, args: PythonValues) -> PythonValues:
        return (args[0][op.index],)

    @impl(ShapeOp)
    def run_shape(self, interpreter: Interpreter, op: ShapeOp, args: PythonValues) -> PythonValues:
        known = frame_of(interpreter).sizes
        sizes = tuple(
            dim.evaluate(known, as_size=True) for dim in op.sizes.data or () if dim is not None
        )
        if wrong := negative_size(sizes):
            raise RelaxError(wrong)
        return (sizes,)

    @semantics(ShapeOfOp)
    def run_shape_of(self, op: ShapeOfOp, args: PythonValues) -> PythonValues:
        return (args[0].shape,)

    @impl(MatchShapeOp)
    def run_match_shape(
        self, interpreter: Interpreter, op: MatchShapeOp, args: PythonValues
    ) -> PythonValues:
        return _match(interpreter, op, args)

    @impl(MatchCastOp)
    def run_match_cast(
        self, interpreter: Interpreter, op: MatchCastOp, args: PythonValues
    ) -> PythonValues:
        return _match(interpreter, op, args)

    @semantics(FromBuiltinOp)
    def run_from_builtin(self, op: FromBuiltinOp, args: PythonValues) -> PythonValues:
        return args

    @semantics(ToBuiltinOp)
    def run_to_builtin(self, op: ToBuiltinOp, args: PythonValues) -> PythonValues:
        return args


def _match(
    interpreter: Interpreter, op: MatchShapeOp | MatchCastOp, args: PythonValues
) -> PythonValues:
    """Check the value against the result's type; unbound variables that are bare sizes are bound."""
    frame = frame_of(interpreter)
    what = describe(op)
    defined = [name for name in op.candidates() if name not in frame.sizes]
    entry = TypedValue(frame.located(what), op.results[0].type, args[0], op.value.type)
    match_types([entry], frame.sizes, frame.definitions)
    for name in defined:
        frame.definitions[name] = definition_of(name, what, op.location)
    return args
