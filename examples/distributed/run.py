"""Train a small language model on two ranks, and let it write on one, two and four, by compiled C and MPI.

    python examples/distributed/run.py [--steps 200] [--output build/distributed]

The losses on two ranks are those of one rank that reads twice as much; the text is the same on any number.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import data_parallel
import numpy as np
import tensor_parallel
from launching import check_mpi, run_ranks

import lowering
from lowering.tools.common import run_example
from lowering.tools.progress_bar import progress_bar

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "distributed"
TOLERANCE, COMPARED = 1e-5, 60
"""The relative difference between losses whose sums are taken in another order, and the steps for which it
is checked: training amplifies differences, those of rounding too, a thousandfold in a hundred steps."""
START = "Alice "


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", type=int, default=200, help="of training")
    parser.add_argument("--output", type=Path, default=BUILD, help="where programs and weights go")
    return parser.parse_args()


def trained(folder: Path, steps: int) -> list[str]:
    """Train on one rank, then on two; return the differences that are too large."""
    with progress_bar(0):
        lowering.compile(data_parallel.build(data_parallel.config()), "step", directory=folder)
    one, two = (run_ranks(ranks, HERE / "data_parallel.py", folder, str(steps)) for ranks in (1, 2))
    losses = [np.array(each["losses"]) for each in (one, two)]
    difference = float(np.max(np.abs(losses[1] / losses[0] - 1)[:COMPARED]))
    print(f"{steps} steps on 1 rank: {one['seconds']:.1f} s, loss {losses[0][-1]:.6f}")
    print(f"{steps} steps on 2 ranks: {two['seconds']:.1f} s, loss {losses[1][-1]:.6f}")
    print(f"largest relative difference of the first {COMPARED} losses: {difference:.1e}")
    wrong = f"losses of two ranks: expected a difference of at most {TOLERANCE}, found {difference}"
    return [] if difference <= TOLERANCE else [wrong]


def written(folder: Path) -> list[str]:
    """Write a text on one, two and four ranks; return an error if they differ."""
    texts: list[str] = []
    for ranks in (1, 2, 4):
        name = f"decode{ranks}"
        lowering.compile(tensor_parallel.build(folder, ranks), name, directory=folder)
        found = run_ranks(ranks, HERE / "tensor_parallel.py", folder, START)
        texts.append(found["text"])
        print(f"{ranks} ranks, {found['bytes'] / 1024:.0f} KiB of weights each: {found['text']!r}")
    return [] if len(set(texts)) == 1 else [f"expected one text, found {texts}"]


def run(options: argparse.Namespace) -> list[str]:
    check_mpi()
    return trained(options.output, options.steps) + written(options.output)


def main() -> int:
    options = arguments()
    return run_example(lambda: run(options), options.output)


if __name__ == "__main__":
    sys.exit(main())
