"""ONNX models from file to result: import, compile, memory, the C, and the speed next to ONNX Runtime's.

    python -m bench --only onnx --check      # all of it, an error where a limit is missed
    python -m bench.imported densenet121     # the figures of one model as JSON

Every model is imported and compiled in a separate process, and once more in a second one, with other hashes
of strings, which has the cache of the first.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.comparing import as_array
from bench.languages import PEERS
from bench.measuring import Table, all_cores, interleaved, use_one_core

MOST_DIFFERENCE = 1e-4
"""Of the largest number of ONNX Runtime's result."""
MOST_IMPORT = {"densenet121": 1.0}
MOST_COMPILE, MOST_SECOND = 10.0, 1.0
"""Seconds from the file of a model to its function: the lesser of wall-clock time, and of Python's CPU time
plus half of the C compiler's, which runs on two cores."""
MOST_TIMES_SIZE, MOST_MORE = 3.0, 300e6
"""Bytes while compiling: so many times the size of the file, and so many more."""
MOST_C = {"densenet121": 1e6}
MOST_OF_BY_HAND = 1.05
"""The time of a network that is imported, in that of the same one built by hand."""
LEVEL = 2

Figures = dict[str, Any]


def _peak() -> float:
    """Return the peak memory of this process, in bytes."""
    (line,) = (x for x in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in x)
    return int(line.split()[1]) * 1024.0


def _on_two_cores() -> float:
    """Return the CPU seconds of this process, and half of those of its children, side by side."""
    times = os.times()
    return times.user + times.system + (times.children_user + times.children_system) / 2


def compiled(path: Path, folder: Path) -> tuple[Any, Figures]:
    """Compile a model from its file, with the C in a folder; returns it and the figures."""
    import lowering
    from relax_dialect.frontends.onnx import load

    start, before = time.perf_counter(), _on_two_cores()
    module = load(path)
    found = {"import": time.perf_counter() - start, "import, cpu": _on_two_cores() - before}
    function = lowering.compile(module, "model", directory=folder, opt_level=LEVEL).main
    found["compile"] = time.perf_counter() - start
    found["compile, cpu"] = _on_two_cores() - before
    found["peak"] = _peak()
    text = (folder / "model.c").read_bytes()
    return function, {**found, "c": len(text), "digest": hashlib.sha256(text).hexdigest()}


def run(path: Path, folder: Path) -> Figures:
    """Compile a model, and compare its results and times with ONNX Runtime's."""
    from bench.languages.onnx_runtime import session

    function, found = compiled(path, folder)
    with np.load(path.with_suffix(".npz")) as saved:
        arrays = [saved[name] for name in saved.files]
    theirs = session(path.read_bytes())
    (given,) = theirs.get_inputs()
    differences = []
    for x in arrays:
        ours, wanted = function(x), as_array(theirs.run(None, {given.name: x})[0])
        if ours.shape != wanted.shape:
            return {**found, "difference": float("inf")}
        differences.append(np.abs(ours - wanted).max() / np.abs(wanted).max())
    use_one_core()
    calls = (partial(function, arrays[0]), lambda: theirs.run(None, {given.name: arrays[0]}))
    ours, peers = (timing.best for timing in interleaved(calls, 0.5))
    return {**found, "difference": float(max(differences)), "ours": ours, "peer": peers}


def measured(name: str) -> Figures:
    """Measure one model; the figures are empty if a process fails."""
    import onnx

    from bench.real_models import MODELS

    network, inputs = MODELS[name]()
    with tempfile.TemporaryDirectory(prefix="relax-bench-") as folder:
        path = Path(folder) / "model.onnx"
        onnx.save_model(network, str(path))
        found: Figures = {"size": path.stat().st_size}
        del network
        arrays = [array for each in inputs for array in each.values()]
        np.savez(path.with_suffix(".npz"), *arrays)
        for turn in ("first", "second"):
            environment = {
                **os.environ,
                "RELAX_CACHE_DIR": f"{folder}/cache",
                "RELAX_CACHE_LIMIT": "4096",
                "PYTHONHASHSEED": str(len(turn)),
            }
            command = [sys.executable, "-m", "bench.imported", turn, str(path)]
            with all_cores():
                done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                print(f"note: {name}: {done.stderr}", file=sys.stderr)
                return {}
            found[turn] = json.loads(done.stdout)
    return found


def again(path: Path, folder: Path) -> Figures:
    """Compile a model that was compiled before; and its C made anew, by a process with other hashes."""
    import lowering
    from relax_dialect.frontends.onnx import load

    _, found = compiled(path, folder)
    found |= second_command(path, folder)
    source = lowering.to_c(load(path), "model", opt_level=LEVEL)
    return {**found, "digest": hashlib.sha256(source.c.encode()).hexdigest()}


def second_command(path: Path, folder: Path) -> Figures:
    """Time `relax-compile`, from the start of Python, on a model that it has compiled before."""
    command = [sys.executable, "-m", "lowering.tools.relax_compile", str(path), f"-O{LEVEL}"]
    command += ["-o", str(folder)]
    for _ in range(2):
        start, before = time.perf_counter(), os.times()
        subprocess.run(command, check=True, capture_output=True)
        after, clock = os.times(), time.perf_counter() - start
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return {"compile": clock, "compile, cpu": cpu}


COLUMNS = ("model", "MB", "import s", "compile s", "second s", "peak MB", "most MB", "C kB")
COLUMNS += ("same C", "difference", "ours ms", "ONNX Runtime ms", "ratio", "met")


def models(names: Sequence[str]) -> Table:
    """Return the table of models, each with its limits."""
    table = Table("ONNX models: from the file to its function, and its speed", COLUMNS)
    for name in names:
        found = measured(name)
        if not found:
            table.missed.append(f"{name}: expected its figures, found a process that failed")
            continue
        table.rows.append(row(table, name, found))
    return table


def row(table: Table, name: str, found: Figures) -> tuple[str | float, ...]:
    """Return a model's figures; figures that miss their limits are recorded."""
    first, second = found["first"], found["second"]
    same = first["digest"] == second["digest"]
    most = MOST_TIMES_SIZE * found["size"] + MOST_MORE
    verdicts = {
        table.limit(f"{name}, {what}", value, at_most=at_most)
        for what, value, at_most in (
            ("import (s)", lesser(first, "import"), MOST_IMPORT.get(name, 1e9)),
            ("compile (s)", lesser(first, "compile"), MOST_COMPILE),
            ("second compile (s)", lesser(second, "compile"), MOST_SECOND),
            ("memory of compiling (MB)", first["peak"] / 1e6, most / 1e6),
            ("memory of the second time (MB)", second["peak"] / 1e6, most / 1e6),
            ("text of C (bytes)", first["c"], MOST_C.get(name, 1e9)),
            ("texts of C that differ", float(not same), 0),
            ("difference", first["difference"], MOST_DIFFERENCE),
        )
    }
    ours, peer = first.get("ours"), first.get("peer")
    return (
        *(name, found["size"] / 1e6, lesser(first, "import"), lesser(first, "compile")),
        *(lesser(second, "compile"), first["peak"] / 1e6, most / 1e6, first["c"] / 1e3),
        *("yes" if same else "NO", first["difference"]),
        *((ours * 1e3, peer * 1e3, peer / ours) if ours else ("", "", "")),
        "NO" if "NO" in verdicts else "yes",
    )


def lesser(found: Figures, what: str) -> float:
    """Return the wall-clock seconds, or the CPU seconds as on two idle cores if those are fewer."""
    return min(found[what], found[f"{what}, cpu"])


def by_hand() -> Table:
    """Compare imported networks with the same ones built by hand with the same weights."""
    import lowering
    from bench.languages import onnx_graph, ours
    from bench.works import networks
    from relax_dialect.frontends.onnx import load

    columns = ("network", "imported ms", "by hand ms", "imported / by hand", "limit", "met")
    table = Table("Imported from ONNX, and built by hand", columns)
    for work in networks.WORKS:
        if not work.whole:
            continue
        by_hand = ours.build(work, symbolic=False).function
        with all_cores():
            imported = lowering.compile(load(onnx_graph.model(work)), opt_level=LEVEL).main
        calls = [partial(each, *work.arrays()) for each in (imported, by_hand)]
        one, other = (timing.best for timing in interleaved(calls, 1.0))
        met = table.limit(f"{work.name}, imported", one / other, at_most=MOST_OF_BY_HAND)
        table.rows.append((work.name, one * 1e3, other * 1e3, one / other, MOST_OF_BY_HAND, met))
    return table


def tables() -> Iterator[Table]:
    """Yield both tables; nothing if ONNX Runtime is missing."""
    if not PEERS["onnxruntime"].installed:
        return
    from bench.real_models import MODELS

    yield models(list(MODELS))
    yield by_hand()


TURNS: dict[str, Callable[[Path, Path], Figures]] = {"first": run, "second": again}

if __name__ == "__main__":
    if sys.argv[1] in TURNS:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(TURNS[sys.argv[1]](Path(sys.argv[2]), Path(folder))))
    else:
        print(json.dumps(measured(sys.argv[1]), indent=1))
