"""The interpreter that our semantics run on: xDSL's, with frames of functions and our errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    OpImplResult,
    PythonValues,
    ReturnedValues,
    Successor,
    TerminatorValue,
    _InterpreterFunctionImpls,  # pyright: ignore[reportPrivateUsage]
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.scoped_dict import ScopedDict

from relax_dialect.analysis.recursion import Recursion, recursion_limit, too_deep
from relax_dialect.errors import ExecutionError, RelaxError, blaming
from relax_dialect.interpret.communicator import alone
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.locations import prefixed
from relax_dialect.ir.order import CycleError, describe, topological_order
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.traits import stands_in_graph
from relax_dialect.ir.walk import walk_ops
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import GraphOp
from relax_dialect.threads import crossing
from relax_dialect.transform.liveness import find_live

Sizes: TypeAlias = dict[str, int]

MAX_DEPTH = 40000
"""The maximum nesting of regions and calls, or `REGIONS_PER_CALL` times the recursion limit if that is
more; each level takes a handful of Python frames, about 4 KB, and none of the machine's stack, as
everything on the way is Python code."""

REGIONS_PER_CALL = 20
MAX_FRAMES = 2**31 - 1
"""The most that Python's own limit can be."""


@dataclass
class Points:
    """The points that a `linalg` body is computed for at once: their indices per loop."""

    shape: tuple[int, ...]
    indices: Sequence[int | Array]


@dataclass
class Frame:
    """An activation of a function: its name, and the values of its symbolic variables."""

    function: str = ""
    sizes: Sizes = field(default_factory=dict)
    points: list[Points] = field(default_factory=list)
    """The points of the `linalg` bodies being computed, the innermost last."""
    definitions: dict[str, str] = field(default_factory=dict)
    """The matches that have bound symbolic variables, as errors describe them."""

    def located(self, what: str) -> str:
        """`@main: what`, for errors."""
        return f"@{self.function}: {what}" if self.function else what

    def inner(self) -> Frame:
        """Return the same activation in a region that keeps the variables bound in it to itself."""
        return Frame(self.function, dict(self.sizes), self.points, dict(self.definitions))


ValueScope: TypeAlias = ScopedDict[SSAValue, Any]
"""The values of a region."""


class Implementations(_InterpreterFunctionImpls):
    """The registered semantics; an error in an op is reported once, with its location."""

    def run(self, interpreter: Interpreter, op: Operation, args: tuple[Any, ...]) -> OpImplResult:
        found = self._impl_dict.get(type(op))
        try:
            if found is None:
                raise RelaxError(
                    "expected an op with semantics, found none for it; lower it to ops of relax, "
                    "linalg, tensor, memref, scf, arith and math first, or register its semantics"
                )
            functions, implementation = found
            return implementation(functions, interpreter, op, args)
        except RecursionError:
            raise
        except ExecutionError as error:
            own = frame_of(interpreter).located(op.name)
            if error.op is None and str(error).startswith((f"{own}:", f"{own} ")):
                error.args = (prefixed(str(error), op.location),)
            error.op = error.op or op
            raise
        except Exception as error:
            what = frame_of(interpreter).located(f"{describe(op)}: {error}")
            with blaming(op):
                raise ExecutionError(prefixed(what, op.location)) from error

    def register_file(self, file: ModuleType) -> None:
        """Add the semantics that a file declares, of ops that have none yet."""
        for functions in vars(file).values():
            is_own = isinstance(functions, type) and functions.__module__ == file.__name__
            if is_own and issubclass(functions, InterpreterFunctions):
                self.register_from(functions(), override=False)

    def copy(self) -> Implementations:
        return Implementations(
            dict(self._impl_dict),
            dict(self._cast_impl_dict),
            dict(self._attr_impl_dict),
            dict(self._external_funcs_dict),
            dict(self._callable_impl_dict),
        )


class RelaxInterpreter(Interpreter):
    """xDSL's interpreter with a frame per function activation and symbols found in one step.

    It reads the module once, its symbols and the order of its graphs: make a new one after changing
    the module.
    """

    def __init__(self, module: ModuleOp, implementations: Implementations):
        super().__init__(module, _impls=implementations)
        self.scope = ValueScope()
        self.frame = Frame()
        self.depth = 0
        self.communicator = alone()
        """The rank that runs the program, of several that are simulated."""
        self.globals: dict[str, Array] = {}
        """The memory of `memref.global`s that are no constants."""
        self.expanded: dict[Operation, func.FuncOp] = {}
        """The prim funcs of the `relax.compute`s that were run."""
        self._evaluated: dict[Operation, Operation] = {}
        self._dead: set[Operation] = set()
        self._orders: dict[Block, Sequence[Operation] | None] = {}
        """The ops of the graph regions met so far, in an order of evaluation; None for other regions."""
        self._originals: dict[Operation, Operation] = {}
        """Maps ops of functions that are run as copies to the ops of the module."""
        self._symbols: dict[str, Operation] | None = None
        self._recursive: set[str] = set()
        self._turns: set[CallOp] = set()
        self._known: set[str] = set()
        """The functions that are known to be recursive or not, with all that they call."""
        self.recursion_limit = recursion_limit(module)
        self.max_depth = max(MAX_DEPTH, REGIONS_PER_CALL * self.recursion_limit)
        self.level = 0
        """The number of active calls of recursive functions."""
        self.function_values = 0
        """The number of active calls of function values."""

    @contextmanager
    def call_of(self, name: str) -> Iterator[None]:
        """Call a function, one level deeper if it is recursive."""
        if name not in self._known:
            graph = CallGraph.below([name], self.symbols)
            found = Recursion.within(graph, ModuleSymbols(self.module))
            self._known.update(graph.symbols)
            self._recursive |= found.functions
            self._turns |= found.turns
        counts = name in self._recursive
        if counts and self.level >= self.recursion_limit:
            raise ExecutionError(f"@{name}: {too_deep(self.recursion_limit)}")
        self.level += counts
        try:
            yield
        finally:
            self.level -= counts

    @contextmanager
    def call_of_value(self, what: str) -> Iterator[None]:
        """Call a function value: they may nest as deep as calls of recursive functions."""
        if self.function_values >= self.recursion_limit:
            raise ExecutionError(f"{what}: {too_deep(self.recursion_limit)}")
        self.function_values += 1
        try:
            yield
        finally:
            self.function_values -= 1

    @property
    def scope(self) -> ValueScope:
        """The values of the region being run."""
        return self._ctx

    @scope.setter
    def scope(self, scope: ValueScope) -> None:
        self._ctx = scope

    @property
    def symbols(self) -> dict[str, Operation]:
        """The functions and globals of the module, by name."""
        if self._symbols is None:
            named = (
                (op.properties.get("sym_name") or op.attributes.get("sym_name"), op)
                for op in self.module.ops
            )
            self._symbols = {name.data: op for name, op in named if isinstance(name, StringAttr)}
        return self._symbols

    def get_op_for_symbol(self, symbol: str | SymbolRefAttr) -> Operation:
        name = symbol if isinstance(symbol, str) else symbol.root_reference.data
        if (found := self.symbols.get(name)) is None:
            known = ", ".join(f"@{s}" for s in self.symbols) or "none"
            raise RelaxError(f"expected the name of a function, found @{name}; there are: {known}")
        return found

    def evaluated(self, function: Operation) -> Operation:
        """Return the function to evaluate: itself, or if it holds a `relax.graph`, a copy in A-normal form,
        in which every node has a scope."""
        if (found := self._evaluated.get(function)) is not None:
            return found
        found = function
        symbols = ModuleSymbols(function)
        if any(isinstance(op, GraphOp) for op in walk_ops(function)):
            found = function.clone()
            self._originals.update(zip(walk_ops(found), walk_ops(function)))
            to_a_normal_form(found, symbols)
        elif isinstance(function, FuncOp):
            self._dead.update(find_live(function, symbols).dead_ops(function))
        self._evaluated[function] = found
        return found

    def is_turn(self, op: Operation) -> bool:
        """Return whether a call replaces its caller."""
        return self._originals.get(op, op) in self._turns

    def _run_op(self, op: Operation, inputs: PythonValues) -> OpImplResult:
        """Run an op; listeners receive the original op of the module."""
        original = self._originals.get(op) if self.listeners else None
        if original is None:
            return super()._run_op(op, inputs)
        for listener in self.listeners:
            listener.will_interpret_op(original, inputs)
        result = self._impls.run(self, op, inputs)
        for listener in self.listeners:
            listener.did_interpret_op(original, result.values)
        return result

    def run_body(
        self, name: str, function: Operation, args: PythonValues, sizes: Sizes
    ) -> PythonValues:
        """Run the body of a function in a frame of its own; return its result."""
        body = self.evaluated(function).regions[0]
        with self.activation(ValueScope(name=name), Frame(name, sizes)):
            return self.run_ssacfg_region(body, args, name)

    @contextmanager
    def activation(self, scope: ValueScope, frame: Frame) -> Iterator[None]:
        """Run in another scope and frame, and come back to this one whatever happens."""
        saved = self._ctx, self.frame, self.depth
        self.scope = scope
        self.frame = frame
        try:
            with np.errstate(all="ignore"):
                yield
        finally:
            self._ctx, self.frame, self.depth = saved

    def run_ssacfg_region(
        self, region: Region, args: PythonValues, name: str = "unknown"
    ) -> PythonValues:
        """Run a region whose ops are evaluated in their order, in a scope of its own."""
        outer = self.enter(ValueScope(self.scope, name=name))
        block = region.first_block
        values: PythonValues = ()
        while block is not None:
            self.set_values(zip(block.args, args))
            match self.run_ops(block.ops):
                case Successor(next_block, next_args):
                    block, args = next_block, next_args
                case ReturnedValues(values):
                    block = None
                case None:
                    block = None
        self.leave(outer)
        return values

    def run_in_order(self, region: Region, args: PythonValues, name: str) -> PythonValues:
        """Run a region of one block in the order of its text, or of its graph if it is one."""
        block = region.block
        if block not in self._orders:
            self._orders[block] = _graph_order(block)
        order = self._orders[block]
        outer = self.enter(ValueScope(self.scope, name=name))
        self.set_values(zip(block.args, args))
        end = self.run_ops(block.ops if order is None else order)
        assert isinstance(end, ReturnedValues), f"{name} ends in a terminator"
        self.leave(outer)
        return end.values

    def run_ops(self, ops: Iterable[Operation]) -> TerminatorValue | None:
        """Run ops in the current scope, up to one that ends it; results of dead ops are None."""
        dead = self._dead
        known = self._ctx._local_scope  # pyright: ignore[reportPrivateUsage]
        lookup = self._ctx.__getitem__
        for op in ops:
            if op in dead:
                known.update((result, None) for result in op.results)
                continue
            result = self._run_op(op, tuple([lookup(operand) for operand in op.operands]))
            if op.results:
                known.update(zip(op.results, result.values))
            if result.terminator_value is not None:
                return result.terminator_value
        return None

    def push_scope(self, name: str | None = None) -> None:
        self.scope = ValueScope(self.scope, name=name)

    def enter(self, scope: ValueScope) -> ValueScope:
        """Open a scope; return the outer one, to pass to `leave`. `activation` cleans up after
        exceptions."""
        if self.depth >= self.max_depth:
            raise ExecutionError(
                self.frame.located(
                    f"expected regions and calls nested at most {self.max_depth} deep, found deeper "
                    "nesting; is there a recursion without end?"
                )
            )
        self.depth += 1
        outer = self.scope
        self.scope = scope
        return outer

    def leave(self, outer: ValueScope) -> None:
        """Close the scope, back to the one it was opened from."""
        self.depth -= 1
        self.scope = outer


def deep_recursion(depth: int = MAX_DEPTH) -> AbstractContextManager[None]:
    """Reserve Python stack for nested regions, each time control comes from Python."""
    return crossing(min(16 * depth, MAX_FRAMES))


def _graph_order(block: Block) -> Sequence[Operation] | None:
    """Return the ops of a graph region in an order in which they can be evaluated; None for an ordered
    region."""
    if not stands_in_graph(block):
        return None
    try:
        return topological_order(block)
    except CycleError as cycle:
        raise RelaxError(f"expected a graph without cycles, found {cycle}") from None


def machine(interpreter: Interpreter) -> RelaxInterpreter:
    """Return the interpreter as ours, which alone has frames."""
    assert isinstance(interpreter, RelaxInterpreter), "use relax_dialect.interpret.interpreter"
    return interpreter


def run_scoped(
    interpreter: Interpreter, region: Region, args: PythonValues, name: str
) -> PythonValues:
    """Run a region, which binds its symbolic variables anew each time."""
    own = machine(interpreter)
    outer = own.frame
    own.frame = outer.inner()
    results = own.run_ssacfg_region(region, args, name)
    own.frame = outer
    return results


def frame_of(interpreter: Interpreter) -> Frame:
    """Return the activation that is being run."""
    return machine(interpreter).frame
