"""Which functions a value of function type may be: a flow analysis over a module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NoReturn, TypeAlias

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import FuncType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.calls import CallOp, PackedOp
from relax_dialect.ops.control import CallClosureOp, IfOp, MakeClosureOp, YieldOp
from relax_dialect.ops.core import FuncOp, MatchCastOp, ReturnOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.loops import WhileOp


@dataclass(frozen=True)
class FunctionTarget:
    """A possible function value: a function of the module with its first `given` arguments bound."""

    callee: str
    given: int


@dataclass(eq=False)
class FlowNode:
    """A node of the function value flow: the targets that reach it, and its successors."""

    targets: dict[FunctionTarget, None] = field(default_factory=dict)
    flows_to: list[FlowNode] = field(default_factory=list)
    calls: list[CallClosureOp] = field(default_factory=list)


Tree: TypeAlias = "FlowNode | tuple[Tree, ...] | None"
"""The nodes of a value: one for a function, one tree per field for a tuple, None without functions."""


@lru_cache(maxsize=4096)
def holds_functions(type: Attribute) -> bool:
    """Return whether values of a type are functions, or tuples with functions in them."""
    if isinstance(type, TupleType):
        return any(map(holds_functions, type.types))
    return isinstance(type, FuncType)


def new_tree(type: Attribute) -> Tree:
    """Return fresh nodes for a value of a type."""
    if not holds_functions(type):
        return None
    return tuple(map(new_tree, type.types)) if isinstance(type, TupleType) else FlowNode()


def nodes_of(trees: Iterable[Tree]) -> Iterator[FlowNode]:
    """Yield the nodes of some values."""
    stack = list(trees)
    while stack:
        tree = stack.pop()
        if isinstance(tree, FlowNode):
            yield tree
        elif tree is not None:
            stack.extend(tree)


class FunctionFlow:
    """The targets of all function values in the functions of a module that can be called.

    Every value with functions in it has a tree of nodes, and targets flow along calls, returns, branches
    and captures to a fixed point. Ops that only forward a value share its tree.

    Values that escape (parameters and results of the roots, external functions, objects) are `handles`, and
    so are all values they may come from, flow to, capture, take or return: their callers do not know which
    function they are.
    """

    def __init__(self, functions: dict[str, FuncOp], roots: Sequence[str]):
        self.functions = functions
        self.live: dict[str, None] = {}
        """The functions that can be called, directly or as function values, beginning at the roots."""
        self.trees: dict[SSAValue, Tree] = {}
        self.results: dict[str, Tree] = {}
        self.ops: list[Operation] = []
        """The ops to be rewritten: makers and calls, and ops that forward function values."""
        self.makers: dict[FunctionTarget, MakeClosureOp] = {}
        """Every target, with the first op that makes it; their order numbers them."""
        self.handles: dict[FlowNode, None] = {}
        self._flows: dict[FlowNode, list[FlowNode]] = {}
        """The predecessors and successors of function values."""
        self._outside: list[FlowNode] = []
        self._connected: set[tuple[CallClosureOp, FunctionTarget]] = set()
        self._pending: list[tuple[FlowNode, FunctionTarget]] = []
        self._where = ""
        for name, function in functions.items():
            self.results[name] = new_tree(function.function_type.output)
            for argument in function.body.block.args:
                self._define(argument, new_tree(argument.type))
        self._entered: list[str] = []
        for name in reversed(roots):
            self._enter(name)
            if name in functions:
                self._outside += nodes_of([*self.params(name), self.results[name]])
        self._solve()

    def tree(self, value: SSAValue) -> Tree:
        """Return the nodes of a value."""
        return self.trees.get(value)

    def params(self, name: str) -> list[Tree]:
        """Return the nodes of a function's parameters."""
        return [self.tree(a) for a in self.functions[name].body.block.args]

    def captures(self, target: FunctionTarget) -> list[Tree]:
        """Return the nodes of the arguments bound in a target."""
        return self.params(target.callee)[: target.given]

    def make_handles(self, nodes: Iterable[FlowNode]) -> None:
        """Make function values handles although they do not escape."""
        self._outside += nodes
        self._solve()

    def handed_to(self, op: Operation) -> list[Tree]:
        """Return, for the operands of a loop or terminator, the nodes they flow to."""
        parent = op if isinstance(op, WhileOp) else op.parent_op()
        match parent:
            case FuncOp():
                return [self.results[parent.sym_name.data]]
            case WhileOp() if op.parent is parent.condition.block:
                return [None]
            case IfOp() | WhileOp():
                return [self.tree(result) for result in parent.results]
            case _:
                return [None] * len(op.operands)

    def _fail(self, op: Operation, expected: str, found: str, mend: str) -> NoReturn:
        raise RelaxError(
            f"{self._where}: {describe(op)}: expected {expected}, found {found}; {mend}"
        )

    def _enter(self, name: str) -> None:
        """Enter a function that may be called."""
        if name in self.functions and name not in self.live:
            self.live[name] = None
            self._entered.append(name)

    def _define(self, value: SSAValue, tree: Tree) -> None:
        if tree is not None:
            self.trees[value] = tree

    def _visit(self, op: Operation) -> None:
        """Follow the function values through one op."""
        match op:
            case FuncOp():
                return
            case MakeClosureOp():
                node = FlowNode()
                target = FunctionTarget(op.callee_name, len(op.args))
                self.makers.setdefault(target, op)
                self._flow_all(op, op.args, self.captures(target))
                self._define(op.result, node)
                self._add(node, target)
            case CallOp():
                self._enter(op.callee_name)
                self._pass_on(op, op.result, self.results.get(op.callee_name))
                if not any(self._holds(a) for a in op.args):
                    return
                self._flow_all(op, op.args, self.params(op.callee_name))
            case CallClosureOp():
                self._define(op.result, new_tree(op.result.type))
                for node in nodes_of([self.tree(op.callee)]):
                    node.calls.append(op)
                    self._pending.extend((node, target) for target in node.targets)
            case IfOp():
                self._define(op.result, new_tree(op.result.type))
                return
            case WhileOp():
                for index, result in enumerate(op.results):
                    tree = new_tree(result.type)
                    for value in (result, *op.carried(index)):
                        self._define(value, tree)
                self._flow_all(op, op.inits, self.handed_to(op))
            case YieldOp() | ReturnOp():
                into = self.handed_to(op)
                self._flow_all(op, op.operands, into)
                if all(tree is None for tree in into):
                    return
            case TupleOp():
                trees = tuple(map(self.tree, op.fields))
                whole = trees if any(t is not None for t in trees) else None
                self._pass_on(op, op.result, whole)
                return
            case TupleGetItemOp():
                whole = self.tree(op.tuple)
                if isinstance(whole, tuple):
                    self._pass_on(op, op.result, whole[op.index])
                return
            case LetOp() | MatchCastOp():
                self._pass_on(op, op.result, self.tree(op.value))
                return
            case PackedOp():
                for result in op.results:
                    self._define(result, new_tree(result.type))
                self._outside += nodes_of(map(self.tree, (*op.args, *op.results)))
                return
            case _:
                self._refuse(op)
                return
        self.ops.append(op)

    def _holds(self, value: SSAValue) -> bool:
        return value in self.trees or holds_functions(value.type)

    def _refuse(self, op: Operation) -> None:
        """Raise an error for an op whose use of function values is unknown."""
        for value in (*op.operands, *op.results):
            if self._holds(value):
                self._fail(
                    op,
                    "function values only where they are made by relax.make_closure, passed on and "
                    "called",
                    f"one of type {value.type}",
                    "run relax-lambda-lift first"
                    if op.name == "relax.closure"
                    else "call the function here and pass its result",
                )

    def _pass_on(self, op: Operation, result: SSAValue, tree: Tree) -> None:
        """Share the nodes of a value that the result forwards."""
        declared = new_tree(result.type)
        for _ in self._pairs(tree, declared):
            pass
        self._define(result, tree if tree is not None else declared)

    def _flow_all(self, op: Operation, args: Sequence[SSAValue], trees: Sequence[Tree]) -> None:
        if len(args) != len(trees):
            self._fail(op, f"{len(trees)} arguments", str(len(args)), "pass one for each parameter")
        for arg, tree in zip(args, trees):
            self._flow(self.tree(arg), tree)

    def _flow(self, source: Tree, into: Tree) -> None:
        """Add flow from all of the first tree to the second."""
        for a, b in self._pairs(source, into):
            if a is not b:
                a.flows_to.append(b)
                self._flows.setdefault(a, []).append(b)
                self._flows.setdefault(b, []).append(a)
                self._pending.extend((a, target) for target in a.targets)

    def _pairs(self, source: Tree, into: Tree) -> Iterator[tuple[FlowNode, FlowNode]]:
        """Yield corresponding nodes of two trees; an object in one tree is an object in both."""
        stack = [(source, into)]
        while stack:
            a, b = stack.pop()
            if isinstance(a, FlowNode) and isinstance(b, FlowNode):
                yield a, b
            elif isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
                stack.extend(zip(a, b))
            else:
                self._outside += nodes_of([a, b])

    def _add(self, node: FlowNode, target: FunctionTarget) -> None:
        if target not in node.targets:
            node.targets[target] = None
            self._pending.append((node, target))

    def _solve(self) -> None:
        while self._entered or self._pending or self._outside:
            if self._entered:
                name = self._entered.pop()
                self._where = f"@{name}"
                for op in walk_ops(self.functions[name]):
                    self._visit(op)
            elif self._pending:
                self._spread(*self._pending.pop())
            else:
                self._hand_out(self._outside.pop())
            if not (self._entered or self._pending or self._outside):
                # nodes connected with a handle since it was visited
                self._outside = [
                    n for h in self.handles for n in self._near(h) if n not in self.handles
                ]

    def _spread(self, node: FlowNode, target: FunctionTarget) -> None:
        """Propagate a new target of a node: to its successors, and to the calls there."""
        for successor in node.flows_to:
            self._add(successor, target)
        for call in node.calls:
            if (call, target) not in self._connected:
                self._connected.add((call, target))
                self._connect(call, target)

    def _hand_out(self, node: FlowNode) -> None:
        """Mark function values as handles: they may be called externally, or come from outside."""
        if node not in self.handles:
            self.handles[node] = None
            self._outside += self._near(node)
            for target in node.targets:
                self._enter(target.callee)

    def _near(self, node: FlowNode) -> Iterator[FlowNode]:
        """Yield the nodes that are handles if one is."""
        yield from self._flows.get(node, ())
        for target in node.targets:
            self._enter(target.callee)
            yield from nodes_of([*self.params(target.callee), self.results[target.callee]])
        for call in node.calls:
            yield from nodes_of(map(self.tree, (*call.args, call.result)))

    def _connect(self, call: CallClosureOp, target: FunctionTarget) -> None:
        """Connect a call of a function value to a target."""
        self._where = f"@{target.callee}"
        self._enter(target.callee)
        self._flow_all(call, call.args, self.params(target.callee)[target.given :])
        self._flow(self.results[target.callee], self.tree(call.result))
