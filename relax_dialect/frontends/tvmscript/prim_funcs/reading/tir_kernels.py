"""Any loops, branches and stores of TIR as a kernel of `te.extern`, statement by statement.

Blocks bind their axes and are statements like others; `T.init` is an `if` on the reduction axes. A choice
that reads a buffer that the kernel writes becomes a branch, as reads in a kernel are ordered.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from copy import copy
from functools import reduce
from typing import Any

from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.prim_funcs.reading.arithmetic import Value, index
from relax_dialect.frontends.tvmscript.prim_funcs.reading.buffer_views import Held, view
from relax_dialect.frontends.tvmscript.prim_funcs.reading.buffers import (
    ALLOCATIONS,
    Buffer,
    BufferDeclarations,
)
from relax_dialect.frontends.tvmscript.prim_funcs.reading.kernel_loops import KernelLoops
from relax_dialect.frontends.tvmscript.prim_funcs.reading.nests import (
    IGNORED,
    Axis,
    axes_of,
    block_title,
)
from relax_dialect.frontends.tvmscript.prim_funcs.reading.plain import SCALARS
from relax_dialect.frontends.tvmscript.prim_funcs.reading.refused import reason
from relax_dialect.frontends.tvmscript.prim_funcs.reading.tir_vectors import lane_of, lanes_of
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import elements, statements, text
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.te import scalar
from relax_dialect.te.dtypes import I1
from relax_dialect.te.kernels.extern import extern
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder
from relax_dialect.te.raising.scalars import as_index
from relax_dialect.te.tensor import Tensor


def kernel(
    declared: BufferDeclarations,
    body: Sequence[ast.stmt],
    outputs: Sequence[Buffer],
    updated: Sequence[Buffer],
    where: ast.AST,
) -> list[Tensor]:
    """Return the tensors that statements write; the other buffers are inputs or scratch.

    The `updated` ones of `outputs` are inputs too, and start with the inputs' contents.
    """
    inputs = [b for b in declared.tensors() if b not in outputs or b in updated]
    params = [*inputs, *outputs]

    changing = _assigned_often(body)

    def write(ib: KernelBuilder, ins: list[Tensor], outs: list[KernelBuffer]) -> None:
        known: dict[str, Held] = {}
        known |= {b.name: t for b, t in zip(inputs, ins)}
        known |= {b.name: t for b, t in zip(outputs, outs)}
        for buffer in declared.buffers.values():
            if buffer not in params:
                known[buffer.name] = ib.allocate(buffer.shape, buffer.dtype, buffer.name)
        for buffer in updated:
            _copy(ib, ins[inputs.index(buffer)], outs[outputs.index(buffer)])
        _Kernel(ib, declared, known, changing).body(body)

    tensors = [b.tensor for b in inputs if b.tensor is not None]
    shapes, dtypes = [b.shape for b in outputs], [b.dtype for b in outputs]
    try:
        found = extern(shapes, tensors, write, dtypes, [b.name for b in outputs])
    except RelaxError as error:
        raise Unreadable(where, str(error)) from None
    return list(found)


def _copy(ib: KernelBuilder, source: Tensor, target: KernelBuffer) -> None:
    """Copy every element of a tensor."""
    with ExitStack() as loops:
        at = tuple(loops.enter_context(ib.for_(0, as_index(size))) for size in source.shape)
        target[at] = source[at]


def _assigned_often(body: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names that several statements assign, which become variables."""
    named = Counter(
        each.id
        for statement in body
        for each in ast.walk(statement)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    )
    return frozenset(name for name, count in named.items() if count > 1)


_LANE = "lane "
"""Prefix of the names of vector lanes: no identifier of Python."""


class _Kernel(KernelLoops):
    def body(self, body: Sequence[ast.stmt]) -> None:
        listed = list(statements(list(body)))
        for i, statement in enumerate(listed):
            try:
                if (launched := self._launched(statement)) is not None:
                    if isinstance(statement, ast.With):
                        self._thread(*launched, statement.body)
                        continue
                    self._thread(*launched, listed[i + 1 :])
                    return
                self._statement(statement)
            except Unreadable:
                raise
            except (RelaxError, OverflowError) as error:
                raise Unreadable(statement, str(error)) from None

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.AugAssign(target=ast.Subscript() | ast.Name() as target):
                before = copy(target)
                before.ctx = ast.Load()
                joined = ast.BinOp(before, statement.op, statement.value)
                value = ast.copy_location(joined, statement)
                self._statement(ast.copy_location(ast.Assign([target], value), statement))
            case ast.Assign(targets=[ast.Subscript() as target]) if (
                lanes := lanes_of(self.names, target)
            ) is not None:
                self._lanes(statement, target, lanes)
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                self._store(target, self.expressions.read(value))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if (
                found := view(self.names, call, self.known, self.expressions)
            ) is not None:
                self.known[name] = found
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if (
                self.names.called(call) in ALLOCATIONS
            ):
                buffer = self.declared.declare(name, call)
                self.known[name] = self.ib.allocate(buffer.shape, buffer.dtype, name)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if (
                self.names.called(call) in SCALARS
            ):
                self._declare(name, self.expressions.dtype_of(call))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None) if (
                dtype := self.expressions.type_named(annotation)
            ) is not None:
                self._declare(name, dtype)
            case ast.AnnAssign(
                target=ast.Name(id=name),
                annotation=ast.Subscript(value=of, slice=shape),
                value=None,
            ) if (dtype := self.expressions.type_named(of)) is not None:
                sizes = tuple(map(self.expressions.size, elements(shape)))
                self.known[name] = self.ib.allocate(sizes, dtype, name)
            case ast.Assign() if (axes := self._axes(statement)) is not None:
                self._bind(axes)
            case ast.Assign(value=value) if (
                self.declared.declares_size(statement) or self.names.called(value) == "env_thread"
            ):
                return  # names that TVM binds by a view, or by the launch of threads
            case ast.Assign(targets=[ast.Name() as target], value=value):
                self._name(target, None, self.expressions.read(value))
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                self._name(target, statement.annotation, self.expressions.read(value))
            case ast.For():
                self._loop(statement)
            case ast.While():
                self._while(statement)
            case ast.If():
                self._branch(statement)
            case ast.With():
                self._with(statement)
            case ast.Assert():
                message = getattr(statement.msg, "value", None)
                told = message if isinstance(message, str) else text(statement.test)
                self.ib.assert_(self.expressions.typed(statement.test, I1), told)
            case ast.Expr(value=ast.Call() as call) if self.names.called(call) in IGNORED:
                return
            case ast.Expr(value=ast.Call(args=[ast.Constant()]) as call) if (
                self.names.called(call) == "evaluate"
            ):
                return
            case _:
                raise Unreadable(statement, reason(self.names, statement))

    def _lanes(self, statement: ast.Assign, target: ast.Subscript, lanes: int) -> None:
        """Run a statement on vectors, lane by lane; a buffer that it both reads and writes is read
        first."""
        kept: Any = None
        for buffer in self._written(target):
            if buffer in self._written(statement.value):
                kept = self.ib.allocate((lanes,), buffer.dtype, "lanes")
            break  # the first one is written, others are indices
        single = lane_of(self.names, statement, _LANE)
        assert isinstance(single, ast.Assign)
        if kept is not None:
            with self._counting(_LANE, 0, lanes) as lane:
                kept[lane] = self.expressions.stored_in(single.value, kept.dtype)
        with self._counting(_LANE, 0, lanes) as lane:
            (at,) = single.targets
            assert isinstance(at, ast.Subscript)
            self._store(at, self.expressions.read(single.value) if kept is None else kept[lane])
        self._scope(self.expressions.values)

    def _axes(self, statement: ast.Assign) -> list[Axis] | None:
        """Return the axes that a statement declares; here `T.axis.remap` may bind any name."""
        walked = ast.walk(statement.value)
        names = {each.id: each for each in walked if isinstance(each, ast.Name)}
        loops: dict[str, ast.expr] = {
            name: each for name, each in names.items() if name in self.expressions.values
        }
        return axes_of(self.names, statement, loops)

    def _bind(self, axes: Sequence[Axis]) -> None:
        for axis in axes:
            value = self.expressions.read(axis.binding)
            self.expressions.values[axis.name] = value
            if axis.kind == "R":
                start: Value = 0
                if isinstance(axis.extent, ast.Tuple):
                    start = self.expressions.read(axis.extent.elts[0])
                first = self.expressions.apply("eq", index(value), index(start))
                self.reductions = [*self.reductions, scalar.as_scalar(first, I1)]

    def _with(self, statement: ast.With) -> None:
        called = self.names.called(statement.items[0].context_expr)
        if block_title(self.names, statement) is not None:
            with self._inside():
                self.reductions = []
                self._block(list(statements(statement.body)))
            self._scope(self.expressions.values)
        elif called == "init":
            if not self.reductions:
                self.body(statement.body)
                return
            with self.ib.if_(reduce(lambda a, b: a & b, self.reductions)):
                self._nested(statement.body)
            self._scope(self.expressions.values)
        elif called == "attr":
            self.body(statement.body)
        else:
            raise Unreadable(statement, reason(self.names, statement))

    def _block(self, body: list[ast.stmt]) -> None:
        """Run the statements of a block; under `T.where`, only if its condition holds."""
        if any(self._axes(each) for each in body if isinstance(each, ast.Assign)):
            self.threads = {}
        for each in body:
            if isinstance(each, ast.Expr) and self.names.called(each.value) == "where":
                if len(each.value.args) != 1:  # pyright: ignore
                    raise Unreadable(each, f"expected one condition, found {text(each)}")
                condition = each.value.args[0]  # pyright: ignore
                rest = [other for other in body if other is not each]
                with self.ib.if_(self.expressions.typed(condition, I1)):
                    self.body(rest)
                return
        self.body(body)
