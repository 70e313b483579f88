"""Any loops, branches and stores of TIR as a kernel of `te.extern`, statement by statement.

Blocks bind their axes and are statements like others; `T.init` is an `if` on the reduction axes. A choice
that reads what the kernel writes becomes a branch, as a kernel's reads stand in order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import reduce
from typing import Any

from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.prim_funcs.blocks import (
    IGNORED,
    LOOPS,
    Axis,
    axes_of,
    block_title,
    is_range,
)
from relax_dialect.frontends.tvmscript.prim_funcs.buffers import ALLOCATIONS, Buffer, Declarations
from relax_dialect.frontends.tvmscript.prim_funcs.expressions import Expressions, Value, index
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import elements, keywords, statements, text
from relax_dialect.frontends.tvmscript.source import Unreadable
from relax_dialect.te import scalar
from relax_dialect.te.dtypes import I1
from relax_dialect.te.extern import extern
from relax_dialect.te.kernel import KernelBuffer, KernelBuilder
from relax_dialect.te.raising.scalars import as_index
from relax_dialect.te.scalar import Scalar
from relax_dialect.te.tensor import Tensor


def kernel(
    declared: Declarations,
    body: Sequence[ast.stmt],
    outputs: Sequence[Buffer],
    updated: Sequence[Buffer],
    where: ast.AST,
) -> list[Tensor]:
    """The tensors that statements write; the other buffers are inputs or scratch.

    Those of `outputs` that are `updated` are inputs too, and start with what these hold.
    """
    inputs = [b for b in declared.tensors() if b not in outputs or b in updated]
    params = [*inputs, *outputs]

    def write(ib: KernelBuilder, ins: list[Tensor], outs: list[KernelBuffer]) -> None:
        known: dict[str, Tensor | KernelBuffer] = {}
        known |= {b.name: t for b, t in zip(inputs, ins)}
        known |= {b.name: t for b, t in zip(outputs, outs)}
        for buffer in declared.buffers.values():
            if buffer not in params:
                known[buffer.name] = ib.allocate(buffer.shape, buffer.dtype, buffer.name)
        for buffer in updated:
            _copy(ib, ins[inputs.index(buffer)], outs[outputs.index(buffer)])
        _Kernel(ib, declared, known).body(body)

    tensors = [b.tensor for b in inputs if b.tensor is not None]
    shapes, dtypes = [b.shape for b in outputs], [b.dtype for b in outputs]
    try:
        found = extern(shapes, tensors, write, dtypes, [b.name for b in outputs])
    except RelaxError as error:
        raise Unreadable(where, str(error)) from None
    return list(found)


def _copy(ib: KernelBuilder, source: Tensor, target: KernelBuffer) -> None:
    """Every element of a tensor."""
    with ExitStack() as loops:
        at = tuple(loops.enter_context(ib.for_(0, as_index(size))) for size in source.shape)
        target[at] = source[at]


class _Kernel:
    def __init__(
        self, ib: KernelBuilder, declared: Declarations, known: dict[str, Tensor | KernelBuffer]
    ):
        self.ib, self.declared, self.known = ib, declared, known
        self.names = declared.names
        self.reductions: list[Scalar] = []
        """Whether the reduction axes of the block stand at their first element."""
        self._scope(dict(declared.expressions.values))

    def _scope(self, values: dict[str, Value]) -> None:
        self.expressions = Expressions(self.names, self._load, values)
        self.expressions.choose = self._chosen

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """Names that are bound in a body are known there alone, and what it has read."""
        outer, known, reductions = self.expressions, dict(self.known), self.reductions
        self._scope(dict(outer.values))
        yield
        self.expressions, self.known, self.reductions = outer, known, reductions

    # Expressions

    def _buffer(self, node: ast.expr) -> Tensor | KernelBuffer:
        if isinstance(node, ast.Name) and node.id in self.known:
            return self.known[node.id]
        raise Unreadable(node, f"expected a buffer, found {text(node)}")

    def _load(self, node: ast.Subscript) -> Scalar:
        buffer = self._buffer(node.value)
        indices = self.expressions.indices(node.slice)
        if len(indices) != len(buffer.shape):
            raise Unreadable(node, f"expected {len(buffer.shape)} indices, found {len(indices)}")
        return buffer[indices]

    def _chosen(self, node: ast.Call) -> Scalar | None:
        """A lazy choice whose branches read elements: they are read in a branch."""
        condition, *branches = node.args
        if not any(self._reads_written(each) for each in branches):
            return None
        found = self._variable(branches)
        with self.ib.if_(self.expressions.typed(condition, I1)):
            self._set(found, branches[0])
        with self.ib.else_():
            self._set(found, branches[1])
        return found.value

    def _set(self, variable: Any, branch: ast.expr) -> None:
        with self._inside():
            variable.value = self.expressions.typed(branch, variable.dtype)

    def _variable(self, branches: Sequence[ast.expr]) -> Any:
        """A variable of the type of some branches, which are read in a kernel that is thrown away."""
        tried = KernelBuilder()
        known = {
            name: tried.allocate(b.shape, b.dtype, name) if isinstance(b, KernelBuffer) else b
            for name, b in self.known.items()
        }
        inner = _Kernel(tried, self.declared, known)
        inner.expressions.values.update(self.expressions.values)
        found = [inner.expressions.read(branch) for branch in branches]
        dtype = next((v.dtype for v in found if isinstance(v, Scalar)), None)
        return self.ib.var(scalar.const(0, dtype or "float32"), name="chosen")

    def _reads_written(self, node: ast.expr) -> bool:
        return any(
            isinstance(each, ast.Subscript)
            and isinstance(each.value, ast.Name)
            and isinstance(self.known.get(each.value.id), KernelBuffer)
            for each in ast.walk(node)
        )

    # Statements

    def body(self, body: Sequence[ast.stmt]) -> None:
        for statement in statements(list(body)):
            try:
                self._statement(statement)
            except Unreadable:
                raise
            except RelaxError as error:
                raise Unreadable(statement, str(error)) from None

    def _nested(self, body: Sequence[ast.stmt]) -> None:
        with self._inside():
            self.body(body)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                self._store(target, self.expressions.read(value))
            case ast.AugAssign(target=ast.Subscript() as target):
                load = ast.copy_location(
                    ast.Subscript(target.value, target.slice, ast.Load()), target
                )
                joined = ast.BinOp(load, statement.op, statement.value)
                self._store(target, self.expressions.read(ast.copy_location(joined, statement)))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if (
                self.names.called(call) in ALLOCATIONS
            ):
                buffer = self.declared.declare(name, call)
                self.known[name] = self.ib.allocate(buffer.shape, buffer.dtype, name)
            case ast.Assign() if (axes := self._axes(statement)) is not None:
                self._bind(axes)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                if self.names.called(value) == "match_buffer":
                    raise Unreadable(statement, f"a view of a buffer: {text(statement)}")
                self.expressions.values[name] = self.expressions.read(value)
            case ast.For():
                self._loop(statement)
            case ast.While():
                self._while(statement)
            case ast.If():
                self._branch(statement)
            case ast.With():
                self._with(statement)
            case ast.Expr(value=ast.Call() as call) if self.names.called(call) in IGNORED:
                return
            case ast.Expr(value=ast.Call(args=[ast.Constant()]) as call) if (
                self.names.called(call) == "evaluate"
            ):
                return
            case ast.Expr(value=ast.Call() as call) if self.names.called(call) == "where":
                raise Unreadable(
                    statement, "T.where stands before what it guards; it is read with its block"
                )
            case _:
                raise Unreadable(statement, f"no statement of a kernel: {text(statement)}")

    def _store(self, target: ast.Subscript, value: Value) -> None:
        buffer = self._buffer(target.value)
        if not isinstance(buffer, KernelBuffer):
            raise Unreadable(target, f"a store to the input {text(target.value)}")
        typed = scalar.as_scalar(value, buffer.dtype)
        if typed.dtype != buffer.dtype:
            typed = self.expressions.unified(typed, scalar.const(0, buffer.dtype))[0]
        buffer[self.expressions.indices(target.slice)] = typed
        # what was read before the store is not what is read after it
        self._scope(self.expressions.values)

    def _axes(self, statement: ast.Assign) -> list[Axis] | None:
        """The axes that a statement declares; here `T.axis.remap` may bind any name."""
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

    def _loop(self, statement: ast.For) -> None:
        call = statement.iter
        called = self.names.called(call)
        counts = is_range(call) or called in LOOPS
        if not isinstance(call, ast.Call) or not counts or statement.orelse:
            raise Unreadable(
                call, f"no loop of ours: {text(call)}; only counting loops of T are read"
            )
        if (step := keywords(call).get("step")) is not None:
            raise Unreadable(step, "a loop with a step; count by one and multiply")
        targets = elements(statement.target)
        if called == "grid":
            bounds: list[tuple[ast.expr, ...]] = [(extent,) for extent in call.args]
        else:
            bounds = [tuple(call.args)]
        if len(targets) != len(bounds) or any(not isinstance(t, ast.Name) for t in targets):
            raise Unreadable(statement, "expected one variable for each loop")
        self._counted(list(zip(targets, bounds)), statement.body)

    def _counted(self, loops: list[Any], body: Sequence[ast.stmt]) -> None:
        if not loops:
            self.body(body)
            return
        (target, bounds), *rest = loops
        counts = [index(self.expressions.read(each)) for each in bounds]
        if not 1 <= len(counts) <= 2:
            raise Unreadable(target, "a loop with a step; count by one and multiply")
        lower, upper = counts if len(counts) == 2 else (0, counts[0])
        with self.ib.for_(lower, upper, name=target.id) as counter, self._inside():
            self.expressions.values[target.id] = counter
            self._counted(rest, body)

    def _while(self, statement: ast.While) -> None:
        def holds() -> Scalar:
            self._scope(self.expressions.values)
            return self.expressions.typed(statement.test, I1)

        with self.ib.while_(holds):
            self._nested(statement.body)
        self._scope(self.expressions.values)

    def _branch(self, statement: ast.If) -> None:
        with self.ib.if_(self.expressions.typed(statement.test, I1)):
            self._nested(statement.body)
        if statement.orelse:
            with self.ib.else_():
                self._nested(statement.orelse)
        self._scope(self.expressions.values)

    def _with(self, statement: ast.With) -> None:
        called = self.names.called(statement.items[0].context_expr)
        if block_title(self.names, statement) is not None:
            with self._inside():
                self.reductions = []
                self._guarded(list(statements(statement.body)))
            self._scope(self.expressions.values)
        elif called == "init":
            if not self.reductions:
                self.body(statement.body)
                return
            with self.ib.if_(reduce(lambda a, b: a & b, self.reductions)):
                self._nested(statement.body)
            self._scope(self.expressions.values)
        elif called in ("attr", "LetStmt", "Let"):
            self.body(statement.body)
        else:
            raise Unreadable(
                statement, f"no statement of a kernel: {text(statement.items[0].context_expr)}"
            )

    def _guarded(self, body: list[ast.stmt]) -> None:
        """The statements of a block; where `T.where` says so, only if its condition holds."""
        for each in body:
            if isinstance(each, ast.Expr) and self.names.called(each.value) == "where":
                condition = each.value.args[0]  # pyright: ignore
                rest = [other for other in body if other is not each]
                with self.ib.if_(self.expressions.typed(condition, I1)):
                    self.body(rest)
                return
        self.body(body)
