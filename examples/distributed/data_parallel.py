"""Train the language model of examples/lm on several ranks: each reads its share of every batch.

    mpirun -n 2 python examples/distributed/data_parallel.py build/distributed

Every rank has all weights. The gradients of all ranks are averaged by one allreduce in each step, so that
all of them make the same update: that of one rank which reads the whole batch.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from launching import report

import lowering
from relax_dialect import training
from relax_dialect.builder import BlockBuilder, Value, op
from relax_dialect.ir.types import TensorType

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "lm"))

import hugging_face  # noqa: E402
from characters import Alphabet, batches  # noqa: E402
from network import Config, add_loss  # noqa: E402

TEXT = HERE.parent / "lm" / "alice.txt"
BATCH, LENGTH = 16, 64
"""The pieces of the text that all ranks read together in a step, and their characters."""
SEED = 1
RATE = training.linear_warmup(50, training.cosine(4e-3, 600, 2e-4))
OPTIMIZER = training.AdamW(RATE, betas=(0.9, 0.99), weight_decay=0.1)


def averaged(bb: BlockBuilder, gradients: Sequence[Value]) -> Sequence[Any]:
    """Average the gradients of all ranks, joined to one row for one allreduce; then clip them."""
    rows = [bb.emit(op.reshape(each, [-1])) for each in gradients]
    ends = np.cumsum([row.shape[0].value for row in rows])[:-1].tolist()
    mean = bb.emit(op.ccl.allreduce(op.concat(rows, axis=0), "avg"))
    parts = bb.emit(op.split(mean, ends))
    shaped = [
        bb.emit(op.reshape(part, g.shape or ())) for part, g in zip(parts, gradients, strict=True)
    ]
    return training.clip_by_norm(1.0)(bb, shaped)


def build(config: Config) -> Any:
    """Build `@loss_step`, a step of training, and `@mean`, which averages a number over all ranks."""
    bb = BlockBuilder()
    add_loss(bb, config)
    with bb.function("mean", {"x": TensorType([], "f32")}) as (x,):
        bb.emit_func_output(bb.emit(op.ccl.allreduce(x, "avg")))
    module = bb.get()
    weights = list(config.shapes())
    training.make_step(module, "loss", OPTIMIZER, parameters=weights, clip=averaged)
    return module


def alphabet() -> Alphabet:
    return Alphabet.of(TEXT.read_text("utf-8"))


def config() -> Config:
    return Config(len(alphabet().characters))


def train(folder: Path, steps: int) -> None:
    """Train on this rank; rank 0 reports the losses of all ranks, and writes the model."""
    model, letters = lowering.load(folder / "step"), alphabet()
    share = BATCH // model.ranks
    own = slice(share * model.rank, share * (model.rank + 1))
    numbers = letters.numbers(TEXT.read_text("utf-8"))
    weights = tuple(config().start(SEED).values())
    state, losses = OPTIMIZER.init(weights), list[float]()
    began = time.perf_counter()
    for text, following in islice(batches(numbers, BATCH, LENGTH, SEED), steps):
        weights, state, loss = model.loss_step(weights, state, text[own], following[own])
        losses.append(float(model.mean(loss)))
    if model.rank == 0:
        hugging_face.save(folder / "model", config(), weights, letters.characters)
        report(folder, {"losses": losses, "seconds": time.perf_counter() - began})


if __name__ == "__main__":
    train(Path(sys.argv[1]), int(sys.argv[2]))
