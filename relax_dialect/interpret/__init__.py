"""Reference semantics of the dialect in numpy: what a program means, at every level.

```python
y = run(module, "main", x)                # relax.func, or func.func on tensors or memrefs
parts = run_spmd(module, "main", PerRank([x, y]), ranks=2)  # several ranks of one program at once
value, tangent = jvp(module, "f", [x], [t])  # with the derivative along t, by dual numbers
(z,) = evaluate(add_op, x, y)             # one op, for constant folding
register_packed("print", lambda x: ...)   # what relax.call_packed "print" calls
```

Values are numpy arrays of the tensors' element types, tuples, tuples of ints for shapes, and Python
callables for functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, TypeVar

import numpy as np
from xdsl.dialects import func as func_dialect
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Attribute, Operation

from relax_dialect import extensions
from relax_dialect.errors import ExecutionError, RelaxError, SymbolicError
from relax_dialect.families import modules_of
from relax_dialect.interpret import dialects
from relax_dialect.interpret.arguments import (
    copied,
    in_order,
    over_arguments,
    refuse_unwritable,
    written,
)
from relax_dialect.interpret.calls import register_packed
from relax_dialect.interpret.communicator import Communicator, Simulation, Traffic
from relax_dialect.interpret.control import Closure
from relax_dialect.interpret.core import TailCall, call_function
from relax_dialect.interpret.dialects.func import call_prim, parameters, passed
from relax_dialect.interpret.foreign import from_python
from relax_dialect.interpret.machine import (
    Implementations,
    RelaxInterpreter,
    deep_recursion,
)
from relax_dialect.interpret.runtime_values import as_scalar
from relax_dialect.interpret.tangents import Tangents, plain, tangent_of, with_tangent
from relax_dialect.interpret.type_matching import TypedValue, match_types
from relax_dialect.interpret.wide_arithmetic import wide_values, widened
from relax_dialect.ir.in_place import in_place
from relax_dialect.ir.order import describe
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import blaming_program, require_module

OpT = TypeVar("OpT", bound=Operation)
Watch: TypeAlias = Callable[[Operation, PythonValues], None]


@cache
def _own_semantics() -> Implementations:
    """Return the semantics that the files of this package declare: loaded by the first program that is run,
    since they take as long to import as all the rest of a tool."""
    found = Implementations()
    for package, path in ((__name__, __path__), (dialects.__name__, dialects.__path__)):
        for file in modules_of(package, path):
            found.register_file(file)
    return found


def _semantics() -> Implementations:
    """Return the semantics of this package and of extensions."""
    found = _own_semantics()
    extensions.each_module("interpreter", found.register_file)
    return found


@cache
def _evaluator() -> RelaxInterpreter:
    """Runs single ops without regions, which leave no trace in it."""
    return RelaxInterpreter(ModuleOp([]), _own_semantics())


class Watcher(Interpreter.Listener):
    """Reports every op of the module that was run, with its results: arrays, tuples, shapes, functions."""

    def __init__(self, interpreter: RelaxInterpreter, tell: Watch):
        self.interpreter, self.tell = interpreter, tell

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        if self.interpreter.frame.points:
            return  # scalars of a linalg body are arrays over its points
        if any(isinstance(result, TailCall) for result in results):
            return  # no value yet
        self.tell(op, results)


class TypeChecker(Watcher):
    """Checks that every result has its declared type: a test of type inference."""

    def __init__(self, interpreter: RelaxInterpreter):
        super().__init__(interpreter, self.check)

    def check(self, op: Operation, results: PythonValues) -> None:
        frame = self.interpreter.frame
        what = frame.located(describe(op))
        entries = [
            TypedValue(what, type, value)
            for type, value in zip(op.result_types, results)
            if value is not None or not isinstance(op, BlockOp)  # an unused output has no value
        ]
        match_types(entries, dict(frame.sizes))


def interpreter(module: ModuleOp, *, check_types: bool = False) -> RelaxInterpreter:
    """Return an interpreter of the module that knows the semantics of all ops.

    It reads the module's symbols once: make a new one after changing the module. `check_types`
    compares the results of every op with its declared types.
    """
    result = RelaxInterpreter(module, _semantics().copy())
    if check_types:
        result.listeners = (TypeChecker(result),)
    return result


def run(
    module: ModuleOp,
    entry: str,
    /,
    *args: Any,
    check_types: bool = False,
    watch: Watch | None = None,
    out: Any = None,
    **named: Any,
) -> Any:
    """Run a function of the module and return its result (a tuple of several results, or an empty one).

    A `func.func` takes its tensors and no output parameters: symbols are read from their sizes, other
    symbols follow as ints, and memrefs it writes its results to are allocated and returned. A `relax.func`
    takes arguments by name too; `out` is an array, or a tuple of them, to write results to. Arguments that
    it overwrites (`inplace_indices`) are overwritten. `watch(op, values)` is called for each op that was
    run, with its results. Raises `RelaxError` for any error of the program or the arguments.
    """
    require_module(module)
    with blaming_program(module):
        machine = interpreter(module, check_types=check_types)
        if watch is not None:
            machine.listeners = (*machine.listeners, Watcher(machine, watch))
        return _run(machine, entry, args, named, out)


@dataclass(frozen=True)
class PerRank:
    """An argument of `run_spmd` that differs between ranks: the value of each."""

    values: Sequence[Any]


def run_spmd(
    module: ModuleOp,
    entry: str,
    /,
    *args: Any,
    ranks: int,
    check_types: bool = False,
    traffic: Traffic | None = None,
) -> list[Any]:
    """Run a function on several simulated ranks at once, and return their results by rank.

    All ranks get copies of the arguments, except those that are `PerRank`. `traffic` counts the bytes that
    ranks send. Raises `RelaxError` for any error of a rank, and if ranks wait for each other forever.
    """
    require_module(module)
    for given in args:
        if isinstance(given, PerRank) and len(given.values) != ranks:
            raise ExecutionError(
                f"@{entry}: expected a value for each of {ranks} ranks, found {len(given.values)}; pass "
                "a value that is not PerRank for all"
            )

    def program(own: Communicator) -> Any:
        machine = interpreter(module, check_types=check_types)
        machine.communicator = own
        mine = [a.values[own.rank] if isinstance(a, PerRank) else deepcopy(a) for a in args]
        return _run(machine, entry, mine, {}, None)

    with blaming_program(module):
        return Simulation(ranks, traffic or Traffic()).run(program)


def _run(
    machine: RelaxInterpreter, entry: str, args: Sequence[Any], named: Mapping[str, Any], out: Any
) -> Any:
    """Return the result of a function, of a program that verifies."""
    function = _function(machine, entry, FuncOp, func_dialect.FuncOp)
    where, names = f"@{entry}", parameter_names(function)
    args = tuple(in_order(where, names, args, named))
    types = _argument_types(function)
    if len(args) == len(types):
        args = tuple(map(as_scalar, types, args))
    names = names if len(names) == len(args) else [f"#{i}" for i in range(len(args))]
    values = tuple(from_python(a, f"{where}: argument '{n}'") for a, n in zip(args, names))
    with deep_recursion(machine.max_depth):
        if isinstance(function, FuncOp):
            result = _handed_over(call_function(machine, function, values))
            if indices := in_place(function):
                refuse_unwritable(where, names, indices, args)
                out = over_arguments(where, indices, args, out)
                result = copied(result)  # arguments may be results of other fields
            return written(where, result, out)
        try:
            results = _handed_over(call_prim(machine, function, tuple(map(_plain, args))))
        except SymbolicError as error:
            raise ExecutionError(f"@{entry}: {error}") from None
    return written(where, results[0] if len(results) == 1 else results or None, out)


def _function(machine: RelaxInterpreter, entry: str, *kinds: type[OpT]) -> OpT:
    """Return the function of a name."""
    functions = {n: f for n, f in machine.symbols.items() if isinstance(f, kinds)}
    if entry not in functions:
        names = ", ".join(f"@{name}" for name in functions) or "it has none"
        raise RelaxError(f"expected the name of a function of the module ({names}), found @{entry}")
    return functions[entry]


def jvp(
    module: ModuleOp, entry: str, values: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """Return the value of a `relax.func` and its derivative along tangents of its arguments, by dual
    numbers.

    There is one tangent for each argument: an array of its shape, a tuple for a tuple, None for an inactive
    argument. The derivative has the form of the value, with None for values without one, as integers. All
    floats are computed in f64, whatever their type, and the derivative is precise to about ten digits.

    No gradient rule of an operator is used: each is differentiated by finite differences of its own result,
    at the point where the program uses it. So it is a reference for adjoints. `relax.no_grad` stops
    tangents; `relax.call_tir_with_grad` has the derivative of what it computes.

    Raises `RelaxError` for arguments that do not fit, and if the derivative does not exist: at a kink, at a
    jump, or at the end of an operator's domain.
    """
    require_module(module)
    with blaming_program(module):
        return _jvp(module, entry, values, tangents)


def _jvp(
    module: ModuleOp, entry: str, values: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """Return the value and its derivative, of a program that verifies."""
    wide = widened(module)
    machine = RelaxInterpreter(wide, Tangents(*vars(_semantics().copy()).values()))
    function = _function(machine, entry, FuncOp)
    where, names = f"@{entry}", parameter_names(function)
    if not len(values) == len(tangents) == len(names):
        raise ExecutionError(
            f"{where}: expected {len(names)} arguments and as many tangents, found {len(values)} and "
            f"{len(tangents)}; pass None as the tangent of what does not move"
        )
    args: list[Any] = []
    for name, type, value, tangent in zip(names, function.function_type.inputs, values, tangents):
        what = f"{where}: argument '{name}'"
        args.append(
            with_tangent(what, wide_values(from_python(as_scalar(type, value), what)), tangent)
        )
    with deep_recursion(machine.max_depth):
        result = call_function(machine, function, tuple(args))
    return _handed_over(plain(result)), _handed_over(tangent_of(result))


def parameter_names(function: Operation) -> list[str]:
    """Return the parameters of a function by their names, or by number if they have none."""
    if isinstance(function, func_dialect.FuncOp):
        return [p.name for p in passed(function, parameters(function))]
    if not isinstance(function, FuncOp):
        return []
    return [a.name_hint or f"#{a.index}" for a in function.body.block.args]


def _argument_types(function: FuncOp | func_dialect.FuncOp) -> Sequence[Attribute]:
    """Return the types of the arguments that callers pass."""
    if isinstance(function, FuncOp):
        return function.function_type.inputs.data
    return [p.type for p in passed(function, parameters(function))]


def evaluate(op: Operation, *args: Any) -> PythonValues:
    """Return the results of one op for its operands, for ops that need no enclosing function."""
    semantics = _semantics()
    machine = _evaluator() if not op.regions else RelaxInterpreter(ModuleOp([]), semantics)
    with np.errstate(all="ignore"):
        return semantics.run(machine, op, args).values


def _plain(value: Any) -> Any:
    """Return an array of a class of its own as an array of numbers."""
    return np.asarray(value) if isinstance(value, np.ndarray) else value


def _handed_over(value: Any) -> Any:
    """Return a result for callers: row-major and writable arrays, copied if they are not."""
    if isinstance(value, tuple):
        return tuple(_handed_over(field) for field in value)
    return np.require(value, requirements=["C", "W"]) if isinstance(value, np.ndarray) else value


__all__ = [
    "Closure",
    "PerRank",
    "RelaxInterpreter",
    "Traffic",
    "TypeChecker",
    "Watcher",
    "evaluate",
    "interpreter",
    "jvp",
    "register_packed",
    "run",
    "run_spmd",
]
