"""Search for faults: `python test/unit/fuzz [--kinds texts ops ...] [--cases N] [--seed S] [--tiles tiny]`."""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

os.environ["RELAX_CACHE_LIMIT"] = "0"  # thousands of programs, each once
UNIT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(UNIT / "support"), str(UNIT), str(UNIT.parents[1])]

import pytest  # noqa: E402
from isolated import each  # noqa: E402
from tiny_tiles import use_tiny_tiles  # noqa: E402

from fuzz import (  # noqa: E402
    affine,
    artifacts,
    calls,
    derivatives,
    guided,
    long_sums,
    mixed_precision,
    passes,
    programs,
    schedules,
    texts,
    threads,
)
from fuzz.cases import Fault  # noqa: E402

Batch = Callable[[random.Random, int], int]
"""Tries so many cases of a seed and gives how many were no mistakes. Raises `Fault`."""


def one_by_one(case: Callable[[random.Random], bool], rng: random.Random, count: int) -> int:
    return sum(case(rng) for _ in range(count))


def proof_of_chance(rng: random.Random, count: int) -> int:
    """Programs that z3 proves, where that is installed."""
    if find_spec("z3") is None:
        return 0
    from fuzz import proofs

    return one_by_one(proofs.case, rng, count)


KINDS: dict[str, tuple[Batch, int]] = {
    "texts": (partial(one_by_one, texts.case), 200),
    "ops": (partial(one_by_one, partial(passes.case, damaged=passes.damaged_ops)), 5),
    "damaged": (partial(one_by_one, partial(passes.case, damaged=passes.damaged_text)), 20),
    "retyped": (partial(one_by_one, partial(passes.case, damaged=passes.retyped)), 5),
    "graphs": (programs.graphs, 20),
    "functions": (programs.functions, 20),
    "scopes": (programs.scopes, 20),
    "affine-sizes": (programs.affine_graphs, 20),
    "affine-scopes": (programs.affine_scopes, 20),
    "calls": (calls.batch, 5000),
    "schedules": (schedules.batch, 40),
    "threads": (threads.batch, 12),
    "affine": (affine.batch, 50),
    "adjoints": (partial(one_by_one, derivatives.case), 10),
    "sums": (partial(one_by_one, long_sums.case), 5),
    "narrow": (mixed_precision.batch, 20),
    "proofs": (proof_of_chance, 20),
    "artifacts": (partial(one_by_one, artifacts.case), 50),
}
"""How each kind tries its cases, and how many of them at a time."""


def operators(rng: random.Random, count: int) -> int:
    """Imports PyTorch, which is slow and may be missing."""
    from fuzz.operators import batch

    return batch(rng, count)


def special(rng: random.Random, count: int) -> int:
    """Imports what `operators` does."""
    from fuzz.special import batch

    return batch(rng, count)


def gradients(rng: random.Random, count: int) -> int:
    """Imports what `operators` does."""
    from fuzz.gradients import batch

    return batch(rng, count)


def models(rng: random.Random, count: int) -> int:
    """Imports onnx, which may be missing."""
    from fuzz.models import batch

    return batch(rng, count)


def onnx(rng: random.Random, count: int) -> int:
    """Imports ONNX Runtime, which may be missing."""
    from fuzz.onnx_nodes import batch

    return batch(rng, count)


KINDS |= {
    "operators": (operators, 180),
    "special": (special, 3600),
    "gradients": (gradients, 100),
    "models": (models, 200),
    "onnx": (onnx, 40),
    **guided.KINDS,
}
MEGABYTES = 0
"""Sanitizers map far more memory than they use, so there is no limit here."""
BATCH_SECONDS = 1800
"""When a batch counts as one that hangs."""


SUFFIXES = {"guided-mlir": ".mlir", "guided-tvmscript": ".py", "guided-manifests": ".json"}


def attempt(batch: tuple[str, str, int]) -> tuple[int, Fault | None]:
    """A batch of cases: how many were no mistakes, and the fault that ended it."""
    kind, seed, count = batch
    try:
        return KINDS[kind][0](random.Random(seed), count), None
    except Fault as fault:
        return 0, fault
    except Exception as error:
        frames = traceback.format_exc()
        return 0, Fault(f"{type(error).__name__}: {error}", f"// the search failed\n{frames}")


def batches(kinds: list[str], cases: int, seed: int) -> Iterator[tuple[str, str, int]]:
    """The kinds in turn, so that a search that is cut short has tried each."""
    left = dict.fromkeys(kinds, cases // len(kinds))
    number = 0
    while left:
        for kind in list(left):
            count = min(left[kind], KINDS[kind][1])
            if count:
                yield kind, f"{kind} {seed} {number}", count
            left[kind] -= count
            if left[kind] <= 0:
                del left[kind]
        number += 1


def report(folder: Path, kind: str, seed: str, fault: Fault) -> None:
    """Write the program of a fault to a file and say what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{seed.replace(' ', '-')}.mlir"
    if isinstance(fault.program, bytes):
        path.with_suffix(SUFFIXES.get(kind, ".onnx")).write_bytes(fault.program)
        path = path.with_suffix(".txt")
        path.write_text(f"seed '{seed}'\n{fault}\n", encoding="utf-8")
    else:
        comment = "\n".join(f"// {line}" for line in f"seed '{seed}'\n{fault}".splitlines())
        path.write_text(f"{comment}\n{fault.program}\n", encoding="utf-8")
    print(f"{kind}: {str(fault)[:300]}\n    {path}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python test/unit/fuzz", description=__doc__)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--cases", type=int, default=2000, help="in all (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--seconds", type=float, help="end after so long")
    parser.add_argument("--tiles", choices=["tiny"], help="how large tiles are: see tiny_tiles.py")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), help="where faults go")
    arguments = parser.parse_args()
    start = time.monotonic()
    tried, accepted, faults = Counter[str](), Counter[str](), Counter[str]()
    todo = list(batches(arguments.kinds, arguments.cases, arguments.seed))
    if arguments.tiles == "tiny":
        use_tiny_tiles(pytest.MonkeyPatch())  # the processes are forks of this one
    for number, found, failure in each(attempt, todo, arguments.jobs, BATCH_SECONDS, MEGABYTES):
        kind, seed, count = todo[number]
        good, fault = found or (0, Fault(failure, "// the process of these cases ended"))
        tried[kind] += count
        accepted[kind] += good
        if fault is not None:
            faults[kind] += 1
            report(arguments.output, kind, seed, fault)
        seconds = time.monotonic() - start
        if tried.total() * 20 // arguments.cases > (tried.total() - count) * 20 // arguments.cases:
            print(f"{tried.total()} cases, {faults.total()} faults, {seconds:.0f} s", flush=True)
        if arguments.seconds and seconds > arguments.seconds:
            break
    for kind in arguments.kinds:
        print(
            f"{kind:10} {tried[kind]:7} cases, {accepted[kind]:7} good ones, {faults[kind]} faults"
        )
    print(f"{'all':10} {tried.total():7} cases in {time.monotonic() - start:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
