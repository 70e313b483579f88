"""Works in Relax, compiled by us."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import lowering
from bench.languages import Language, Run
from bench.measuring import all_cores
from bench.work import Work
from lowering.support.target import NATIVE
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType

LEVEL = 2
"""Of optimization: results may be rounded differently, as in all peers."""


class Relax(Language):
    """The operators as ops in a dataflow block; a size that varies is a symbolic variable, or a number."""

    def __init__(self, builder: BlockBuilder, sizes: Mapping[str, int]):
        super().__init__(sizes)
        self.builder = builder

    def size(self, name: str) -> int | str:
        return self.sizes.get(name, name)

    def const(self, array: np.ndarray) -> Any:
        return const(array)

    def lstm(self, *operands: Any) -> Any:
        return self.builder.emit(op.lstm(*operands))[0]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *operands, **attributes: self.builder.emit(
            getattr(op, name)(*operands, **attributes)
        )


def module(work: Work, *, symbolic: bool) -> ModuleOp:
    """Build a work's program, for the work's sizes or for all."""
    sizes = {} if symbolic else work.sizes
    builder = BlockBuilder()
    params = {
        f"x{i}": TensorType([sizes.get(d, d) for d in input.dims], input.dtype)  # pyright: ignore
        for i, input in enumerate(work.inputs)
    }
    with builder.function("main", params) as values:
        with builder.dataflow():
            language = Relax(builder, sizes)
            result = builder.emit_output(work.network(language, *values))
        builder.emit_func_output(result)
    made = builder.get()
    if work.prepare is not None:
        work.prepare(made)
    return made


@dataclass(frozen=True)
class Artifact:
    """A compiled function, and the seconds from module to shared object."""

    function: Callable[..., Any]
    seconds: float
    """Wall-clock time, on all cores."""
    cpu_seconds: float
    """Of Python and the C compiler on the processors."""


_symbolic: dict[object, Artifact] = {}


def build(work: Work, *, symbolic: bool, cache: bool = False, cpu: str = NATIVE) -> Artifact:
    """Compile a work, afresh unless `cache` is true."""
    program = module(work, symbolic=symbolic)
    with all_cores():
        start, before = perf_counter(), _on_the_processors()
        function = lowering.compile(program, opt_level=LEVEL, cache=cache, cpu=cpu).main
        return Artifact(function, perf_counter() - start, _on_the_processors() - before)


def _on_the_processors() -> float:
    """Return the CPU seconds of this process and of its finished children."""
    times = os.times()
    return sum(times[:4])


def compiled(work: Work, *, symbolic: bool, cpu: str = NATIVE) -> Artifact:
    """Return a work's artifact; the one for all sizes serves every row that has the same network."""
    if not symbolic:
        return build(work, symbolic=False, cpu=cpu)
    key = (work.network, work.inputs, work.prepare, cpu)
    if key not in _symbolic:
        _symbolic[key] = build(work, symbolic=True, cpu=cpu)
    return _symbolic[key]


def prepare(work: Work, arrays: Sequence[np.ndarray], *, symbolic: bool, cpu: str = NATIVE) -> Run:
    """Return a call of the compiled function."""
    return partial(compiled(work, symbolic=symbolic, cpu=cpu).function, *arrays)
