"""Schedules of a kernel by the decisions of its strategies, and their machine code.

{}                             -> the default
{"matmul_relu rows": 6}        -> expect(...), tile(d1, 48, ...), tile(d0, 6, ...), ...
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp

from lowering.emit_c import CSource, emit
from lowering.pipeline import lower_checked
from lowering.runtime import calling, loading
from lowering.runtime.loading import CompiledModule
from lowering.schedule.kernels.decisions import Choice, Decisions
from lowering.schedule.kernels.digest import digest
from lowering.schedule.primitives.expect import Expect
from lowering.schedule.relax_schedule import prepare, schedule
from lowering.schedule.schedule import Schedule, as_text
from lowering.support.target import find
from lowering.tune.kernel_programs import SCHEDULE, KernelProgram, passes_from
from relax_dialect.ir.walk import symbol_name
from relax_dialect.parsing import deep_recursion
from relax_dialect.prim.signature import SCHEDULES

Settings = Mapping[str, Choice]
"""The decisions that are not the default, by kernel and name."""


@dataclass(frozen=True)
class KernelSchedule:
    """A schedule of a kernel."""

    settings: Settings
    schedules: Mapping[str, Schedule]
    """By the names of the kernel's ops, as a file of schedules has them."""
    offered: Mapping[str, tuple[Choice, ...]]
    """The alternatives of each decision."""


@dataclass
class KernelSchedules:
    """The schedules of a kernel on a CPU."""

    program: KernelProgram
    cpu: str
    cache: bool = True

    @cached_property
    def digest(self) -> str:
        """The digest of the kernel, as its schedules expect it."""
        own = self.program.module.clone()
        functions = {symbol_name(op): op for op in own.ops if isinstance(op, FuncOp)}
        prepare(functions[self.program.name])
        return digest(functions[self.program.name])

    def of(self, settings: Settings) -> KernelSchedule:
        """Return the schedule of some decisions. Raises `RelaxError` if a step is illegal."""
        decisions = Decisions(settings)
        with deep_recursion():
            found = schedule(self.program.module.clone(), find(self.cpu), None, decisions)
        own = {k: v for k, v in found.items() if k.partition("#")[0] == self.program.name}
        expected = Expect(cpu=find(self.cpu).identity, kernel=self.digest)
        for name in list(own)[:1]:
            own[name] = (expected, *own[name])
        return KernelSchedule(settings, own, decisions.offered)

    def lowered(self, candidate: KernelSchedule) -> CSource:
        """Return the C of the calls by a schedule; the default is what has no settings."""
        module = self.program.module.clone()
        if candidate.settings:
            module.attributes[SCHEDULES] = StringAttr(as_text(candidate.schedules))
        with deep_recursion():
            lower_checked(module, passes_from(SCHEDULE), self.cpu)
            return emit(module, "kernel", cpu=self.cpu)

    def built(self, source: CSource) -> CompiledModule:
        """Return the machine code of C."""
        return loading.build(source, signatures=self.signatures, cache=self.cache)

    @cached_property
    def signatures(self) -> Mapping[str, calling.NestedSignature]:
        return calling.signatures(self.program.graph)
