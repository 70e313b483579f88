"""Compile three networks, run each with several sizes, and compare with the interpreter and PyTorch.

    python examples/models/run.py [--output build/models]

Fails if a difference is larger than rounding explains.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from models import MODELS, Model

import lowering
from lowering.tools.common import run_example
from relax_dialect import interpret

ROOT = Path(__file__).resolve().parents[2]
MOST_DIFFERENCE = 1e-4

Peer = Callable[..., np.ndarray]


def peers(name: str, weights: dict[str, np.ndarray]) -> dict[str, Peer]:
    """Return PyTorch's version of a network, if PyTorch is installed."""
    if find_spec("torch") is None:
        return {}
    from twins import TWINS, twin

    return {"PyTorch": twin(TWINS[name](), weights)}


def differences(name: str, model: Model, folder: Path) -> Iterator[tuple[str, float]]:
    """Compile a network; returns its largest difference to every peer."""
    weights = model.weights()
    start = time.perf_counter()
    module = model.build(weights)
    compiled = lowering.compile(module, name, directory=folder)
    seconds = time.perf_counter() - start
    print(f"{name}: built and compiled in {seconds:.1f} s, run with sizes {model.sizes}")
    others = {"the interpreter": partial(interpret.run, module, "main"), **peers(name, weights)}
    calls = [model.inputs(np.random.default_rng(1), *sizes) for sizes in model.sizes]
    for who, other in others.items():
        yield (
            who,
            max(float(np.abs(compiled.main(*call) - other(*call)).max()) for call in calls),
        )


def run(folder: Path) -> list[str]:
    """Compile and compare all networks; returns their failures."""
    wrong: list[str] = []
    for name, model in MODELS.items():
        for who, difference in differences(name, model, folder):
            print(f"  largest difference to {who}: {difference:.1e}")
            if not difference <= MOST_DIFFERENCE:
                wrong.append(f"{name}: expected {MOST_DIFFERENCE} to {who} at most")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Compiles and runs three networks.")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "build" / "models", help="where the C goes"
    )
    folder = parser.parse_args().output
    return run_example(lambda: run(folder), folder)


if __name__ == "__main__":
    sys.exit(main())
