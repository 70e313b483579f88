"""Kernels as operations: tensors and variables are threaded through `scf` as values.

    with ib.for_(n) as i:                   %y = scf.for %i = %c0 to %n step %c1
        y[i] = x[i]                             iter_args(%y_1 = %empty) -> (tensor<?xf32>) {
                                  ->          %0 = tensor.extract %x[%i]
                                              %1 = tensor.insert %0 into %y_1[%i]
                                              scf.yield %1
                                            }

Each statement consumes the current tensors and produces the next ones, so a tensor is never read once it
has been overwritten, and `relax-bufferize` can keep all of them in one buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import linalg, scf, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue

from relax_dialect.prim.run_time_checks import check
from relax_dialect.te import dtypes
from relax_dialect.te.dtypes import INDEX
from relax_dialect.te.emit.bounds import Facts
from relax_dialect.te.emit.scalar_emitter import (
    BodyEmitter,
    EmittedOps,
    FunctionEmitter,
    converted,
    name_hint,
)
from relax_dialect.te.kernels import statements
from relax_dialect.te.kernels.statements import BufferDecl, StatementList, VariableDecl
from relax_dialect.te.scalar import Element, IterVar, Scalar

Place: TypeAlias = BufferDecl | VariableDecl
State: TypeAlias = dict[Place, SSAValue]
"""The values of tensors and variables at a point of the program."""


class KernelEmitter(BodyEmitter):
    """Emits the statements of one kernel to the body of a function."""

    def __init__(self, function: FunctionEmitter, where: str):
        super().__init__(function, {}, {}, where)
        self.prelude = self.body = function.scope
        self.certain = False

    def run(self, buffers: Sequence[BufferDecl], body: StatementList) -> State:
        """Emit a whole kernel; return the final values of its buffers."""
        state: State = {
            buffer: self.function.empty(buffer.shape, buffer.dtype, buffer.name)
            for buffer in buffers
        }
        self._body(body, self.function.scope, state)
        return state

    def _body(self, body: StatementList, scope: EmittedOps, state: State) -> None:
        for statement in body.statements:
            _EMIT[type(statement)](self, statement, scope, state)

    def _index(self, axis: IterVar) -> SSAValue:
        raise self.out_of_place(axis.name)

    def _indices(self, indices: Sequence[Scalar], scope: EmittedOps) -> list[SSAValue]:
        return [self.emit(index, scope) for index in indices]

    # Statements without a body

    def get(self, statement: statements.Get, scope: EmittedOps, state: State) -> None:
        scope.values[statement.element] = state[statement.variable]

    def set(self, statement: statements.Set, scope: EmittedOps, state: State) -> None:
        state[statement.variable] = self.emit(statement.value, scope)

    def read(self, statement: statements.Read, scope: EmittedOps, state: State) -> None:
        buffer = statement.buffer
        indices = self._indices(statement.indices, scope)
        self.check_bounds(buffer, statement.indices, indices, scope)
        element = scope.add(tensor.ExtractOp(state[buffer], indices, buffer.dtype))
        register = dtypes.register_type(buffer.dtype)
        scope.values[statement.element] = converted(element, register, scope)

    def store(self, statement: statements.Store, scope: EmittedOps, state: State) -> None:
        buffer = statement.buffer
        indices = self._indices(statement.indices, scope)
        self.check_bounds(buffer, statement.indices, indices, scope)
        value = converted(self.emit(statement.value, scope), buffer.dtype, scope)
        insert = tensor.InsertOp(value, state[buffer], indices)
        state[buffer] = scope.add(insert, buffer.name)

    def fill(self, statement: statements.Fill, scope: EmittedOps, state: State) -> None:
        buffer = statement.buffer
        value = converted(self.emit(statement.value, scope), buffer.dtype, scope)
        out = state[buffer]
        state[buffer] = scope.add(linalg.ops.FillOp([value], [out], [out.type]), buffer.name)

    def copy(self, statement: statements.Copy, scope: EmittedOps, state: State) -> None:
        buffer = statement.buffer
        source, out = self.function.tensors[statement.source], state[buffer]
        state[buffer] = scope.add(linalg.ops.CopyOp([source], [out], [out.type]), buffer.name)

    def check(self, statement: statements.CheckStatement, scope: EmittedOps, state: State) -> None:
        scope.ops.append(
            check(self.emit(statement.condition, scope), statement.message, statement.shows)
        )
        self.facts = (*self.facts, *self.known(statement.condition))

    # Loops and branches

    def _region(
        self,
        body: StatementList,
        scope: EmittedOps,
        state: State,
        carried: Sequence[Place],
        counter: IterVar | Element | None = None,
        end: Callable[[EmittedOps, Sequence[SSAValue]], Any] = lambda scope, values: scf.YieldOp(
            *values
        ),
        is_branch: bool = False,
        facts: Facts = (),
    ) -> Block:
        """Return a block that receives the carried values (a branch sees them as they are) and passes them
        on."""
        block = Block(arg_types=[INDEX] if counter is not None else [])
        inner, inside = scope.inner(), dict(state)
        if counter is not None:
            block.args[0].name_hint = name_hint(counter.name)
            inner.values[counter] = block.args[0]
        if not is_branch:
            for place in carried:
                argument = block.insert_arg(state[place].type, len(block.args))
                argument.name_hint = name_hint(place.name)
                inside[place] = argument
        outside = self.facts
        self.facts = (*outside, *facts)
        self._body(body, inner, inside)
        self.facts = outside
        terminator = end(inner, [inside[place] for place in carried])
        block.add_ops([*inner.ops, terminator])
        return block

    def _finish(self, op: Any, scope: EmittedOps, state: State, carried: Sequence[Place]) -> None:
        scope.ops.append(op)
        for place, result in zip(carried, op.results):
            result.name_hint = name_hint(place.name)
            state[place] = result

    def loop(self, statement: statements.For, scope: EmittedOps, state: State) -> None:
        lower, upper, step = self._indices(statement.bounds, scope)
        carried = _carried(state, statement.body)
        facts, bounds = (), self.function.bounds
        if bounds is not None:
            facts = bounds.count(statement.counter, *statement.bounds[:2])
        block = self._region(statement.body, scope, state, carried, statement.counter, facts=facts)
        inits = [state[place] for place in carried]
        self._finish(scf.ForOp(lower, upper, step, inits, block), scope, state, carried)

    def while_(self, statement: statements.While, scope: EmittedOps, state: State) -> None:
        carried = _carried(state, statement.before, statement.body)

        def condition(inner: EmittedOps, values: Sequence[SSAValue]) -> scf.ConditionOp:
            return scf.ConditionOp(self.emit(statement.condition, inner), *values)

        before = self._region(statement.before, scope, state, carried, end=condition)
        after = self._region(statement.body, scope, state, carried)
        inits = [state[place] for place in carried]
        types = [value.type for value in inits]
        loop = scf.WhileOp(inits, types, Region(before), Region(after))
        self._finish(loop, scope, state, carried)

    def branch(self, statement: statements.IfStatement, scope: EmittedOps, state: State) -> None:
        condition = self.emit(statement.condition, scope)
        carried = _carried(state, statement.then, statement.otherwise)
        types: list[Attribute] = [state[place].type for place in carried]
        then, otherwise = (
            Region(self._region(body, scope, state, carried, is_branch=True, facts=facts))
            for body, facts in (
                (statement.then, self.known(statement.condition)),
                (statement.otherwise, self.known(statement.condition, holds=False)),
            )
        )
        self._finish(scf.IfOp(condition, types, then, otherwise), scope, state, carried)


def _carried(state: State, *bodies: StatementList) -> list[Place]:
    """Return the tensors and variables known around bodies that these change, tensors first."""
    found = dict.fromkeys(place for body in bodies for place in body.writes if place in state)
    return sorted(found, key=lambda place: not isinstance(state[place].type, TensorType))


_EMIT: dict[type, Callable[[KernelEmitter, Any, EmittedOps, State], None]] = {
    statements.Get: KernelEmitter.get,
    statements.Set: KernelEmitter.set,
    statements.Read: KernelEmitter.read,
    statements.Store: KernelEmitter.store,
    statements.Fill: KernelEmitter.fill,
    statements.Copy: KernelEmitter.copy,
    statements.CheckStatement: KernelEmitter.check,
    statements.For: KernelEmitter.loop,
    statements.While: KernelEmitter.while_,
    statements.IfStatement: KernelEmitter.branch,
}
