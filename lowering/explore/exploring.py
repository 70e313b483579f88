"""Compile a program and show on a page how it is lowered."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.driver import to_c
from lowering.explore.c_code import function_places, pieces
from lowering.explore.callers import kernels_called
from lowering.explore.dataflow import Graph
from lowering.explore.gradients import graphs
from lowering.explore.history import History
from lowering.explore.layout import library
from lowering.explore.machine_code import machine_code
from lowering.explore.page import Exploration, page
from lowering.explore.source_locations import SourceLocations
from lowering.memory.plan.report import MemoryReport
from lowering.memory.plan.usage import MemoryUsage, memory_usage
from lowering.pipeline import DEFAULT_LEVEL
from lowering.schedule.schedule import Schedule
from lowering.support.target import NATIVE

LAST_ON_THE_GRAPH = "relax-deduplicate-prim-funcs"
"""After this pass the graph is drawn again: its ops are calls of kernels."""


def explore(
    module: ModuleOp,
    name: str = "model",
    *,
    opt_level: int = DEFAULT_LEVEL,
    cpu: str = NATIVE,
    schedules: Mapping[str, Schedule] | str | None = None,
    passes: Sequence[str] = (),
    sizes: Mapping[str, int] | None = None,
) -> str:
    """Return a page, as HTML, about a module: its graph, the result of every pass, its C, and its cost in
    time and memory.

    The options are those of `lowering.to_c`, `sizes` that of `estimate_memory_usage`. Needs the package
    igraph. Raises `RelaxError`.
    """
    library()  # reported before the work
    watch = _Watch(SourceLocations(module))
    source = watch.places.source
    c = to_c(
        module,
        name,
        opt_level=opt_level,
        cpu=cpu,
        schedules=schedules,
        passes=passes,
        callback=watch,
    )
    seconds_of_c = time.perf_counter() - watch.history.began
    return page(
        Exploration(
            title=name if source is None else PurePath(source.name.data).name,
            source=str(module) if source is None else source.text,
            graphs=watch.graphs,
            history=watch.history,
            pieces=pieces(c.c, watch.origins),
            kernels=watch.kernels,
            seconds_of_c=seconds_of_c,
            machine_code=machine_code(c),
            memory=MemoryReport(watch.memory, sizes),
            weights=0 if c.weights is None else len(c.weights),
            places=watch.places,
        )
    )


class _Watch:
    """Called between passes."""

    def __init__(self, places: SourceLocations) -> None:
        self.places = places
        self.history = History(places)
        self.graphs: dict[str, list[Graph]] = {}
        self.origins: dict[str, tuple[int, ...]] = {}
        self.kernels: set[str] = set()
        self.memory = MemoryUsage([])

    def __call__(
        self, done: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        self.history(done, module, following)
        if done is None:
            self._draw("as it is written", module)
        elif done.name == LAST_ON_THE_GRAPH:
            self._draw("as calls of kernels", module)
        if following is None:
            self.origins = function_places(module, self.history)
            self.kernels = kernels_called(module, self.history.relax_functions)
            self.memory = memory_usage(module)
        self.history.began = time.perf_counter()

    def _draw(self, moment: str, module: ModuleOp) -> None:
        self.graphs[moment] = graphs(module, self.places)
