"""relax-defunctionalize: function values become tuples of their captured values.

```mlir
%f = relax.make_closure @scaled(%a) : (S) -> !relax.func<(V) -> V>
%y = relax.call_closure %f, %x : (!relax.func<(V) -> V>, V) -> V
->
%f = relax.tuple %a : (S) -> tuple<S>
%0 = relax.tuple_get_item %f {index = 0 : i64} : (tuple<S>) -> S
%y = relax.call @scaled(%0, %x) : (S, V) -> V
```

A value that may be one of several functions is a tuple of a tag, which identifies the function, and one
tuple for every kind of captures among them, the others being empty; a call is a binary search for the tag
by `relax.if`. The possible targets of a value are computed by `function_flow` over the whole module:
parameters of functions called from several sites take the targets of all of them. These call sites get
copies (`function_copies`) only if a value might otherwise capture one like itself.

Values that may escape the module (a public function takes or returns them, an external function takes or
returns them, an object represents them) remain function values, as do values connected with them, and
values that may capture one like itself through recursion: `relax-lower-functions` turns them into
handles. A public function that takes or returns functions has a private twin for the calls inside, whose
function values are tuples all the same.

Symbolic variables are omitted from the types of captures, since a function value leaves the scope of its
captured values: callees check sizes on entry, and results are cast back to the declared types of the calls.
A call of an impure function value remains evaluated even if the function proves to have no effect: a
`relax.match_cast` of its result to the same type keeps it. The pass runs after `relax-lambda-lift`.
Functions that hold function values are brought into A-normal form, and uncallable functions are removed.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, i64
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from relax_dialect.errors import RelaxError
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import ModuleSymbols, is_pure_function
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.types import FuncType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.binary import LessOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import CallClosureOp, ClosureOp, IfOp, MakeClosureOp, YieldOp
from relax_dialect.ops.core import ConstantOp, FuncOp, MatchCastOp, TupleGetItemOp, TupleOp
from relax_dialect.parsing import deep_recursion
from relax_dialect.rewrites.forms.to_a_normal_form import to_a_normal_form
from relax_dialect.transform.dead_code import remove_unused_functions
from relax_dialect.transform.empty_values import empty_value
from relax_dialect.transform.function_values.function_copies import FunctionCopies
from relax_dialect.transform.function_values.function_flow import (
    FlowNode,
    FunctionFlow,
    FunctionTarget,
    Tree,
    holds_functions,
    nodes_of,
)
from relax_dialect.transform.function_values.function_layout import (
    EndlessCaptureError,
    FunctionLayout,
)
from relax_dialect.transform.regions import erase, keep_name, replace_uses, set_type


class _FunctionValueEmitter:
    """Emits the ops that make, convert and call function values, at an insertion point."""

    def __init__(
        self, flow: FunctionFlow, layout: FunctionLayout, place: InsertPoint, user: Operation
    ):
        self.flow = flow
        self.layout = layout
        self.builder = Builder(place)
        self.user = user
        self.calls: list[CallOp] = []
        """The calls that it emitted."""

    def at(self, block: Block) -> _FunctionValueEmitter:
        """Return the same at the end of another block."""
        return _FunctionValueEmitter(self.flow, self.layout, InsertPoint.at_end(block), self.user)

    def add(self, op: Operation) -> SSAValue:
        return self.builder.insert(op).results[0]

    def item(self, value: SSAValue, index: int) -> SSAValue:
        return self.add(TupleGetItemOp(value, index))

    def tag(self, target: FunctionTarget) -> SSAValue:
        """Return the number of a target."""
        number = [self.layout.number_of[target]]
        dense = DenseIntOrFPElementsAttr.from_list(BuiltinTensorType(i64, []), number)
        return self.add(ConstantOp(dense))

    def narrow(self, value: SSAValue, type: Attribute) -> SSAValue:
        """Return the value as one of a type, checked at run time where that is not known."""
        return value if is_subtype(value.type, type) else self.add(MatchCastOp(value, type))

    def captures(self, args: Sequence[SSAValue], target: FunctionTarget) -> SSAValue:
        """Return the tuple of the captures of a function value."""
        type = self.layout.captures[target]
        fields = type.types  # pyright: ignore[reportAttributeAccessIssue]
        values = [
            self.narrow(self.convert(arg, self.flow.tree(arg), tree), field)
            for arg, tree, field in zip(args, self.flow.captures(target), fields)
        ]
        return self.add(TupleOp.create(operands=values, result_types=[type]))

    def convert(self, value: SSAValue, source: Tree, into: Tree) -> SSAValue:
        """Convert a value to a representation with more targets."""
        if not self.layout.differ(source, into):
            return value
        if isinstance(source, FlowNode) and isinstance(into, FlowNode):
            return self._widen(value, source, into)
        assert isinstance(source, tuple) and isinstance(into, tuple)
        parts = [
            self.convert(self.item(value, i), a, b) for i, (a, b) in enumerate(zip(source, into))
        ]
        return self.add(TupleOp(*parts))

    def _widen(self, value: SSAValue, source: FlowNode, into: FlowNode) -> SSAValue:
        """Return a function value among more targets: captures of other kinds are empty."""
        old, new = self.layout.members(source), self.layout.members(into)
        kinds = self.layout.kinds(source)
        known = dict.fromkeys(kinds, value)
        if len(old) > 1:
            known = {kind: self.item(value, place) for place, kind in enumerate(kinds, start=1)}
        where = {self.layout.captures[target]: target for target in reversed(new)}

        def captures(kind: Attribute) -> SSAValue:
            if kind in known:
                return known[kind]
            return empty_value(self.builder, describe(self.flow.makers[where[kind]]), kind)

        if len(new) == 1:  # out of no target: the value never comes to be
            return captures(self.layout.captures[new[0]])
        tag = self.item(value, 0) if len(old) > 1 else self.tag((*old, *new)[0])
        return self.add(TupleOp(tag, *map(captures, self.layout.kinds(into))))

    def call(self, op: CallClosureOp) -> SSAValue:
        """Call a function value: its only target, or the target of its tag."""
        node = self.flow.tree(op.callee)
        assert isinstance(node, FlowNode)
        members = self.layout.members(node)
        if not members:
            raise RelaxError(
                f"{describe(op)}: expected a function value that something makes, found none that "
                "reaches this call; remove the call"
            )
        if len(members) == 1:
            return self._call_target(op, members[0], op.callee)
        places = {kind: place for place, kind in enumerate(self.layout.kinds(node), start=1)}
        return self._search(op, self.item(op.callee, 0), members, places)

    def _search(
        self,
        op: CallClosureOp,
        tag: SSAValue,
        members: Sequence[FunctionTarget],
        places: dict[Attribute, int],
    ) -> SSAValue:
        """Call the target of the tag, by binary search."""
        if len(members) == 1:
            place = places[self.layout.captures[members[0]]]
            return self._call_target(op, members[0], self.item(op.callee, place))
        middle = len(members) // 2
        before = self.add(LessOp(tag, self.tag(members[middle])))

        def branch(part: Sequence[FunctionTarget]) -> Region:
            block = Block()
            inner = self.at(block)
            block.add_op(YieldOp(inner._search(op, tag, part, places)))
            self.calls += inner.calls
            return Region(block)

        then, otherwise = branch(members[:middle]), branch(members[middle:])
        return self.add(IfOp(before, then, otherwise, op.result.type))

    def _call_target(
        self, op: CallClosureOp, target: FunctionTarget, captures: SSAValue
    ) -> SSAValue:
        params = self.flow.params(target.callee)[target.given :]
        given = [self.item(captures, i) for i in range(target.given)]
        args = [self.convert(a, self.flow.tree(a), p) for a, p in zip(op.args, params)]
        call = CallOp(self.flow.functions[target.callee], [*given, *args])
        call.attributes |= op.attributes
        self.calls.append(call)
        result = self.add(call)
        tree = self.flow.tree(op.result)
        result = self.convert(result, self.flow.results[target.callee], tree)
        return self.narrow(result, op.result.type)


def _retype(flow: FunctionFlow, layout: FunctionLayout) -> None:
    """Set the type without functions of every value, parameter and result."""
    for value, tree in flow.trees.items():
        set_type(value, layout.type(value.type, tree))
    for name, function in flow.functions.items():
        inputs = function.body.block.arg_types
        output = layout.type(function.function_type.output, flow.results[name])
        if (inputs, output) != (function.function_type.inputs.data, function.function_type.output):
            bound = dict.fromkeys(v for t in inputs for v in free_variables(t))
            function.function_type = FuncType(inputs, output, bound)


def _impure_calls(flow: FunctionFlow) -> set[Operation]:
    """Calls of function values that may have effects by their type."""
    return {op for op in flow.ops if isinstance(op, CallClosureOp) and not op.type.is_pure}


def _rewrite(flow: FunctionFlow, layout: FunctionLayout, impure: set[Operation]) -> None:
    """Make, convert and call tuples instead of functions."""
    replaced: dict[SSAValue, SSAValue] = {}
    kept: list[CallOp] = []
    for op in flow.ops:
        emitter = _FunctionValueEmitter(flow, layout, InsertPoint.before(op), op)
        match op:
            case MakeClosureOp() | CallClosureOp() if _is_handle(flow, op):
                continue
            case MakeClosureOp():
                target = FunctionTarget(op.callee_name, len(op.args))
                replaced[op.result] = emitter.captures(op.args, target)
            case CallClosureOp():
                replaced[op.result] = emitter.call(op)
                if op in impure:
                    kept += emitter.calls
            case CallOp():
                params = flow.params(op.callee_name)
                op.operands = [emitter.convert(a, flow.tree(a), p) for a, p in zip(op.args, params)]
            case _:
                into = flow.handed_to(op)
                op.operands = [
                    emitter.convert(value, flow.tree(value), tree)
                    for value, tree in zip(op.operands, into)
                ]
    replace_uses(replaced)
    for old, new in replaced.items():
        keep_name(new, old)
        assert isinstance(old.owner, Operation)
        erase(old.owner)
    symbols: ModuleSymbols | None = None
    for call in kept:
        symbols = symbols or ModuleSymbols(call)
        if is_pure_function(flow.functions[call.callee_name], symbols):
            block = call.parent
            assert block is not None
            block.insert_op_after(MatchCastOp(call.result, call.result.type), call)


def _is_handle(flow: FunctionFlow, op: MakeClosureOp | CallClosureOp) -> bool:
    """Return whether an op makes or calls a handle."""
    return flow.tree(op.result if isinstance(op, MakeClosureOp) else op.callee) in flow.handles


def _touches_functions(function: FuncOp) -> bool:
    """Return whether a function holds values with functions in them."""
    return any(map(holds_functions, function.body.block.arg_types)) or any(
        holds_functions(type) for op in walk_ops(function) for type in op.result_types
    )


def _entries(module: ModuleOp) -> list[str]:
    """Return the functions that are called from outside."""
    graph = CallGraph.of(module)
    entries = list(graph.rooted)
    for name, op in graph.symbols.items():
        if not isinstance(op, FuncOp):
            entries.extend(graph.callees[name])
        elif not op.is_private:
            entries.append(name)
    return entries


def _signature_holds_functions(function: FuncOp) -> bool:
    """Return whether a function takes or returns functions."""
    type = function.function_type
    return any(map(holds_functions, (*type.inputs, type.output)))


def defunctionalize(module: ModuleOp) -> None:
    """Leave no function value in a module; nothing happens where none is made or called."""
    modules = [module]
    while modules:
        current = modules.pop()
        modules.extend(op for op in current.ops if isinstance(op, ModuleOp))
        functions = [op for op in current.ops if isinstance(op, FuncOp)]
        kinds = (MakeClosureOp, CallClosureOp, ClosureOp)
        if any(isinstance(op, kinds) for f in functions for op in walk_ops(f)):
            with deep_recursion():  # a tuple type is as deep as closures capture each other
                _defunctionalize(current)


def _defunctionalize(module: ModuleOp) -> None:
    functions = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
    symbols = ModuleSymbols(module)
    for function in functions.values():
        if _touches_functions(function):
            to_a_normal_form(function, symbols)
    FunctionCopies(module, functions).make_twins(
        name
        for name, function in list(functions.items())
        if not function.is_private and _signature_holds_functions(function)
    )
    flow, layout = _analyse(module, functions)
    impure = _impure_calls(flow)
    _retype(flow, layout)
    _rewrite(flow, layout, impure)
    remove_unused_functions(module, functions.keys() - flow.live)


def _analyse(module: ModuleOp, functions: dict[str, FuncOp]) -> tuple[FunctionFlow, FunctionLayout]:
    """Compute the targets of function values, and their tuples. Functions are copied until no value
    captures itself; values that still do so become handles."""
    entries = _entries(module)
    copies = FunctionCopies(module, functions)
    flow = FunctionFlow(functions, entries)
    while True:
        try:
            return flow, FunctionLayout(flow)
        except EndlessCaptureError as error:
            if copies.split(error.cycle, flow.live):
                flow = FunctionFlow(functions, entries)
            else:
                flow.make_handles(
                    nodes_of(t for target in error.targets for t in flow.captures(target))
                )


class DefunctionalizePass(ModulePass):
    """`defunctionalize` on a module."""

    name = "relax-defunctionalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        defunctionalize(op)
