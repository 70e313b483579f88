"""Compile the digits model once, run it on real handwritten digits, and show every step.

    python examples/digits/run.py [--quiet] [--output build/digits]

Fails if the accuracy or the agreement with the interpreter is not as it should be.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy is compared on one thread, like the C

import argparse
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from stages import WIDTH, fit, views
from xdsl.dialects.builtin import ModuleOp

import relax_dialect
from lowering import to_c
from lowering.pipeline import PASSES
from lowering.runtime import loading as runtime
from lowering.support import c_compiler
from lowering.tools.common import run_example
from relax_dialect import interpret
from relax_dialect.ops.core import ConstantOp

HERE = Path(__file__).resolve().parent
LEAST_ACCURACY, MOST_DIFFERENCE = 0.95, 1e-4
SHADES = " ░▒▓█"
SHOWN = (0, 3, 6, 9)
"""Digits of which a correctly classified image is drawn; and as many misclassified ones."""

Model = Callable[[np.ndarray], np.ndarray]


def heading(text: str) -> None:
    bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
    print(f"\n{bold}── {text}{plain}")


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"


def numpy_model(module: ModuleOp) -> Model:
    """Build the same layers in numpy, with the weights of the program."""
    w1, b1, w2, b2, w3, b3 = (
        np.frombuffer(op.value.data.data, "<f4").reshape(op.value.get_shape())
        for op in module.walk()
        if isinstance(op, ConstantOp)
    )

    def forward(x: np.ndarray) -> np.ndarray:
        x = np.maximum(x @ w1 + b1, 0)
        x = np.maximum(x @ w2 + b2, 0)
        scores = x @ w3 + b3
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    return forward


def best_times(models: Sequence[Model], x: np.ndarray, rounds: int = 40) -> list[float]:
    """Return the seconds per call of each model, interleaved: the best of all rounds."""
    calls = max(1, 200 // len(x))
    best = [float("inf")] * len(models)
    for _ in range(rounds):
        for i, model in enumerate(models):
            start = time.perf_counter()
            for _ in range(calls):
                model(x)
            best[i] = min(best[i], (time.perf_counter() - start) / calls)
    return best


def draw(image: np.ndarray) -> list[str]:
    """Draw an 8x8 image as eight lines of shades, two characters a pixel."""
    return ["".join(SHADES[round(int(p) / 4)] * 2 for p in row) for row in image.reshape(8, 8)]


def draw_row(which: np.ndarray, images: np.ndarray, labels: np.ndarray, p: np.ndarray) -> None:
    """Draw images side by side, above the predictions of the model."""
    captions = []
    for i in which:
        digit = int(p[i].argmax())
        verdict = "✓" if digit == labels[i] else f"✗ is {labels[i]}"
        captions.append(f"{digit} {verdict}  {p[i, digit]:.0%}")
    for line in [*zip(*(draw(images[i]) for i in which)), captions]:
        print("   " + "   ".join(f"{part:<16}" for part in line).rstrip())


def show_digits(images: np.ndarray, labels: np.ndarray, p: np.ndarray) -> None:
    """Show a few correctly classified images, and a few misclassified ones."""
    right = p.argmax(axis=1) == labels
    heading(f"Read rightly ({right.sum()} of {len(labels)}), with likelihoods")
    first = [np.flatnonzero(right & (labels == digit))[:1] for digit in SHOWN]
    draw_row(np.concatenate(first), images, labels, p)
    if not right.all():
        heading(f"Misread ({(~right).sum()})")
        draw_row(np.flatnonzero(~right)[: len(SHOWN)], images, labels, p)


def run(quiet: bool, folder: Path) -> list[str]:
    """Compile, run, print; returns the failures."""
    module = relax_dialect.load(HERE / "digits.mlir")
    with np.load(HERE / "held_out.npz") as data:
        images, labels = data["images"], data["labels"]
    x = images.astype(np.float32)

    times = [time.perf_counter()]
    source = to_c(module, "digits")
    times.append(time.perf_counter())
    library = runtime.compile_c(source, folder)
    times.append(time.perf_counter())
    model = runtime.load(library, source.entries, folder / "digits.weights")
    if not quiet:
        for title, lines in views(module, source.c):
            heading(title)
            print("\n".join(fit(lines)))

    heading("Compiled once, for every batch")
    compiler = c_compiler.find_compiler()[0]
    to_c_time, cc_time = (milliseconds(b - a) for a, b in pairwise(times))
    passes = ", ".join(PASSES)
    print(textwrap.fill(f"passes:        {passes}", WIDTH, subsequent_indent=" " * 15))
    print(
        f"compile time:  {to_c_time} Relax to C in Python, {cc_time} C to machine code ({compiler})"
    )
    print(
        f"the C:         {os.path.relpath(folder / 'digits.c')}, with .h, .so and .weights next to it"
    )

    batches = {size: x[:size] for size in (1, 7, len(x))}
    results = {size: model.main(batch) for size, batch in batches.items()}
    p = results[len(x)]
    accuracy = float((p.argmax(axis=1) == labels).mean())
    difference = max(
        float(np.abs(results[size] - interpret.run(module, "main", batch)).max())
        for size, batch in batches.items()
    )

    show_digits(images, labels, p)
    heading(f"On {len(x)} held-out images, batches of {', '.join(map(str, batches))}")
    print(f"accuracy: {accuracy:.3f}")
    print(f"largest difference to the interpreter: {difference:.1e}")
    print("time per image, one thread, called from Python, best of 40 rounds side by side:")
    peer = numpy_model(module)
    for size, batch in batches.items():
        ours, numpys = (t / size * 1e6 for t in best_times([model.main, peer], batch))
        ratio = f"{numpys / ours:.2f} times ours"
        print(f"  batch {size:>3}: {ours:6.2f} µs; numpy {numpys:6.2f} µs, {ratio}")

    wrong = []
    if not accuracy >= LEAST_ACCURACY:
        wrong.append(f"accuracy: expected at least {LEAST_ACCURACY}, found {accuracy:.3f}")
    if not difference <= MOST_DIFFERENCE:
        wrong.append(
            "difference between C and interpreter: "
            f"expected at most {MOST_DIFFERENCE}, found {difference}"
        )
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Compiles and runs the digits model.")
    parser.add_argument("--quiet", action="store_true", help="leave out the views of the stages")
    parser.add_argument(
        "--output", type=Path, default=HERE.parents[1] / "build" / "digits", help="where the C goes"
    )
    arguments = parser.parse_args()
    return run_example(lambda: run(arguments.quiet, arguments.output), arguments.output)


if __name__ == "__main__":
    sys.exit(main())
