"""Train the digits model by compiled C: loss, gradients and AdamW are one function of a program.

    pip install -e '.[train]' && python examples/digits/train.py [--epochs 120] [--seed 7]

Writes `digits.mlir`, `held_out.npz` and `loss.svg` to build/train; `--output examples/digits` writes the
committed files again, on the same kind of processor byte for byte. scikit-learn carries the images, and
does nothing else.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from curve import in_svg, in_terminal
from program import PIXEL_SCALE, text
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.runtime.loading import CompiledModule
from lowering.support.progress import report
from lowering.tools.common import run_example
from lowering.tools.progress_bar import above_the_bar, progress_bar
from relax_dialect import RelaxError, training
from relax_dialect.builder import BlockBuilder, op, var

ROOT = Path(__file__).resolve().parents[2]
SIZES = (64, 128, 64, 10)
SPLIT_SEED, HELD_OUT, VALIDATION = 2024, 0.2, 0.15
BATCH = 32
OPTIMIZER = training.AdamW(1e-3, weight_decay=0.1)

Weights = tuple[np.ndarray, ...]


class Images(NamedTuple):
    """Images, their pixels from 0 to 1, and their digits."""

    x: np.ndarray
    labels: np.ndarray

    def __getitem__(self, chosen: np.ndarray) -> Images:  # pyright: ignore
        return Images(self.x[chosen], self.labels[chosen])


def network() -> ModuleOp:
    """Build `@scores` of images, `@loss`, and `@step` of training, for every size of a batch."""
    bb = BlockBuilder()
    parameters = {"x": var("x", shape=["n", SIZES[0]])}
    for i, (inputs, outputs) in enumerate(pairwise(SIZES), 1):
        parameters[f"w{i}"] = var(f"w{i}", shape=[inputs, outputs])
        parameters[f"b{i}"] = var(f"b{i}", shape=[outputs])
    value, *weights = parameters.values()
    with bb.function("scores", list(parameters.values())):
        with bb.dataflow():
            for w, b in zip(weights[::2], weights[1::2]):
                value = op.relu(value) if w is not weights[0] else value  # pyright: ignore
                value = value @ w + b
            scores = bb.emit_output(value, "scores")
        bb.emit_func_output(scores)
    module = bb.get()
    training.append_loss(module, "scores", training.CrossEntropyLoss(), "loss")
    names = [name for name in parameters if name != "x"]
    training.make_step(module, "loss", OPTIMIZER, parameters=names, name="step")
    return module


def stratified(labels: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return indices of the rest and of a random `share` of every class (rounded up), both sorted."""
    rng = np.random.default_rng(seed)
    chosen = []
    for digit in range(10):
        members = rng.permutation(np.flatnonzero(labels == digit))
        chosen.append(members[: int(np.ceil(share * len(members)))])
    taken = np.sort(np.concatenate(chosen))
    return np.setdiff1d(np.arange(len(labels)), taken), taken


def initial(rng: np.random.Generator) -> Weights:
    """Draw He's initialisation: normal weights of variance 2 / inputs, zero biases."""
    return tuple(
        array
        for i, o in pairwise(SIZES)
        for array in (
            (rng.standard_normal((i, o)) * np.sqrt(2 / i)).astype(np.float32),
            np.zeros(o, np.float32),
        )
    )


def epochs(
    model: CompiledModule, images: Images, count: int, seed: int
) -> Iterator[tuple[Weights, float]]:
    """Train; yields, after every epoch, the weights, which are updated in place, and the mean loss of its
    batches."""
    rng = np.random.default_rng(seed)
    weights = initial(rng)
    state = OPTIMIZER.init(weights)
    for _ in range(count):
        order, losses = rng.permutation(len(images.labels)), []
        for start in range(0, len(order), BATCH):
            batch = images[order[start : start + BATCH]]
            *_, loss = model.step(weights, state, batch.x, batch.labels)
            losses.append(float(loss))
        yield weights, float(np.mean(losses))


def chosen_epochs(
    model: CompiledModule, images: Images, most: int, seed: int
) -> tuple[int, dict[str, list[float]]]:
    """Return the number of epochs with the least validation loss, and the losses of all epochs."""
    inner, validation = stratified(images.labels, VALIDATION, SPLIT_SEED)
    held = images[validation]
    curves: dict[str, list[float]] = {"training": [], "validation": []}
    for epoch, (weights, loss) in enumerate(epochs(model, images[inner], most, seed), 1):
        curves["training"].append(loss)
        curves["validation"].append(float(model.loss(held.x, *weights, held.labels)))
        report(f"epoch {epoch}, validation loss {curves['validation'][-1]:.4f}", epoch, most)
    return int(np.argmin(curves["validation"])) + 1, curves


def load() -> tuple[np.ndarray, np.ndarray]:
    """Return the pixels, 0 to 16, and the digits of all images."""
    try:
        from sklearn.datasets import load_digits  # pyright: ignore
    except ImportError:
        raise RelaxError(
            "the images: expected scikit-learn, which carries them, found none; install it with "
            "pip install -e '.[train]'"
        ) from None
    return load_digits(return_X_y=True)  # pyright: ignore


def run(most: int, seed: int, folder: Path) -> None:
    """Choose the number of epochs by validation, train on all but the held-out images, write and report."""
    pixels, labels = (array.astype(np.uint8) for array in load())
    images = Images(pixels.astype(np.float32) * PIXEL_SCALE, labels.astype(np.int64))
    rest, held_out = stratified(labels, HELD_OUT, SPLIT_SEED)
    with progress_bar():
        start = time.perf_counter()
        model = lowering.compile(network(), "digits_training")
        seconds = time.perf_counter() - start
        with above_the_bar():
            print(f"compiled in {seconds:.1f} s: loss, gradients and AdamW in one step", flush=True)
        start = time.perf_counter()
        count, curves = chosen_epochs(model, images[rest], most, seed)
        weights: Weights = ()
        for epoch, (weights, loss) in enumerate(epochs(model, images[rest], count, seed), 1):  # noqa: B007
            report(f"epoch {epoch} with all images, loss {loss:.4f}", epoch, count)
    seconds = time.perf_counter() - start
    print("\n".join(in_terminal(curves)))
    print(f"least validation loss {min(curves['validation']):.4f} after {count} epochs")
    found = model.scores(images[held_out].x, *weights).argmax(axis=1)
    score = float((found == labels[held_out]).mean())
    print(f"trained on {len(rest)} images; {most + count} epochs took {seconds:.1f} s")
    print(f"accuracy on {len(held_out)} held-out images: {score:.4f}")
    note = f"trained on {len(rest)} images, accuracy {score:.4f} on the {len(held_out)} held out"
    (folder / "digits.mlir").write_text(text(weights, note), encoding="utf-8")
    (folder / "loss.svg").write_text(in_svg("Loss while the digits are learnt", curves), "utf-8")
    np.savez(folder / "held_out.npz", images=pixels[held_out], labels=labels[held_out])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=120, help="at most so many (default: 120)")
    parser.add_argument(
        "--seed", type=int, default=7, help="of the first weights and of the batches"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "train", help="a folder")
    options = parser.parse_args()
    if options.epochs < 1 or options.seed < 0:
        parser.error("expected 1 epoch at least, and a seed of 0 or more")
    return run_example(lambda: run(options.epochs, options.seed, options.output), options.output)


if __name__ == "__main__":
    sys.exit(main())
