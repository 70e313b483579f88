"""Emitted C cached by its program, so that the second time no pass runs.

    key = program_key(module, name, options)
    source = recalled(cache, key, lambda: to_c(module, name, **options))

A key holds the program with its names and locations, since both appear in the C, the options, the passes,
and the files of this project and of installed extensions. If something from elsewhere takes part (a rule, a
code generator, a pass, an operator), or a file has changed since the process began, nothing is kept.
"""

from __future__ import annotations

import io
import math
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Attribute
from xdsl.printer import Printer

from lowering import pipeline
from lowering.emit_c.syntax.c_source import CSource
from lowering.emit_c.syntax.weights_file import Content
from lowering.runtime.build_cache import BuildCache, digest
from lowering.runtime.file_digest import file_digest
from lowering.support.target import NATIVE, find
from relax_dialect import extensions
from relax_dialect.ir.walk import walk_ops
from relax_dialect.mapped_data import drop
from relax_dialect.parsing import deep_recursion
from relax_dialect.text.data_files import used_files

PACKAGES = ("relax_dialect", "lowering")

_PART, _WEIGHTS = "source", "weights"
_IMPORTED = time.time()


def program_key(module: ModuleOp, name: str, options: Mapping[str, Any]) -> str | None:
    """Return the key of the C of a module, None if it is not to be cached."""
    if not all(map(_is_ours, {type(op) for op in walk_ops(module)})):
        return None
    with deep_recursion():
        stream = io.StringIO()
        _KeyPrinter(stream, print_generic_format=True, print_debuginfo=True).print_op(module)
    return _key("module", stream.getvalue(), name, options)


def text_key(text: bytes, file: str, name: str, options: Mapping[str, Any]) -> str | None:
    """Return the key of the C of a program that is read from a file, and of the constants beside it."""
    beside: list[str] = []
    for used in used_files(text.decode("utf-8", "replace")):
        with suppress(OSError):  # a file that is missing is an error, and nothing is kept
            beside.append(f"{used} {file_digest(Path(file).parent / Path(used).name)}")
    return _key("text", text, os.path.basename(file), *beside, name, options)


def imported_key(told: Sequence[str], name: str, options: Mapping[str, Any]) -> str | None:
    """Return the key of the C of an imported model; `told` is all that its module depends on."""
    registry = sys.modules.get("relax_dialect.frontends.onnx.registry")
    if registry is not None and not all(map(_is_ours, registry.converters())):
        return None
    return _key("imported", "\0".join(told), name, options)


def recalled(cache: BuildCache | None, key: str | None, make: Callable[[], CSource]) -> CSource:
    """Return the C that is kept under a key, or else made now and kept."""
    if cache is None or key is None:
        return make()
    source = recall(cache, key)
    if source is None:
        source = make()
        keep(cache, key, source)
    return source


def recall(cache: BuildCache, key: str) -> CSource | None:
    """Return the C that is kept under a key."""
    kept = cache.get(key)
    return None if kept is None else _read(kept)


def keep(cache: BuildCache, key: str, source: CSource) -> None:
    """Keep C that was made now, unless the project has changed meanwhile."""
    if _unchanged():  # the loaded code is what the key describes
        cache.put(key, _written(source))


# Keys ----------------------------------------------------------------------------------------------


class _KeyPrinter(Printer):
    """Prints large constants by their digests."""

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            self.print_string(f"dense {digest(attribute.data.data)} : ")
            drop(attribute.data.data)
            attribute = attribute.type
        super().print_attribute(attribute)


def _key(kind: str, program: str | bytes, *rest: Any) -> str | None:
    added = extensions.packages()
    if None in map(_folder, added) or not _nothing_is_registered() or not _unchanged():
        return None
    tables = (tuple(pipeline.PASSES), sorted(pipeline.OPTIMIZATIONS.items()))
    *names, options = rest
    cpu = asdict(find(options.get("cpu", NATIVE)))
    cpu["features"] = sorted(cpu["features"])
    told = (kind, *names, sorted(options.items()), sorted(cpu.items()), tables, sys.version, added)
    return digest("C of a program", repr(told), program, project(tuple(added)))


def _nothing_is_registered() -> bool:
    """Whether all that takes part in a compilation belongs to this project or an extension."""
    tables: list[Iterable[Any]] = [pipeline.ALL_PASSES.values(), pipeline.PASSES.values()]
    for module, table in (
        ("lowering.legalize.registry", "RULES"),
        ("lowering.legalize.steps", "STEPS"),
        ("lowering.external.registry", "_REGISTERED"),
    ):
        if module in sys.modules:  # modules that are not loaded have not been changed
            found = getattr(sys.modules[module], table)
            tables += [found.keys(), found.values()]
    return all(map(_is_ours, (each for table in tables for each in table)))


def _is_ours(what: Any) -> bool:
    """Whether a class, a function or an object is one of this project's, an extension's or xDSL's."""
    package = getattr(what, "__module__", "").partition(".")[0]
    return (
        isinstance(what, str) or package in (*PACKAGES, "xdsl") or package in extensions.packages()
    )


@cache
def project(added: tuple[str, ...] = ()) -> str:
    """A digest of the files of this project and of extensions, and of the versions they are built on."""
    versions = [metadata.version(name) for name in ("numpy", "xdsl")]
    parts: list[str | bytes] = [*versions]
    for path in sorted(_files(added)):
        parts += [path, Path(path).read_bytes()]
    return digest(*parts)


def _files(added: Iterable[str]) -> Iterator[str]:
    """The Python and C files of this project and of the packages of extensions."""
    root = Path(__file__).parents[2]
    roots = [*(str(root / package) for package in PACKAGES), *map(_folder, added)]
    for top in filter(None, roots):
        for folder, _, names in os.walk(top):
            yield from (f"{folder}/{name}" for name in names if name.endswith((".py", ".c", ".h")))


@cache
def _folder(package: str) -> str | None:
    """The folder of an installed package, None for a module without one."""
    with suppress(ValueError):  # a module that was made while the process runs
        spec = find_spec(package)
        return next(iter((spec and spec.submodule_search_locations) or ()), None)
    return None


def _unchanged() -> bool:
    """Whether what this process has loaded, or will, is what stands in the files."""
    files = _files(extensions.packages())
    last = max((os.stat(path).st_ctime for path in files), default=math.inf)
    return last < _process_start() - 1  # which the system tells to the second


@cache
def _process_start() -> float:
    """Return the start of this process, or of this module if the system does not report it."""
    with suppress(OSError, ValueError, StopIteration, IndexError, AttributeError):
        stat = Path("/proc/stat").read_text().splitlines()
        booted = int(next(line for line in stat if line.startswith("btime ")).split()[1])
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        return booted + ticks / os.sysconf("SC_CLK_TCK")
    return _IMPORTED


# Sources as bytes ----------------------------------------------------------------------------------


class _SourceReader(pickle.Unpickler):
    """Reads classes of this project alone."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        found = super().find_class(module_name, global_name) if _is_own(module_name) else None
        if not isinstance(found, type) or found.__module__ != module_name:
            raise pickle.UnpicklingError(f"{module_name}.{global_name} is no class of ours")
        return found


def _is_own(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


def _written(source: CSource) -> dict[str, Content]:
    """Return a source as the parts of an entry; weights may be large and are not copied."""
    parts: dict[str, Content] = {_PART: pickle.dumps(replace(source, weights=None), protocol=5)}
    return parts if source.weights is None else {**parts, _WEIGHTS: source.weights}


def _read(parts: Mapping[str, memoryview]) -> CSource | None:
    """Return the source that an entry holds, None if it holds none."""
    try:
        source = _SourceReader(io.BytesIO(bytes(parts.get(_PART, b"")))).load()
    except (pickle.UnpicklingError, EOFError, ImportError, AttributeError, TypeError, ValueError):
        return None
    return replace(source, weights=parts.get(_WEIGHTS)) if isinstance(source, CSource) else None
