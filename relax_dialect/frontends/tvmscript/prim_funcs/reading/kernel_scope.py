"""The scope of a statement in a kernel: names, variables, buffers and their views; loads and stores."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from relax_dialect.frontends.tvmscript.prim_funcs.reading.arithmetic import Value, size_of
from relax_dialect.frontends.tvmscript.prim_funcs.reading.buffer_views import (
    BufferView,
    Held,
    Indices,
    root,
)
from relax_dialect.frontends.tvmscript.prim_funcs.reading.buffers import BufferDeclarations
from relax_dialect.frontends.tvmscript.prim_funcs.reading.nests import IGNORED
from relax_dialect.frontends.tvmscript.prim_funcs.reading.tir_expressions import TirExpressions
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import text
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.te import scalar
from relax_dialect.te.dtypes import I1, DType, as_dtype
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder, Variable
from relax_dialect.te.scalar import Scalar
from relax_dialect.te.tensor import Tensor


class KernelScope:
    """The names and buffers of a kernel at a statement, with their reads and writes."""

    def __init__(
        self,
        ib: KernelBuilder,
        declared: BufferDeclarations,
        known: dict[str, Held],
        changing: frozenset[str],
    ):
        self.ib, self.declared, self.known, self.changing = ib, declared, known, changing
        self.names = declared.names
        self.reductions: list[Scalar] = []
        """Conditions that the reduction axes of the block are at their first element."""
        self.variables: dict[str, Variable] = {}
        self.threads: dict[str, set[str]] = {}
        """The loops over threads outside of blocks with axes, and the buffers that each reads."""
        self._scope(dict(declared.expressions.values))

    def _scope(self, values: dict[str, Value]) -> None:
        self.expressions = TirExpressions(
            self.names, self._load, values, self.declared.expressions.narrow
        )
        self.expressions.choose = self._chosen
        self.expressions.variables = {
            name: lambda v=v: v.value for name, v in self.variables.items()
        }

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """Open a scope: names that a body binds, and its reads, are visible only in it."""
        outer = self.expressions, dict(self.known), self.reductions, self.variables, self.threads
        self.variables = dict(self.variables)
        self._scope(dict(self.expressions.values))
        yield
        self.expressions, self.known, self.reductions, self.variables, self.threads = outer

    # Expressions

    def _element(self, node: ast.Subscript) -> tuple[Tensor | KernelBuffer, Indices]:
        """Return the buffer of an element, and its indices in it."""
        if not isinstance(node.value, ast.Name) or node.value.id not in self.known:
            raise Unreadable(node.value, f"expected a buffer, found {text(node.value)}")
        held, indices = self.known[node.value.id], self.expressions.indices(node.slice)
        if len(indices) != len(held.shape):
            raise Unreadable(node, f"expected {len(held.shape)} indices, found {len(indices)}")
        while isinstance(held, BufferView):
            held, indices = held.source, held.place(indices)
        for index_, size in zip(map(size_of, indices), held.shape):
            at = None if index_ is None else index_.value
            if at is not None and (at < 0 or (size.value is not None and at >= size.value)):
                raise Unreadable(node, f"expected an index from 0 to {size} - 1, found {at}")
        return held, indices

    def _load(self, node: ast.Subscript) -> Scalar:
        buffer, indices = self._element(node)
        return buffer[indices]

    def _chosen(self, condition: ast.expr, *branches: ast.expr) -> Scalar | None:
        """Write a lazy choice as an `if` when a branch reads a buffer that the kernel writes, else return
        None."""
        if not any(True for each in branches for _ in self._written(each)):
            return None
        found = self._variable(branches)
        with self.ib.if_(self.expressions.typed(condition, I1)):
            self._set(found, branches[0])
        with self.ib.else_():
            self._set(found, branches[1])
        return found.value

    def _set(self, variable: Any, branch: ast.expr) -> None:
        with self._inside():
            variable.value = self.expressions.stored_in(branch, variable.dtype)

    def _variable(self, branches: Sequence[ast.expr]) -> Any:
        """Return a variable of the type of some branches, which are read once more for it."""
        with self.ib.tried(), self._inside():
            a, b = (self.expressions.read(branch) for branch in branches)
            if not isinstance(a, Scalar) and not isinstance(b, Scalar):
                a = scalar.const(a, "float32")
            dtype = self.expressions.unified(a, b)[0].dtype
        return self.ib.var(scalar.const(0, dtype), name="chosen")

    def _written(self, node: ast.AST) -> Iterator[KernelBuffer]:
        """Yield the buffers that an expression reads and the kernel writes."""
        for each in ast.walk(node):
            if isinstance(each, ast.Subscript) and isinstance(each.value, ast.Name):
                held = self.known.get(each.value.id)
                if held is not None and isinstance(found := root(held), KernelBuffer):
                    yield found

    # Names, elements, loops

    def _declare(self, name: str, dtype: DType) -> None:
        """Declare a variable that has no value yet."""
        self.variables[name] = self.ib.var(scalar.const(0, dtype), name=name)
        self._scope(self.expressions.values)

    def _name(self, target: ast.Name, annotation: ast.expr | None, value: Value) -> None:
        """Bind a name to a value, or to a variable if it is reassigned."""
        name = target.id
        is_let = False
        if annotation is not None:
            value = self.expressions.annotated(value, annotation)
            is_let = self.expressions.is_let(annotation)
        if name in self.variables and annotation is None:
            variable = self.variables[name]
            variable.value = self.expressions.stored(value, variable.dtype)
            self._scope(self.expressions.values)
        elif name in self.changing and not is_let:
            of = "f32" if isinstance(value, float) else "i32"
            self.variables[name] = self.ib.var(scalar.as_scalar(value, as_dtype(of)), name=name)
            self._scope(self.expressions.values)
        else:
            self.variables.pop(name, None)
            self.expressions.variables.pop(name, None)
            self.expressions.values[name] = value

    def _store(self, target: ast.Subscript, value: Value) -> None:
        buffer, indices = self._element(target)
        if not isinstance(buffer, KernelBuffer):
            raise Unreadable(target, f"a store to the input {text(target.value)}")
        self._alone(target)
        buffer[indices] = self.expressions.stored(value, buffer.dtype)
        # a read before the store may differ from a read after it
        self._scope(self.expressions.values)

    def _enter_thread(self, name: str, body: Sequence[ast.stmt]) -> None:
        regions = [
            each
            for statement in body
            for each in ast.walk(statement)
            if isinstance(each, ast.Expr) and self.names.called(each.value) in IGNORED
        ]
        told = {id(part) for each in regions for part in ast.walk(each)}
        read = {
            each.value.id
            for statement in body
            for each in ast.walk(statement)
            if isinstance(each, ast.Subscript)
            and isinstance(each.ctx, ast.Load)
            and isinstance(each.value, ast.Name)
            and id(each) not in told
        }
        self.threads = {**self.threads, name: read}

    def _alone(self, target: ast.Subscript) -> None:
        """Refuse memory that concurrent threads fill together: loops run one after the other."""
        buffer = self.declared.buffers.get(getattr(target.value, "id", ""))
        if buffer is not None and buffer.is_shared:
            for each in ast.walk(target.slice):
                if isinstance(each, ast.Name) and buffer.name in self.threads.get(each.id, ()):
                    raise Unreadable(
                        target,
                        f"threads that fill {buffer.name} together; read the function as it was before "
                        "TVM's UnifyThreadBinding",
                    )

    @contextmanager
    def _counting(
        self, name: str, lower: Scalar | int, upper: Scalar | int, step: int = 1
    ) -> Iterator[Scalar]:
        """Open a loop whose counter has a name."""
        with self.ib.for_(lower, upper, step, name=name.strip()) as counter, self._inside():
            self.variables.pop(name, None)
            self._scope(self.expressions.values | {name: counter})
            yield counter
