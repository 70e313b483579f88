"""relax-lambda-lift: closures become private functions that take their captured values first.

```mlir
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %f = relax.closure (%y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    %z = relax.add %x, %y : ...
    relax.return %z : !relax.tensor<[n], f32>
  }
  %r = relax.call_closure %f, %x : ...
->
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %f = relax.make_closure @main_f(%x) : ...
  %r = relax.call @main_f(%x, %x) : ...
relax.func private @main_f(%x: !relax.tensor<[n], f32>, %y: ...) -> ... {
  %z = relax.add %x, %y : ...
  relax.return %z : !relax.tensor<[n], f32>
```

`relax.place` names the original closure of each, as used in errors.

A captured symbolic variable that is a bare dimension of no captured value is passed in a `!relax.shape`
parameter. A call becomes direct only if the closure is made in the same block: elsewhere the value is a
variable, and its captures would have to be passed to the call's block too. A call of an impure closure
whose body has no effect remains indirect: an unused direct call would be dropped with its checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.analysis.recursion import mark_uncounted
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.checkpoints import CHECKPOINT
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import is_pure_function
from relax_dialect.ir.symbol_scopes import (
    candidate_symbols,
    escaping_symbols,
    named_symbols,
    own_symbols,
)
from relax_dialect.ir.traits import SymbolsEscape, has_trait, region_is_graph
from relax_dialect.ir.type_variables import bare_variables, defined_variables, free_variables
from relax_dialect.ir.walk import unique_name, walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import CallClosureOp, ClosureOp, MakeClosureOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.prim.run_time_checks import PLACE, function_around
from relax_dialect.transform.capturing import captured_values, sizes_argument
from relax_dialect.transform.regions import (
    erase,
    functions,
    holds_bindings,
    replace_uses,
    sort_regions,
)


@dataclass
class _Found:
    """A closure, and whether the order of its body is free."""

    op: ClosureOp
    in_graph: bool
    named: set[str] = field(default_factory=set)
    """The symbolic variables named inside, or captured by the closures inside."""
    symbols: list[str] = field(default_factory=list)
    """The symbolic variables it captures."""


@dataclass
class _Scope:
    """A region being walked: the ops to come, and the symbolic variables defined in it."""

    owner: Operation
    ops: Iterator[Operation]
    is_graph: bool
    closure: _Found | None
    """The innermost closure around it."""
    defined: list[str] = field(default_factory=list)
    current: Operation | None = None
    regions: list[Block] = field(default_factory=list)
    """The blocks of the current op that are still to be walked, last one first."""


class _ClosureFinder:
    """Finds the closures of a function, with the symbolic variables in scope around each."""

    def __init__(self, func: FuncOp):
        self.symbols = set(defined_variables(func.body.block.arg_types))
        self.found: list[_Found] = []
        self.stack = [self._enter(func, func.body.block, False, None)]
        while self.stack:
            self._step(self.stack[-1])

    def _define(self, scope: _Scope, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.symbols:
                self.symbols.add(name)
                scope.defined.append(name)

    def _enter(self, op: Operation, block: Block, in_graph: bool, closure: _Found | None) -> _Scope:
        scope = _Scope(op, iter(block.ops), region_is_graph(op, in_graph), closure)
        if isinstance(op, ClosureOp):
            scope.closure = _Found(op, in_graph, set(own_symbols(op)))
            self.found.append(scope.closure)
            self._define(scope, op.entry_symbols())
        if scope.is_graph:
            for inner in block.ops:
                self._define(scope, escaping_symbols(inner))
        return scope

    def _step(self, scope: _Scope) -> None:
        if scope.regions:
            assert scope.current is not None
            block = scope.regions.pop()
            self.stack.append(self._enter(scope.current, block, scope.is_graph, scope.closure))
            return
        if scope.current is not None:
            self._define(scope, candidate_symbols(scope.current))
        op = scope.current = next(scope.ops, None)
        if op is None:
            self._leave(scope)
            return
        is_walked = op.regions and holds_bindings(op)
        if scope.closure is not None and not isinstance(op, ClosureOp):
            scope.closure.named.update(own_symbols(op) if is_walked else named_symbols(op))
            scope.closure.named.update(v for o in op.operands for v in free_variables(o.type))
        if is_walked:
            blocks = [r.first_block for r in op.regions if r.first_block is not None]
            scope.regions = blocks[::-1]

    def _leave(self, scope: _Scope) -> None:
        self.stack.pop()
        if has_trait(scope.owner, SymbolsEscape) and self.stack:
            self.stack[-1].defined.extend(scope.defined)
        else:
            self.symbols.difference_update(scope.defined)
        if isinstance(scope.owner, ClosureOp) and scope.closure is not None:
            captured = (scope.closure.named & self.symbols).difference(scope.owner.entry_symbols())
            scope.closure.symbols = sorted(captured)
            if (around := self.stack[-1].closure) is not None:
                around.named.update(captured)


class _Lifter:
    """Makes functions of the closures of a module."""

    def __init__(self, module: ModuleOp):
        graph = CallGraph.of(module)
        self.names = set(graph.symbols)
        self.recursive = graph.recursive()

    def run(self, func: FuncOp) -> None:
        """Lift the closures of one function, inner ones first."""
        for found in reversed(_ClosureFinder(func).found):
            self._lift(func, found)

    def _fresh(self, name: str) -> str:
        candidate = unique_name(name, self.names)
        self.names.add(candidate)
        return candidate

    def _lift(self, func: FuncOp, found: _Found) -> None:
        closure = found.op
        block, around, type = closure.body.block, closure.parent, closure.type
        module_block = func.parent
        assert around is not None and module_block is not None
        inside = dict.fromkeys(walk_ops(closure))
        captures = captured_values(inside, closure)
        bare = {v for value in captures for v in bare_variables(value.type)}
        missing = [name for name in found.symbols if name not in bare]
        inputs = [*(value.type for value in captures), *block.arg_types]
        known = bare.union(missing)
        readable = known.union(defined_variables(inputs, known.__contains__))
        if not readable.issuperset(v for t in inputs for v in free_variables(t)):
            return  # no argument defines a variable: the closure cannot be called anyway
        if found.in_graph:
            sort_regions(closure, True)
        arguments = list(captures)
        if missing:
            arguments.append(sizes_argument(missing, closure))
        own: dict[SSAValue, SSAValue] = {}
        for index, value in enumerate(arguments):
            own[value] = block.insert_arg(value.type, index)
            own[value].name_hint = value.name_hint
        replace_uses(own, lambda op: op in inside)
        name = self._fresh(f"{func.sym_name.data}_{closure.result.name_hint or 'closure'}")
        body = closure.detach_region(0)
        lifted = FuncOp(name, block.arg_types, type.output, body, private=True)
        place = f"{function_around(func)}: {describe(closure)}"
        lifted.attributes[PLACE] = StringAttr(place)  # by which errors call it
        if CHECKPOINT in closure.attributes:
            lifted.attributes[CHECKPOINT] = closure.attributes[CHECKPOINT]
        if func.sym_name.data in self.recursive:
            mark_uncounted(lifted)
        module_block.insert_op_after(lifted, func)
        self._replace(closure, lifted, arguments)

    @staticmethod
    def _replace(closure: ClosureOp, lifted: FuncOp, arguments: Sequence[SSAValue]) -> None:
        """Make the closure's value of the function; call it directly where it is known."""
        around = closure.parent
        assert around is not None
        make = MakeClosureOp.create(
            operands=arguments,
            properties={"callee": SymbolRefAttr(lifted.sym_name.data)},
            result_types=[closure.type],
            attributes=closure.attributes,
        )
        make.result.name_hint = closure.result.name_hint
        around.insert_op_before(make, closure)
        calls = [
            use.operation
            for use in closure.result.uses
            if use.index == 0
            and isinstance(use.operation, CallClosureOp)
            and use.operation.parent is around
        ]
        if not closure.type.is_pure and is_pure_function(lifted):
            calls = []
        replace_uses({closure.result: make.result})
        erase(closure)
        for call in calls:
            direct = CallOp.create(
                operands=[*arguments, *call.operands[1:]],
                properties={"callee": SymbolRefAttr(lifted.sym_name.data)},
                result_types=list(call.result_types),
                attributes=call.attributes,
            )
            if is_subtype(_result_type(direct, lifted), call.results[0].type):
                direct.result.name_hint = call.results[0].name_hint
                around.insert_op_before(direct, call)
                replace_uses({call.results[0]: direct.result})
                erase(call)
            else:
                direct.drop_all_references()


def _result_type(call: CallOp, callee: FuncOp) -> Attribute:
    """Return the type of a call's result: the callee's, if the arguments have the same types."""
    type = callee.function_type
    if tuple(call.operand_types) == type.inputs.data:
        return type.output
    return call.infer_with(callee)[1][0]


def lambda_lift(module: ModuleOp) -> None:
    """Make private functions of all closures."""
    lifter = _Lifter(module)
    for func in functions(module):
        lifter.run(func)


class LambdaLiftPass(ModulePass):
    """Convert closures into private functions that take their captured values."""

    name = "relax-lambda-lift"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lambda_lift(op)
