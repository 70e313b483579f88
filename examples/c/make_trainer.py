"""Write build/trainer.c: a step of training of the classifier's network, its loss, gradients and AdamW."""

from __future__ import annotations

from pathlib import Path

import lowering
from relax_dialect import training
from relax_dialect.builder import BlockBuilder, op, var

x, labels = var("x", shape=["n", 4]), var("labels", shape=["n"], dtype="i64")
w1, b1 = var("w1", shape=[4, 5]), var("b1", shape=[5])
w2, b2 = var("w2", shape=[5, 3]), var("b2", shape=[3])

builder = BlockBuilder()
with builder.function("loss", [x, w1, b1, w2, b2, labels]):
    scores = builder.emit(op.relu(x @ w1 + b1) @ w2 + b2)
    builder.emit_func_output(builder.emit(training.CrossEntropyLoss().of(scores, labels)))
module = builder.get()
optimizer = training.AdamW(training.cosine(0.05, steps=300))
training.make_step(module, "loss", optimizer, parameters=["w1", "b1", "w2", "b2"])
lowering.to_c(module, "trainer").write(Path(__file__).parent / "build")
