"""Compile a module with timers around its kernels, call it, and read them."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import FixedBitwidthType, ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from lowering.driver import compile, lowered
from lowering.emit_c import emit
from lowering.pipeline import DEFAULT_LEVEL, lower
from lowering.profile.kernel_costs import Shape, flops
from lowering.profile.machine_limits import machine_limits
from lowering.profile.profile_report import Profile, ProfiledKernel
from lowering.profile.timers import C_FUNCTIONS, insert_timers, tag
from lowering.runtime import calling, loading
from lowering.schedule.schedule import Schedule
from lowering.support.target import NATIVE
from relax_dialect.errors import SymbolicError
from relax_dialect.interpret.type_matching import TypedValue, match_types
from relax_dialect.ir.locations import place_text, site_text
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import symbol_name, walk_ops
from relax_dialect.ops.calls import TirCallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import deep_recursion

CALLS_OF_KERNELS = "relax-deduplicate-prim-funcs"
"""After this pass the ops of functions are calls of kernels."""

SECONDS = 0.5
"""The least time for which a function is called."""


def profile(
    module: ModuleOp,
    arguments: Sequence[Any],
    entry: str = "main",
    *,
    opt_level: int = DEFAULT_LEVEL,
    cpu: str = NATIVE,
    schedules: Mapping[str, Schedule] | str | None = None,
    passes: Sequence[str] = (),
    seconds: float = SECONDS,
) -> Profile:
    """Compile a module, call a function of it for some `seconds`, and return where the time goes.

    The options are those of `lowering.to_c`; the module itself is unchanged. The calls of kernels have
    timers; the time of a whole call is that of the same program without them. Raises `RelaxError`.
    """
    module = lower(module.clone(), passes) if passes else module
    plain = compile(module, opt_level=opt_level, cpu=cpu, schedules=schedules)[entry]
    times = _times(lambda: plain(*arguments), seconds / 2)
    kernels = _Kernels(entry)
    with deep_recursion():
        of_c = lowered(module, opt_level, cpu, schedules, (), kernels)
        insert_timers(of_c)
        source = emit(of_c, "model", packed=C_FUNCTIONS if kernels.calls else None, cpu=cpu)
    with TemporaryDirectory(prefix="relax-") as folder:
        timers = Path(folder, "timers.c")
        timers.write_bytes(files("lowering.profile").joinpath("timers.c").read_bytes())
        model = loading.build(source, signatures=calling.signatures(module), link=[timers])
    library = model.library
    assert library is not None
    timed = model[entry]
    timed(*arguments)
    if kernels.calls:
        library.relax_timer_reset()
    timed_times = _times(lambda: timed(*arguments), seconds / 2)
    found = kernels.read(library, len(timed_times), arguments)
    mean = sum(timed_times) / len(timed_times)
    return Profile(entry, min(times), mean, found, machine_limits(cpu))


def _times(call: Callable[[], object], seconds: float) -> Sequence[float]:
    """Call a function for some time; return the seconds of each call."""
    began, times = time.perf_counter(), list[float]()
    while not times or time.perf_counter() - began < seconds:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


@dataclass(frozen=True)
class _Call:
    """A call of a kernel, as the graph has it."""

    kernel: func.FuncOp
    source: str
    inputs: Sequence[Attribute]
    outputs: Sequence[Attribute]

    def read(
        self, timer: int, library: Any, count: int, sizes: Mapping[str, int]
    ) -> ProfiledKernel:
        """Return the kernel with what its timer has measured in `count` calls of the model."""
        shapes = [_shape(type, sizes) for type in self.inputs]
        moved = [_bytes(type, sizes) for type in (*self.inputs, *self.outputs)]
        known = [n for n in moved if n is not None]
        return ProfiledKernel(
            self.kernel.sym_name.data,
            self.source,
            library.relax_timer_calls(ctypes.c_int64(timer)) / count,
            library.relax_timer_seconds(ctypes.c_int64(timer)) / count,
            flops(self.kernel, shapes),
            sum(known) if len(known) == len(moved) else None,
        )


class _Kernels:
    """Called between passes: numbers the calls of kernels, and keeps them."""

    def __init__(self, entry: str):
        self.entry = entry
        self.parameters: Sequence[Attribute] = ()
        self.calls: list[_Call] = []

    def __call__(self, done: ModulePass | None, module: ModuleOp, _: ModulePass | None) -> None:
        if done is None:
            for op in module.ops:
                if isinstance(op, FuncOp) and op.sym_name.data == self.entry:
                    self.parameters = op.body.block.arg_types
        elif done.name == CALLS_OF_KERNELS:
            kernels = {symbol_name(op): op for op in module.ops if isinstance(op, func.FuncOp)}
            for op in walk_ops(module):
                if isinstance(op, TirCallOp) and op.callee_name in kernels:
                    self._add(op, kernels[op.callee_name])

    def _add(self, call: TirCallOp, kernel: func.FuncOp) -> None:
        source = place_text(call.location, base_name=True) or site_text(call.location) or ""
        types = call.operand_types, call.result_types
        tag(call, len(self.calls))
        self.calls.append(_Call(kernel.clone(), source, *types))

    def read(self, library: Any, count: int, arguments: Sequence[Any]) -> list[ProfiledKernel]:
        """Return the kernels that were called, with what their timers have measured."""
        library.relax_timer_seconds.restype = ctypes.c_double
        library.relax_timer_calls.restype = ctypes.c_int64
        sizes: dict[str, int] = {}
        typed = zip(self.parameters, arguments)
        match_types((TypedValue(f"@{self.entry}", t, v) for t, v in typed), sizes)
        found = [call.read(i, library, count, sizes) for i, call in enumerate(self.calls)]
        return [kernel for kernel in found if kernel.calls > 0]


def _shape(type: Attribute, sizes: Mapping[str, int]) -> Shape | None:
    """Return the shape of a tensor, None if it depends on what is computed at run time."""
    if not isinstance(type, TensorType) or type.shape is None or None in type.shape:
        return None
    try:
        return tuple(dim.evaluate(sizes) for dim in type.shape if dim is not None)
    except SymbolicError:
        return None


def _bytes(type: Attribute, sizes: Mapping[str, int]) -> int | None:
    """Return the bytes of a tensor; other values have none."""
    if not isinstance(type, TensorType):
        return 0
    shape, dtype = _shape(type, sizes), type.dtype
    if shape is None or not isinstance(dtype, FixedBitwidthType):
        return None
    return prod(shape) * ((dtype.bitwidth + 7) // 8)
