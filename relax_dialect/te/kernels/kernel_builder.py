"""The builder of imperative kernels that `te.extern` passes to its function as `ib`.

The function runs once; loops, branches, loads and stores are recorded as statements. A load from a tensor
that the kernel writes, or from a variable, is evaluated where it occurs in the function:

```python
first, second = y[i], y[j]
y[i], y[j] = second, first      # swapped
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.te.dtypes import I1, INDEX, DType, as_dtype, kind
from relax_dialect.te.kernels.statements import (
    BufferDecl,
    CheckStatement,
    Copy,
    Fill,
    For,
    Get,
    IfStatement,
    Read,
    Set,
    StatementList,
    Store,
    VariableDecl,
    While,
)
from relax_dialect.te.scalar import Element, IterVar, Scalar, as_scalar, span
from relax_dialect.te.tensor import Dim, Tensor, as_shape, shape_text


@dataclass(eq=False)
class Variable(VariableDecl):
    """A scalar that changes: `v.value` reads it, `v.value = ...` sets it."""

    kernel: KernelBuilder
    home: StatementList

    @property
    def value(self) -> Scalar:
        self._check_visible()
        return self.kernel.record(Get(Element(self.dtype, self.name), self)).element

    @value.setter
    def value(self, value: object) -> None:
        self._check_visible()
        scalar = self.kernel.scalar(value, self.dtype, f"the variable '{self.name}'")
        self.kernel.record(Set(self, scalar), writes=self)

    def _check_visible(self) -> None:
        if self.home not in self.kernel.open:
            raise RelaxError(
                f"te.extern: the variable '{self.name}' lives in a loop or branch that has ended; "
                "make it with ib.var before that"
            )


@dataclass(eq=False)
class KernelBuffer(BufferDecl):
    """A tensor that the kernel writes: `y[i, j]` loads an element, `y[i, j] = ...` stores one."""

    kernel: KernelBuilder

    __iter__ = None  # pyright: ignore[reportAssignmentType]

    def __getitem__(self, indices: Any) -> Scalar:
        element = Element(self.dtype, f"an element of {self.name}")
        return self.kernel.record(Read(element, self, self._indices(indices))).element

    def __setitem__(self, indices: Any, value: object) -> None:
        scalar = self.kernel.scalar(value, self.dtype, f"an element of '{self.name}'")
        self.kernel.record(Store(self, self._indices(indices), scalar), writes=self)

    def _indices(self, indices: Any) -> tuple[Scalar, ...]:
        indices = indices if isinstance(indices, tuple) else (indices,)
        if len(indices) != len(self.shape):
            raise RelaxError(
                f"te.extern: '{self.name}' of shape [{shape_text(self.shape)}] takes "
                f"{len(self.shape)} indices, found {len(indices)}"
            )
        return tuple(self.kernel.index(index) for index in indices)


class KernelBuilder:
    """Loops, branches, variables and scratch tensors of a kernel."""

    def __init__(self) -> None:
        self.open = [StatementList()]
        """The bodies being filled, the innermost last."""
        self.scalars: dict[Scalar, None] = {}
        """All expressions of the kernel."""
        self.copied: list[Tensor] = []
        self.buffers: list[KernelBuffer] = []

    def for_(self, lower: object, upper: object = None, step: int = 1, name: str = "i") -> Any:
        """`with ib.for_(n) as i:` or `with ib.for_(lower, upper, step) as i:`; the bounds are evaluated on
        entry."""
        if upper is None:
            lower, upper = 0, lower
        if step < 1:
            raise RelaxError(
                f"te.extern: a loop of step {step}, expected a step above 0; count up, and mirror the "
                "counter as in n - 1 - i"
            )
        return self._for(self.index(lower), self.index(upper), self.index(step), name)

    @contextmanager
    def _for(self, lower: Scalar, upper: Scalar, step: Scalar, name: str) -> Iterator[Scalar]:
        counter = IterVar(name, symbolic.const(0)) if span(lower).low >= 0 else Element(INDEX, name)
        with self._body() as body:
            yield counter
        self.record(For(counter, (lower, upper, step), body), writes_of=(body,))

    @contextmanager
    def while_(self, condition: Callable[[], object]) -> Iterator[None]:
        """`with ib.while_(lambda: v.value < n):`; the condition is recorded as part of the loop and
        evaluated before every iteration."""
        with self._body() as before:
            holds = self.condition(condition(), "ib.while_")
        with self._body() as body:
            yield
        self.record(While(before, holds, body), writes_of=(before, body))

    @contextmanager
    def if_(self, condition: object) -> Iterator[None]:
        """`with ib.if_(c):`, optionally followed by `with ib.else_():`."""
        holds = self.condition(condition, "ib.if_")
        with self._body() as then:
            yield
        self.record(IfStatement(holds, then, StatementList()), writes_of=(then,))

    @contextmanager
    def else_(self) -> Iterator[None]:
        """Open the body for a false condition of the `ib.if_` right before."""
        statements = self.open[-1].statements
        before = statements[-1] if statements else None
        if not isinstance(before, IfStatement) or before.otherwise.statements:
            raise RelaxError(
                "te.extern: expected an ib.if_ before ib.else_; put it right after one"
            )
        with self._body() as body:
            yield
        before.otherwise = body
        self._add_writes(body)

    def both(self, first: object, second: Callable[[], object]) -> Scalar:
        """Return whether two conditions hold; the second is evaluated only if the first holds."""
        found = self.var(False, "bool", name="both")
        with self.if_(first):
            found.value = second()
        return found.value

    def var(self, value: object, dtype: DType | str | None = None, name: str = "v") -> Variable:
        """Return a scalar variable; it lives in the loop or branch that it is made in."""
        typed = None if dtype is None else as_dtype(dtype)
        scalar = as_scalar(value, typed)
        variable = Variable(scalar.dtype, name, self, self.open[-1])
        variable.value = scalar if typed is None else self.scalar(scalar, typed, f"'{name}'")
        return variable

    def allocate(
        self, shape: Sequence[Dim] | Dim, dtype: DType | str = "float32", name: str = "scratch"
    ) -> KernelBuffer:
        """Return a tensor for the time of the kernel, without contents; its sizes are known outside of
        it."""
        buffer = KernelBuffer(as_shape(shape), as_dtype(dtype), name, self)
        self.buffers.append(buffer)
        return buffer

    def fill(self, buffer: KernelBuffer, value: object) -> None:
        """Set every element of a tensor to one value."""
        scalar = self.scalar(value, buffer.dtype, f"an element of '{buffer.name}'")
        self.record(Fill(buffer, scalar), writes=buffer)

    def copy(self, buffer: KernelBuffer, source: Tensor) -> None:
        """Set a tensor to the elements of an input of the same shape and type."""
        if (buffer.shape, buffer.dtype) != (source.shape, source.dtype):
            raise RelaxError(
                f"te.extern: ib.copy to '{buffer.name}': [{shape_text(buffer.shape)}] "
                f"{buffer.dtype} from {source}; expected the same shape and element type"
            )
        self.copied.append(source)
        self.record(Copy(buffer, source), writes=buffer)

    def assert_(self, condition: object, message: str, shows: bool = False) -> None:
        """End the kernel, and the program, with a message unless a condition holds.

        If it `shows` values, the message has holes, see `relax_dialect.prim.run_time_checks`.
        """
        self.record(CheckStatement(self.condition(condition, "ib.assert_"), message, shows))

    # Recording

    @contextmanager
    def tried(self) -> Iterator[None]:
        """Record the statements of the context, then discard them."""
        scalars, buffers = dict(self.scalars), list(self.buffers)
        with self._body():
            yield
        self.scalars, self.buffers = scalars, buffers

    def record(
        self,
        statement: Any,
        writes: KernelBuffer | Variable | None = None,
        writes_of: Sequence[StatementList] = (),
    ) -> Any:
        """Append a statement to the body being filled and return it."""
        body = self.open[-1]
        body.statements.append(statement)
        if writes is not None:
            body.writes[writes] = None
        for inner in writes_of:
            self._add_writes(inner)
        return statement

    def _add_writes(self, inner: StatementList) -> None:
        outside = {
            w: None for w in inner.writes if not (isinstance(w, Variable) and w.home is inner)
        }
        self.open[-1].writes.update(outside)

    @contextmanager
    def _body(self) -> Iterator[StatementList]:
        self.open.append(body := StatementList())
        yield body
        self.open.pop()

    def scalar(self, value: object, dtype: DType | None, what: str) -> Scalar:
        """Return a value of an expected type as an expression."""
        scalar = as_scalar(value, dtype)
        if dtype is not None and scalar.dtype != dtype:
            raise RelaxError(
                f"te.extern: {what} is of type {dtype}, found a value of type {scalar.dtype}; cast it "
                f'with .astype("{dtype}")'
            )
        self.scalars[scalar] = None
        return scalar

    def index(self, value: object) -> Scalar:
        """Return a value as an index."""
        scalar = as_scalar(value, INDEX)
        if kind(scalar.dtype) not in ("integer", "unsigned"):
            raise RelaxError(
                f"te.extern: an index or bound is of type {scalar.dtype}, expected an integer; cast it "
                'with .astype("index")'
            )
        return self.scalar(scalar.astype(INDEX), INDEX, "an index")

    def condition(self, value: object, what: str) -> Scalar:
        """Return a value as a condition."""
        scalar = as_scalar(value, I1)
        if scalar.dtype != I1:
            raise RelaxError(
                f"te.extern: the condition of {what} is of type {scalar.dtype}, expected i1; compare "
                "it, as in x[i] != 0"
            )
        return self.scalar(scalar, I1, "a condition")
