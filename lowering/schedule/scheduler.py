"""Schedules the kernels of one prim func: first by the explicit schedules, then by the strategies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from lowering.ir.constants import ConstantPool
from lowering.ir.memref_sizes import MemrefSizes
from lowering.schedule.kernels.decisions import Decisions
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.memrefs.pack_constants import ConstantPacker
from lowering.schedule.memrefs.tile_functions import TileFunctions
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.schedule import Schedule, apply, parse_steps
from lowering.schedule.strategies import rows
from lowering.schedule.strategies.elementwise import is_elementwise
from lowering.schedule.strategies.kinds import KINDS, KernelKind
from lowering.support.target import Cpu
from relax_dialect import extensions
from relax_dialect.errors import RelaxError
from relax_dialect.ir.walk import blocks_of, walk_ops
from relax_dialect.prim.signature import SCHEDULE


@dataclass
class Scheduler:
    """Schedules one prim func."""

    function: FuncOp
    cpu: Cpu
    functions: TileFunctions
    packer: ConstantPacker
    given: Mapping[str, Schedule]
    taken: dict[str, Schedule]
    """The schedules that have been done, by kernel."""
    decisions: Decisions = field(default_factory=Decisions)
    done: set[Operation] = field(default_factory=set[Operation])
    """The ops that schedules have made of their main ops."""
    told: set[Operation] = field(default_factory=set[Operation])
    """The ops with explicit schedules, alone or as one of several stages."""

    @cached_property
    def generics(self) -> Sequence[linalg.GenericOp]:
        """The ops that kernels are named after, before anything is changed."""
        return self._all()

    @cached_property
    def sizes(self) -> MemrefSizes:
        return MemrefSizes(self.function, ConstantPool(self.function))

    def run(self) -> None:
        """Apply explicit schedules, then fuse stages on rows, then go kind by kind: ops fused earlier are
        gone."""
        self._as_told()
        self.fuse_rows()
        for kinds in (extensions.kinds(KernelKind), *KINDS):
            for op in self._all():
                if op.parent is not None and op not in self.done:
                    self._by_kind(op, kinds)

    def fuse_rows(self) -> None:
        """Fuse stages that work on the same rows, except for those with explicit schedules."""
        blocks = [b for op in walk_ops(self.function) for b in blocks_of(op)]
        free = {*self.generics} - self.told
        for block in blocks:
            for found in rows.find(block, free):
                own = [n for n, op in enumerate(self.generics) if op in found.stages]
                key = f"{self.function.sym_name.data}#{own[0]}-{own[-1]}"
                kernel = self._kernel(key, key)
                self._do(rows.steps(kernel, found, rows.row_tiles(self.cpu)), key, kernel)

    def _all(self) -> list[linalg.GenericOp]:
        return [op for op in walk_ops(self.function) if type(op) is linalg.GenericOp]

    def _as_told(self) -> None:
        """Apply the explicit schedules of kernels of this function."""
        name = self.function.sym_name.data
        own = {key: steps for key, steps in self.given.items() if key.partition("#")[0] == name}
        attribute = self.function.attributes.pop(SCHEDULE, None)
        if isinstance(attribute, StringAttr) and not own:
            own = {name: parse_steps(attribute.data, f"{SCHEDULE} of @{name}")}
        for key, steps in own.items():
            kernel = self._kernel(key, key)
            self.told.update(kernel.stages.values() or [kernel.op])
            if not kernel.stages:
                self.done.add(kernel.op)
            self._do(steps, key, kernel)
            self.taken[key] = steps

    def _by_kind(self, op: linalg.GenericOp, kinds: Sequence[KernelKind]) -> None:
        """Do the steps of the first kind that an op is of."""
        own = {kind.name: kind for kind in kinds if kind.has(op)}
        if own:
            name = self._name(op)
            kernel = self._kernel(op, name)
            kind = own[kernel.choose("kind", next(iter(own)), own)]
            self._do(kind.steps(kernel, self.cpu), name, kernel)

    def _do(self, steps: Iterable[Primitive], name: str | None, kernel: Kernel) -> None:
        """Apply the steps of a schedule, and record them and the ops they make."""
        was_elementwise, done = is_elementwise(kernel.op), list[Primitive]()
        apply(_each(steps, done), kernel)
        if not done:
            return
        made = (op for leaf in kernel.leaves for op in leaf.ops)
        self.done.update(op for op in made if was_elementwise or not is_elementwise(op))
        if name is not None:
            self.taken[name] = done

    def _kernel(self, main: linalg.GenericOp | str, key: str | None) -> Kernel:
        """Return an op as a kernel, or the ops of a kernel's name."""
        stages = _stages(main, self.generics) if isinstance(main, str) else {0: main}
        *_, last = stages.values()
        shared = self.sizes, self.functions, self.packer
        stages = stages if len(stages) > 1 else {}
        options: dict[str, Any] = {"cpu": self.cpu, "decisions": self.decisions, "key": key}
        return Kernel(self.function, last, *shared, stages, **options)

    def _name(self, main: linalg.GenericOp) -> str | None:
        """Return the name of a kernel in a file of schedules; None for ops that other schedules have
        made."""
        name = self.function.sym_name.data
        if main not in self.generics:
            return None
        is_first = _main_op(name, self.generics) is main
        return name if is_first else f"{name}#{self.generics.index(main)}"


def _each(steps: Iterable[Primitive], done: list[Primitive]) -> Iterator[Primitive]:
    """Yield the steps, each remembered before the next one is chosen."""
    for step in steps:
        done.append(step)
        yield step


def _stages(key: str, ops: Sequence[linalg.GenericOp]) -> Mapping[int, linalg.GenericOp]:
    """Return the generics that a schedule is for, by their numbers: `softmax#0-3` has four of them."""
    name, _, numbers = key.partition("#")
    first, dash, last = numbers.partition("-")
    if not dash:
        return {0: _main_op(key, ops)}
    if not int(first) < int(last) < len(ops):
        raise RelaxError(
            f"schedule of @{key}: expected two numbers below {len(ops)}, that of the generics of @{name}, "
            f"the smaller one first, found {numbers}; take two of them"
        )
    return {number: ops[number] for number in range(int(first), int(last) + 1)}


def _main_op(key: str, ops: Sequence[linalg.GenericOp]) -> linalg.GenericOp:
    """Return the generic that a schedule is for: by its number, or the first that reduces, or the first."""
    name, _, number = key.partition("#")
    if not ops:
        raise RelaxError(
            f"schedule of @{key}: expected a prim func with linalg.generic, found none in @{name}; "
            "take the schedule out"
        )
    if number:
        if int(number) >= len(ops):
            raise RelaxError(
                f"schedule of @{key}: expected a number below {len(ops)}, that of the generics of "
                f"@{name}, found {number}; take one of them"
            )
        return ops[int(number)]
    kinds = ((op, {k.data.value for k in op.get_iterator_types()}) for op in ops)
    return next((op for op, own in kinds if "reduction" in own), ops[0])
