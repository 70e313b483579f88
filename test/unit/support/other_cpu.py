"""`pytest --cpu x86-64-v3`: the tests on a machine with another CPU than this one.

`native` is whatever the C compiler makes of `-march=native` (lowering/support/target.py), so the compilers that come first on the
PATH replace that flag: `native` has no AVX-512 then, in this process and in those that it starts. `generic` is the
least CPU of the architecture. The sizes of the caches remain those of this machine, and so do all named CPUs.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from lowering.support import target
from lowering.support.c_compiler import machine
from lowering.support.target import NATIVE

COMPILERS = ("cc", "gcc", "clang", "g++", "clang++")

MARCH: Mapping[str, Mapping[str, str]] = {
    "x86_64": {"generic": "x86-64", "x86-64-v3": "x86-64-v3", "x86-64-v4": "x86-64-v4"},
    "aarch64": {"generic": "armv8-a", "aarch64": "armv8-a"},
}
"""By architecture and name of the CPU, the value of `-march`."""

CHOICES = tuple(MARCH.get(machine(), ()))

SCRIPT = """#!/bin/sh
for word; do
  shift
  [ "$word" = -march=native ] && word=-march={march}
  set -- "$@" "$word"
done
exec {compiler} "$@"
"""

UNIT = Path(__file__).parents[1]
LOWERING = UNIT / "lowering"
OPERATORS = tuple(
    UNIT / "ops" / f"test_{name}.py"
    for name in ("effect_traits", "fields", "indexing_rules", "ops", "precision")
)
"""Tests of operators that compile nothing."""
TYPES_ALONE = {"test_the_types_are_those_of_tvm"}
"""Functions that compile nothing, in files that do."""
UNCHANGED = (
    *("explore", "profile", "tune"),
    *(
        f"schedule/test_{name}.py"
        for name in ("panels", "round_trip", "tile_functions", "tiny_tiles")
    ),
    *(
        f"emit_c/test_c_{name}.py"
        for name in (
            *("calls", "entry", "files", "given_arena", "names", "parts", "runtime", "size"),
            *("text", "weights"),
        )
    ),
    *(
        f"test_{name}.py"
        for name in (
            *("artifact", "build_cache", "c_command", "calling", "closing", "embedding"),
            *("bind_dynamic_dims", "bufferize_control", "cpus", "external", "frames_of_calls"),
            *("function_values", "in_place_safety", "integer_ranges"),
            *("function_views", "functions_of_blocks", "lower_through_normal_forms"),
            *("lowering_errors", "machine_limits", "mismatch", "objects", "order_of_passes"),
            *("packed", "packed_arguments", "pass_options", "places", "reproducer", "saving"),
            *("source_cache", "stock_interpreter", "tampered_artifacts", "target"),
            *("torch_backend", "unknown_ranks", "xdsl_pipelines"),
        )
    ),
)
"""Tests of the lowering that are the same for every CPU, or name their own: of files, calls, graphs, errors and names."""

USED = "RELAX_TEST_CPU"
"""The environment variable that names the CPU to the workers, which inherit the PATH."""


OWN_CPU = (NATIVE,)
"""The CPU of tests that CI runs once more on others: of operators and schedules."""


def share(cases: Iterable[str]) -> list[str]:
    """All cases; with `--cpu` every other one, where most of a test's time goes by case. They are different ones for
    `generic` and `x86-64-v3`, and all of them run on this machine's own CPU."""
    names = list(cases)
    return names[CHOICES.index(os.environ[USED]) % 2 :: 2] if USED in os.environ else names


def use_cpu(name: str) -> None:
    """Make `native` the CPU of a name from now on."""
    if os.environ.get(USED) != name:
        folder = Path(tempfile.mkdtemp(prefix="relax-cpu-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        write_compilers(folder, name)
        os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
        os.environ[USED] = name
    target.native.cache_clear()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out tests that are the same for every CPU."""
    return True if collection_path in {*OPERATORS, *(LOWERING / n for n in UNCHANGED)} else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests whose parameter `cpu` names a CPU, and of types: on this machine's own CPU they do the same."""
    left = {item for item in items if _named_cpu(item) != NATIVE or _name(item) in TYPES_ALONE}
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def _name(item: pytest.Item) -> str:
    """The name of a test's function."""
    return item.name.partition("[")[0]


def _named_cpu(item: pytest.Item) -> object:
    """The parameter `cpu` of a test, or this machine's."""
    return vars(item)["callspec"].params.get("cpu", NATIVE) if "callspec" in vars(item) else NATIVE


def write_compilers(folder: Path, name: str) -> None:
    """Compilers for which this machine has the CPU of a name."""
    for compiler in COMPILERS:
        if path := shutil.which(compiler):
            script = folder / compiler
            script.write_text(SCRIPT.format(march=MARCH[machine()][name], compiler=path))
            script.chmod(0o755)
