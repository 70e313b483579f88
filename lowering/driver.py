"""From a Relax module to C, and to functions that numpy calls."""

from __future__ import annotations

import gc
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, StringAttr

from lowering.emit_c import emit
from lowering.emit_c.syntax.c_source import SIDECAR_THRESHOLD, CSource
from lowering.memory.plan.report import MemoryReport
from lowering.memory.plan.usage import memory_usage
from lowering.pipeline import (
    DEFAULT_LEVEL,
    PASSES,
    PipelineCallback,
    lower_checked,
    optimizations,
)
from lowering.runtime import artifact, artifact_files, calling
from lowering.runtime import loading as runtime
from lowering.runtime.build_cache import user_cache
from lowering.runtime.loading import CompiledModule
from lowering.runtime.source_cache import program_key, recalled
from lowering.schedule.schedule import Schedule, as_text
from lowering.support.c_compiler import find_compiler
from lowering.support.shortage import shortages
from lowering.support.target import NATIVE, check_machine, find
from lowering.support.whole_files import check_target
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import clean_name_hints, deep_recursion, require_module, verify
from relax_dialect.prim.signature import SCHEDULES

LARGE_WEIGHTS = 1 << 26
"""Above so many bytes the lowered program is freed at once, which takes a fifth of a second."""


def to_c(
    module: ModuleOp,
    name: str = "model",
    *,
    opt_level: int = DEFAULT_LEVEL,
    sidecar_threshold: int = SIDECAR_THRESHOLD,
    packed: Mapping[str, str] | None = None,
    cpu: str = NATIVE,
    schedules: Mapping[str, Schedule] | str | None = None,
    arena: bool = False,
    mpi: bool = False,
    passes: Sequence[str] = (),
    callback: PipelineCallback | None = None,
) -> CSource:
    """Compile the module to C source; the module itself is unchanged.

    `name` is the prefix of every exported C symbol. `opt_level` names the passes on the graph that run
    first (`lowering.pipeline.OPTIMIZATIONS`): 0 none, 1 passes that keep every bit but for recognised
    operators, 2 also passes that change rounding. `packed` names C functions for external functions, by
    their names. `cpu` is the target, one of `lowering.support.target.CPUS` or this machine. `schedules` has
    the schedules of prim funcs, by their names in the pass relax-schedule, or as the text of a file of
    schedules (docs/schedules.md). With `arena` the caller provides the memory of calls, and the C allocates
    none (docs/embedding.md). With `mpi` the C is linked with MPI, as a program that communicates is anyway
    (docs/distributed.md). `passes` run before all others, and `callback` is called between them, as
    `lower` does. Raises `RelaxError`.
    """
    require_module(module)
    options = (opt_level, sidecar_threshold, packed, cpu, schedules, arena, mpi, passes, callback)
    return _to_c(module, name, *options)


def _to_c(
    module: ModuleOp,
    name: str,
    opt_level: int,
    sidecar_threshold: int,
    packed: Mapping[str, str] | None,
    cpu: str,
    schedules: Mapping[str, Schedule] | str | None,
    arena: bool,
    mpi: bool,
    passes: Sequence[str] = (),
    callback: PipelineCallback | None = None,
) -> CSource:
    """Compile to C what the entry point has found to be a module."""
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise RelaxError(
            f"model name '{name}': expected a C identifier, since symbols start with it; use letters, "
            "digits and '_'"
        )
    with deep_recursion():
        module_of_c = lowered(module, opt_level, cpu, schedules, passes, callback)
        source = emit(
            module_of_c,
            name,
            sidecar_threshold=sidecar_threshold,
            packed=packed,
            cpu=cpu,
            has_arena=arena,
            has_mpi=mpi,
            signatures=calling.as_text(calling.signatures(module)),
        )
        if len(source.weights or b"") > LARGE_WEIGHTS:
            del module_of_c
            gc.collect()  # its constants are as large, and its ops refer to each other
        return source


def estimate_memory_usage(
    module: ModuleOp,
    sizes: Mapping[str, int] | None = None,
    *,
    opt_level: int = DEFAULT_LEVEL,
    cpu: str = NATIVE,
) -> MemoryReport:
    """Estimate the memory of a module's compiled functions: `print` it, or ask it for `json()`.

    Sizes are symbolic expressions, or numbers if `sizes` binds all variables (`{"n": 128}`);
    `peak("main")` and `lower_bound("main")` are these numbers. The options are those of `to_c`.
    Weights are not counted. Raises `RelaxError`.
    """
    require_module(module)
    with deep_recursion():
        return MemoryReport(memory_usage(lowered(module, opt_level, cpu)), sizes)


def lowered(
    module: ModuleOp,
    opt_level: int,
    cpu: str,
    schedules: Mapping[str, Schedule] | str | None = None,
    passes: Sequence[str] = (),
    callback: PipelineCallback | None = None,
) -> ModuleOp:
    """Lower the module to the form that the C target prints; the module itself is unchanged."""
    verify(module)
    own = module.clone()
    clean_name_hints(own)  # a clone's differ from those of its original
    if schedules is not None:
        own.attributes[SCHEDULES] = StringAttr(as_text(schedules))
    names = (*passes, *optimizations(opt_level), *PASSES)
    return lower_checked(own, names, cpu, callback)


def compile(
    module: ModuleOp,
    name: str = "model",
    *,
    directory: str | Path | None = None,
    cc: str | None = None,
    extra_flags: Sequence[str] = (),
    opt_level: int = DEFAULT_LEVEL,
    sidecar_threshold: int = SIDECAR_THRESHOLD,
    packed: Mapping[str, str] | None = None,
    link: Sequence[str | Path] = (),
    cpu: str = NATIVE,
    schedules: Mapping[str, Schedule] | str | None = None,
    arena: bool = False,
    mpi: bool = False,
    cache: bool = True,
) -> CompiledModule:
    """Compile a module and load it: `compile(module).main(x)` takes and returns what `interpret.run` does:
    numpy arrays, tuples, and shapes as tuples of ints.

    External functions are those of `relax_dialect.interpret.register_packed` by the time they are called,
    or C functions named by `packed` in the files of `link` (.c, .o, .so). `opt_level`, `cpu`, `schedules`,
    `arena` and `mpi` are those of `to_c`; this machine must have the features of the CPU.

    Compilation results are cached in the user's cache, unless `cache` is false.

    The C, its header, the shared object, the weights and the manifest by which `load` finds them are kept
    in `directory` if it is not None. Raises `RelaxError` for a program that cannot be lowered and for a
    missing C compiler.
    """
    require_module(module)
    check_machine(cpu)
    find_compiler(cc, find(cpu).architecture)
    if directory is not None:
        check_target(Path(directory), "directory", "directory")
    options = {
        "opt_level": opt_level,
        "sidecar_threshold": sidecar_threshold,
        "packed": packed,
        "cpu": cpu,
        "schedules": None if schedules is None else as_text(schedules),
        "arena": arena,
        "mpi": mpi,
    }
    kept = user_cache() if cache else None
    key = None if kept is None else program_key(module, name, options)
    source = recalled(kept, key, lambda: _to_c(module, name, **options))
    with shortages(f"{name}: C compiler"):
        return _built(module, source, directory, cc, extra_flags, link, cache)


def _built(
    module: ModuleOp,
    source: CSource,
    directory: str | Path | None,
    cc: str | None,
    extra_flags: Sequence[str],
    link: Sequence[str | Path],
    cache: bool,
) -> CompiledModule:
    """Build and load emitted C; its files are kept in `directory` if it is not None."""
    if directory is None:
        signatures = calling.signatures(module)
        return runtime.build(
            source, cc=cc, extra_flags=extra_flags, link=link, signatures=signatures, cache=cache
        )
    artifact_files.build(source, directory, cc=cc, extra_flags=extra_flags, link=link, cache=cache)
    manifest = artifact_files.manifest_path(source, directory)
    del source  # the weights are read from their file
    return artifact.load(manifest)
