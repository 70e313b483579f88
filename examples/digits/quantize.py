"""Quantise the digits model to 8-bit integers, and compare it with the model in floats.

    python examples/digits/quantize.py [--output build/digits]

The first 64 held-out images calibrate; accuracy is counted on the other 300. Fails if more than one point
of it is lost.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from run import HERE, best_times
from xdsl.dialects.builtin import ModuleOp

import lowering
import relax_dialect
from lowering.tools.common import run_example
from relax_dialect import interpret
from relax_dialect.ops.core import ConstantOp
from relax_dialect.rewrites.quantization.quantize import quantize

CALIBRATION = 64
"""So many of the held-out images calibrate; the others are never seen by the pass."""
MOST_LOST, MOST_DIFFERENCE = 0.01, 1e-5


def constant_bytes(module: ModuleOp) -> int:
    """Return the number of bytes of a module's constants: weights, biases, scales and zero points."""
    return sum(len(op.value.data.data) for op in module.walk() if isinstance(op, ConstantOp))


def run(folder: Path) -> list[str]:
    """Quantise, compile, run, print; returns the failures."""
    floats = relax_dialect.load(HERE / "digits.mlir")
    integers = relax_dialect.load(HERE / "digits.mlir")
    with np.load(HERE / "held_out.npz") as data:
        x, labels = data["images"].astype(np.float32), data["labels"]
    seen, x, labels = x[:CALIBRATION], x[CALIBRATION:], labels[CALIBRATION:]

    print(f"calibrated on {len(seen)} images: {quantize(integers, {'x': seen})}")
    modules = {"float": floats, "int8": integers}
    models = {
        name: lowering.compile(module, f"digits_{name}", directory=folder)
        for name, module in modules.items()
    }
    print(f"on the {len(x)} held-out images that did not calibrate:")
    accuracy = {}
    for name, module in modules.items():
        accuracy[name] = float((models[name].main(x).argmax(axis=1) == labels).mean())
        kilobytes = constant_bytes(module) / 1000
        print(f"  {name:<5}  accuracy {accuracy[name]:.3f}, constants {kilobytes:.1f} kB")
    difference = np.abs(models["int8"].main(x) - interpret.run(integers, "main", x)).max()
    print(f"largest difference of the int8 model to the interpreter: {difference:.1e}")
    print("time per image, one thread, called from Python, best of 40 rounds side by side:")
    for batch in (x[:1], x):
        times = best_times([model.main for model in models.values()], batch)
        shown = ", ".join(f"{n} {t / len(batch) * 1e6:.2f} µs" for n, t in zip(models, times))
        print(f"  batch {len(batch):>3}: {shown}")

    wrong = []
    lost = accuracy["float"] - accuracy["int8"]
    if not lost <= MOST_LOST:
        wrong.append(
            f"accuracy: expected at most {MOST_LOST} less than in floats, found {lost:.3f}"
        )
    if not difference <= MOST_DIFFERENCE:
        wrong.append(f"difference: expected at most {MOST_DIFFERENCE}, found {difference}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Quantises the digits model.")
    parser.add_argument(
        "--output", type=Path, default=HERE.parents[1] / "build" / "digits", help="where the C goes"
    )
    folder = parser.parse_args().output
    return run_example(lambda: run(folder), folder)


if __name__ == "__main__":
    sys.exit(main())
