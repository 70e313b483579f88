"""The compiler's own speed: a small model from text to shared object, and long dataflow blocks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from bench import programs
from bench.measuring import Table, cpu_seconds
from lowering import lower
from lowering.pipeline import PASSES
from relax_dialect.parsing import parse_unverified, verify

DIGITS = Path(__file__).parents[1] / "examples" / "digits" / "digits.mlir"
MOST_IN_PYTHON, MOST_IN_ALL = 1.0, 3.0
MOST_PER_OP = 150.0
"""Microseconds, in a block of `LIMITED` bindings."""
MOST_BY_STEP = {"relax-gradient": 300.0}
"""The same for steps that add several ops for each."""
LIMITED = 10_000
MOST_GROWTH = 2.0
"""Of the time per op, from the shortest block to the longest."""
COUNTS = (1_000, 5_000, 10_000, 20_000)

SCRIPT = """
import json, os, sys, tempfile
clock = lambda: sum(os.times()[:4])  # on the processor, the C compiler too
times = [clock()]
import relax_dialect, lowering
from lowering import to_c
from lowering.runtime import loading as runtime
times.append(clock())
source = to_c(relax_dialect.load(sys.argv[1]), "digits")
times.append(clock())
with tempfile.TemporaryDirectory() as folder:
    runtime.compile_c(source, folder)
times.append(clock())
print(json.dumps([b - a for a, b in zip(times, times[1:])]))
"""


def compile_time(rounds: int = 3) -> Table:
    """Time the digits model from `.mlir` to shared object, in a separate process; the best of all."""
    table = Table("Compile time of the digits MLP, one core", ("step", "seconds", "limit", "met"))
    samples = []
    env = {**os.environ, "RELAX_CACHE_LIMIT": "0"}  # nothing is taken from the cache
    for _ in range(rounds):
        command = [sys.executable, "-c", SCRIPT, str(DIGITS)]
        done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
        samples.append(json.loads(done.stdout))
    imports, to_c, cc = min(samples, key=sum)
    total = to_c + cc
    table.rows = [
        ("import of xDSL and this package", imports, "-", "-"),
        (
            "Relax to C, in Python (passes imported on the way)",
            to_c,
            MOST_IN_PYTHON,
            table.limit("digits, Relax to C (s)", to_c, at_most=MOST_IN_PYTHON),
        ),
        ("C to shared object, C compiler", cc, "-", "-"),
        (
            "Relax to shared object",
            total,
            MOST_IN_ALL,
            table.limit("digits, Relax to shared object (s)", total, at_most=MOST_IN_ALL),
        ),
    ]
    return table


def steps(text: str) -> list[tuple[str, Callable[[], object]]]:
    """Return the steps of compiling a block, in order: each works on the result of the one before."""
    modules: list[ModuleOp] = []
    graph_passes = tuple(PASSES)[: tuple(PASSES).index("relax-bufferize")]
    return [
        ("parse", lambda: modules.append(parse_unverified(text))),
        ("verify", lambda: verify(modules[0])),
        ("print", lambda: str(modules[0])),
        ("relax-gradient", lambda: _differentiate(modules[0])),
        *((name, lambda name=name: lower(modules[0], [name])) for name in graph_passes),
    ]


def _differentiate(module: ModuleOp) -> None:
    """Add the adjoint of the only function, and take it out again."""
    lower(module, ["relax-gradient{mode=vjp}"])
    added = module.body.block.last_op
    assert added is not None
    added.detach()


def block(kind: str) -> Table:
    """Time every graph-level step over blocks of growing length: time on the processor per binding."""
    table = Table(
        f"A dataflow block of {kind}, microseconds per binding",
        ("step", *(f"{count:,}" for count in COUNTS), "limit", "met"),
    )
    lower(parse_unverified(programs.BLOCKS[kind](50)))  # the passes are imported
    found: dict[str, list[float]] = {}
    for count in COUNTS:
        for name, action in steps(programs.BLOCKS[kind](count)):
            found.setdefault(name, []).append(cpu_seconds(action) / count * 1e6)
    for name, times in found.items():
        what, most = f"{kind}, {name}", MOST_BY_STEP.get(name, MOST_PER_OP)
        at_limit, growth = times[COUNTS.index(LIMITED)], times[-1] / times[0]
        verdicts = {
            table.limit(f"{what} at {LIMITED} (µs per op)", at_limit, at_most=most),
            table.limit(f"{what}, growth per op", growth, at_most=MOST_GROWTH),
        }
        table.rows.append((name, *times, most, "NO" if "NO" in verdicts else "yes"))
    return table
