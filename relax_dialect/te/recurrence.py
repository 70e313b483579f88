"""`te.recurrence`: stages that are computed repeatedly, each time from the previous results.

hidden = recurrence(steps, [h0], lambda t, h: (next, ...))
->
%hidden = scf.for %t = %c0 to %steps step %c1 iter_args(%h = %h0) -> (tensor<?x4xf32>) {
  %next = linalg.generic ... ins(%h, ...)
  scf.yield %next
}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Block, SSAValue

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.te.dtypes import INDEX
from relax_dialect.te.emit.access import walk
from relax_dialect.te.emit.bounds import Bounds
from relax_dialect.te.emit.scalar_emitter import FunctionEmitter, name_hint
from relax_dialect.te.scalar import Element, Scalar
from relax_dialect.te.stage_graph import stages_of
from relax_dialect.te.tensor import Dim, Requirement, Stage, Tensor, shape_text


@dataclass(eq=False)
class RecurrenceStage(Stage):
    """The states after the last step, and the further results of all steps, one below the other."""

    steps: symbolic.Expr
    counter: Element
    initial: tuple[Tensor, ...]
    states: tuple[Tensor, ...]
    """The states as a step sees them."""
    following: tuple[Tensor, ...]
    """The states as a step leaves them."""
    given: tuple[Tensor, ...]
    """Further results of a step."""

    def __post_init__(self):
        inside: dict[Stage, None] = {}
        for stage in stages_of((*self.following, *self.given)):
            depends = any(t in self.states or t.stage in inside for t in stage.reads)
            if depends or self.counter in set(walk(*stage.scalars)):
                inside[stage] = None
        self.inside = tuple(inside)
        """The stages that differ from step to step; all others are computed once, before."""

    @property
    def scalars(self) -> Iterator[Scalar]:
        for stage in self.inside:
            yield from stage.scalars

    @property
    def reads(self) -> list[Tensor]:
        needed = (t for stage in self.inside for t in stage.reads)
        found = dict.fromkeys((*self.initial, *needed, *self.following, *self.given))
        return [t for t in found if t not in self.states and t.stage not in self.inside]

    @property
    def sizes(self) -> Iterator[symbolic.Expr]:
        yield self.steps
        for stage in self.inside:
            yield from (dim for output in stage.outputs for dim in output.shape)
            yield from stage.sizes

    def bounds_to_check(
        self, bounds: Bounds, around: Sequence[symbolic.Expr]
    ) -> Iterator[Requirement]:
        bounds.declare(self.counter, self.steps)
        for stage in self.inside:
            if stage.checked:
                yield from stage.bounds_to_check(bounds, (*around, self.steps))

    def emit(self, function: FunctionEmitter) -> Sequence[SSAValue]:
        outer, around = function.scope, function.around
        function.around = (*around, self.steps)
        inits = [function.tensors[t] for t in self.initial]
        inits += [function.empty(t.shape, t.dtype, t.name) for t in self.outputs[len(inits) :]]
        block = Block(arg_types=[INDEX, *(init.type for init in inits)])
        counter, *carried = block.args
        counter.name_hint = name_hint(self.counter.name)
        for argument, output in zip(carried, self.outputs):
            argument.name_hint = name_hint(output.name)
        function.elements[self.counter] = counter
        function.tensors.update(zip(self.states, carried))
        bounds = [function.sizes.size(each) for each in map(symbolic.as_expr, (0, self.steps, 1))]

        function.scope = outer.inner()
        for stage in self.inside:
            function.tensors.update(zip(stage.outputs, stage.emit(function)))
        passed = [function.tensors[t] for t in self.following]
        rows = zip(self.given, carried[len(passed) :])
        passed += [self._add_row(function, given, rest, counter) for given, rest in rows]
        block.add_ops([*function.scope.ops, scf.YieldOp(*passed)])
        function.scope, function.around = outer, around
        del function.elements[self.counter]

        loop = scf.ForOp(*bounds, inits, block)  # pyright: ignore[reportCallIssue]
        outer.ops.append(loop)
        for result, output in zip(loop.results, self.outputs):
            result.name_hint = name_hint(output.name)
        return loop.results

    def _add_row(
        self, function: FunctionEmitter, given: Tensor, rest: SSAValue, counter: SSAValue
    ) -> SSAValue:
        """Return the results of all steps so far, with that of this step in its row."""
        source = function.tensors[given]
        sizes = [DYNAMIC_INDEX if d.value is None else d.value for d in given.shape]
        insert = tensor.InsertSliceOp.get(
            source,
            rest,
            static_sizes=[1, *sizes],
            static_offsets=[DYNAMIC_INDEX, *(0 for _ in sizes)],
            offsets=[counter],
            sizes=[function.sizes.size(d) for d in given.shape if d.value is None],
        )
        return function.scope.add(insert, given.name)


def recurrence(
    steps: Dim,
    initial: Sequence[Tensor],
    step: Callable[..., Any],
    name: str = "recurrence",
    *,
    requires: Sequence[Requirement] = (),
) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Run `step(t, *states)` for `t` = 0 to `steps` - 1; return the last states and all outputs.

    A step is made of ordinary stages on the states, tensors of their shapes. It returns the next states and
    its outputs, which become the rows of tensors with `steps` in front of their shapes. Without any step
    the states are the initial ones. A layer of a recurrent network:

    ```python
    def step(t, h):
        k = te.reduce_axis((0, 4))
        mixed = te.compute((b, 4), lambda i, j: te.sum(h[i, k] * W[k, j], axis=k), name="mixed")
        h = te.compute((b, 4), lambda i, j: te.tanh(X[t, i, j] + mixed[i, j]), name="h")
        return [h], [h]

    (last,), (all,) = te.recurrence(n, [h0], step)
    ```
    """
    counter = Element(INDEX, "t")
    states = tuple(Tensor(t.shape, t.dtype, t.name) for t in initial)
    found = step(counter, *states)
    if not isinstance(found, tuple) or len(found) != 2:
        raise RelaxError(
            f"te.recurrence '{name}': the step returns {found!r}, expected a pair: the list of the next "
            "states and the list of its outputs"
        )
    following, given = (_tensors(part, name) for part in found)
    _check_states(states, following, name)
    length = symbolic.as_expr(steps)
    stage = RecurrenceStage(length, counter, tuple(initial), states, following, given)
    inner = (r for s in stage.inside for r in s.requires)
    stage.requires = tuple(dict.fromkeys((*requires, *inner)))
    last = tuple(stage.produce(t.shape, t.dtype, t.name) for t in following)
    rows = tuple(stage.produce((length, *t.shape), t.dtype, t.name) for t in given)
    return last, rows


def _tensors(part: object, name: str) -> tuple[Tensor, ...]:
    found = (part,) if isinstance(part, Tensor) else part
    if isinstance(found, list | tuple) and all(isinstance(t, Tensor) for t in found):
        return tuple(found)
    raise RelaxError(
        f"te.recurrence '{name}': the step returns {part!r}, expected a list of te.Tensor; return the "
        "results of te.compute"
    )


def _check_states(states: Sequence[Tensor], following: Sequence[Tensor], name: str) -> None:
    if len(following) != len(states):
        raise RelaxError(
            f"te.recurrence '{name}': the step returns {len(following)} states, expected {len(states)}, "
            "one for each initial one"
        )
    for before, after in zip(states, following):
        if (before.shape, before.dtype) != (after.shape, after.dtype):
            raise RelaxError(
                f"te.recurrence '{name}': the state '{before.name}' becomes "
                f"[{shape_text(after.shape)}] {after.dtype}, expected "
                f"[{shape_text(before.shape)}] {before.dtype} as it was before the step"
            )
