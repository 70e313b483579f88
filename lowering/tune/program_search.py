"""The search for the schedules of all kernels of a program, within a budget of seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument

from lowering.pipeline import DEFAULT_LEVEL
from lowering.profile.kernel_costs import flops
from lowering.support.progress import report, told
from lowering.support.target import NATIVE, check_machine, find
from lowering.tune import tuning_file
from lowering.tune.candidates import KernelSchedules
from lowering.tune.comparing import Case, Clock, Stopwatch, cases
from lowering.tune.kernel_programs import KernelProgram, kernels_of
from lowering.tune.search import KernelSearch, Record
from relax_dialect.errors import RelaxError
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.walk import symbol_name
from relax_dialect.ops.calls import TirCallOp
from relax_dialect.ops.core import FuncOp

Sizes = Mapping[str, int]

BYTE = 8
"""The floating-point operations that take as long as a byte of arguments and results."""


@dataclass(frozen=True)
class Options:
    """The options that schedules and their times depend on."""

    cpu: str = NATIVE
    opt_level: int = DEFAULT_LEVEL
    passes: Sequence[str] = ()
    threads: int = 1

    def head(self, sizes: Sequence[Sizes]) -> tuning_file.Head:
        """Return them as the head of a file."""
        return {
            "cpu": find(self.cpu).identity,
            "opt_level": self.opt_level,
            "passes": list(self.passes),
            "threads": self.threads,
            "sizes": [dict(own) for own in sizes],
        }


@dataclass
class Tuning:
    """The searches of a program."""

    searches: Sequence[KernelSearch]
    """The kernels with the most work first."""
    save: Callable[[], None]
    refused: list[str] = field(default_factory=list[str])
    """Kernels that cannot be called with random arguments."""

    def run(self, seconds: float, clock: Clock = time.perf_counter) -> bool:
        """Search for some seconds; return whether nothing is left to try. Each step goes to the kernel
        with the most work for the steps it had."""
        end, open = clock() + seconds, list(self.searches)
        while open and clock() < end:
            search = max(open, key=lambda own: own.weight / (own.steps + 1))
            name = search.record.kernel
            done = round(1000 * (1 - (end - clock()) / seconds))
            report(f"@{name}, {len(search.record.tried)} tried", done, 1000)
            if not self._step(search):
                open.remove(search)
                search.close()
        return not open

    def _step(self, search: KernelSearch) -> bool:
        """Run one step of a search, and save what it found."""
        try:
            with told(lambda *_: None):  # passes report their own progress
                return search.step(os.cpu_count() or 1)
        except RelaxError as error:
            if search.current is not None:
                raise
            self.refused.append(f"@{search.record.kernel}: {error}")
            return False
        finally:
            self.save()


def tuning(
    module: ModuleOp,
    path: Path,
    sizes: Sequence[Sizes] = ({},),
    entry: str = "main",
    options: Options = Options(),
    stopwatch: Stopwatch | None = None,
    cache: bool = True,
) -> Tuning:
    """Return the search for the schedules of a program, which goes on from a file if there is one.

    A schedule has to be fast for all of `sizes`, each of which has a number for every variable of the
    function `entry`. Raises `RelaxError` for other sizes, and for the file of another search.
    """
    _check_cpu(options.cpu)
    _check(module, sizes, entry)
    own = stopwatch or Stopwatch(time.process_time if options.threads == 1 else time.perf_counter)
    names = list(sizes[0]) if sizes else []
    programs = kernels_of(module, options.opt_level, options.cpu, options.passes, names)
    if not programs:
        raise RelaxError(
            "relax-tune: expected a program with kernels that can be called alone, found none; there is "
            "nothing to search for"
        )
    candidates = [KernelSchedules(program, options.cpu, cache) for program in programs]
    head = options.head(sizes)
    digests = {each.program.name: each.digest for each in candidates}
    known = tuning_file.records(path, head, digests)
    searches = [
        KernelSearch(
            each,
            calls := cases(each.program.types, sizes),
            known.get(each.program.name) or Record(each.program.name, each.digest),
            own,
            options.threads,
            _work(each.program, calls),
        )
        for each in candidates
    ]
    searches.sort(key=lambda search: -search.weight)
    return Tuning(searches, lambda: tuning_file.write(path, head, searches))


def _check_cpu(name: str) -> None:
    """Refuse a CPU whose code this machine does not run."""
    check_machine(name)
    if missing := find(name).features - find().features:
        raise RelaxError(
            f"--cpu {name}: expected a CPU whose code this machine runs, since schedules are measured, "
            f"found one with {', '.join(sorted(missing))}; choose another one"
        )


def _check(module: ModuleOp, sizes: Sequence[Sizes], entry: str) -> None:
    """Refuse sizes that are not those of an entry's variables."""
    functions = {symbol_name(op): op for op in module.ops if isinstance(op, FuncOp)}
    types = functions[entry].body.block.arg_types if entry in functions else ()
    variables = list(dict.fromkeys(name for type in types for name in free_variables(type)))
    named = ", ".join(variables) or "it has none"
    for own in sizes:
        for name, size in own.items():
            if name not in variables:
                raise RelaxError(
                    f"--dim {name}={size}: expected a variable of the parameters of @{entry} ({named}), "
                    f"found '{name}'; correct the name"
                )
        if missing := [name for name in variables if name not in own]:
            raise RelaxError(
                f"--dim: expected a size for '{missing[0]}' of @{entry}, found none; pass it as in --dim "
                f"{missing[0]}=64"
            )


def _work(program: KernelProgram, calls: Sequence[Case]) -> float:
    """Return about how much work the calls of a kernel are."""
    return program.calls * sum(_work_of(program, case) for case in calls) / max(len(calls), 1)


def _work_of(program: KernelProgram, case: Case) -> float:
    moved = sum(getattr(argument, "nbytes", 8) for argument in case.arguments)
    known = {symbol_name(op): op for op in program.graph.ops}
    kernel, caller = known[program.name], known[case.function]
    assert isinstance(kernel, func.FuncOp) and isinstance(caller, FuncOp)
    return (flops(kernel, _shapes(caller, case)) or 0) + BYTE * moved


def _shapes(caller: FuncOp, case: Case) -> list[tuple[int, ...]]:
    """Return the shapes of the arguments of the kernel that a function calls."""
    (call,) = (op for op in caller.body.block.ops if isinstance(op, TirCallOp))
    return [
        np.shape(case.arguments[value.index])
        if isinstance(value, BlockArgument)
        else tuple(dim.evaluate({}) for dim in value.type.shape)  # pyright: ignore
        for value in call.operands
    ]
