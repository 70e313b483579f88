"""Train three networks by compiled C, each next to PyTorch from the same weights, and compare their losses.

    python examples/models/train.py [--steps 50] [--output build/models]

Fails if the losses of a step differ by more than 1e-4. Without PyTorch it trains alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from learning import OPTIMIZERS, SIZES, batches, losses
from models import MODELS, Weights
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.tools.common import run_example

ROOT = Path(__file__).resolve().parents[2]
MOST_DIFFERENCE = 1e-4


def peers(
    name: str, weights: Weights, given: Sequence[list[np.ndarray]]
) -> Iterator[tuple[str, list[float]]]:
    """Yield the losses of PyTorch on one thread, if PyTorch is installed."""
    if find_spec("torch") is not None:
        import torch
        import twins

        torch.set_num_threads(1)
        _, kind, arguments = OPTIMIZERS[name]
        optimizer = partial(getattr(torch.optim, kind), **arguments)
        yield "PyTorch", list(twins.losses(name, weights, optimizer, given))


def compare(name: str, steps: int, prepared: Callable[[ModuleOp], Any]) -> Iterator[str]:
    """Train a network and print its losses; yields a message for each wrong one."""
    model = MODELS[name]
    weights, given = model.weights(), list(batches(model, SIZES[name], steps))
    own = list(losses(name, weights, given, prepared))
    shown = sorted({0, *range(9, steps, 10), steps - 1})

    def line(what: str, numbers: Sequence[str]) -> None:
        print(f"  {what:<8}" + "".join(f"{number:>9}" for number in numbers))

    print(f"{name}: {OPTIMIZERS[name][1]}, batches of {SIZES[name]}")
    line("step", [str(i + 1) for i in shown])
    line("loss", [f"{own[i]:.5f}" for i in shown])
    for who, other in peers(name, weights, given):
        line(who, [f"{other[i]:.5f}" for i in shown])
        difference = max(abs(a - b) for a, b in zip(own, other, strict=True))
        print(f"  largest difference in {steps} steps: {difference:.1e}")
        if not difference <= MOST_DIFFERENCE:
            yield f"{name}: expected losses that differ from {who}'s by {MOST_DIFFERENCE} at most"


def run(steps: int, folder: Path) -> list[str]:
    """Train all networks; returns the failures of their losses."""
    wrong: list[str] = []
    for name in MODELS:

        def compiled(module: ModuleOp, name: str = f"{name}_training") -> Any:
            return lowering.compile(module, name, directory=folder).loss_step

        wrong += compare(name, steps, compiled)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Trains three networks.")
    parser.add_argument("--steps", type=int, default=50, help="1 or more (default: %(default)s)")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "build" / "models", help="where the C goes"
    )
    options = parser.parse_args()
    if options.steps < 1:
        parser.error(f"argument --steps: expected 1 or more, found {options.steps}")
    return run_example(lambda: run(options.steps, options.output), options.output)


if __name__ == "__main__":
    sys.exit(main())
