"""Recurrent networks in tiles against PyTorch: weights packed ahead, or before the loop over steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED, package
from tiny_tiles import use_tiny_tiles

import lowering
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType

torch = package("torch")

GATES = {"rnn": 1, "gru": 3, "lstm": 4}
PEERS = {"rnn": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}
INPUTS = 5


@dataclass(frozen=True)
class Network:
    """A recurrent network of PyTorch, and how its weights come to ours."""

    kind: str
    hidden: int
    both: bool = False
    """In both directions."""
    constant: bool = True
    """Whether the weights are constants; else they are arguments, and all sizes are symbolic."""
    cell: bool = False

    @property
    def name(self) -> str:
        words = [self.kind, str(self.hidden), *(w for w in ("both", "cell") if getattr(self, w))]
        return "_".join([*words, "constant" if self.constant else "arguments"])

    @cache  # noqa: B019
    def peer(self) -> Any:
        torch.manual_seed(self.hidden)
        return PEERS[self.kind](INPUTS, self.hidden, bidirectional=self.both)

    def weights(self) -> list[np.ndarray]:
        """w_ih, w_hh, b_ih and b_hh."""
        found = [[w.detach().numpy() for w in direction] for direction in self.peer().all_weights]
        return [np.stack(each)[0 if self.cell else ...] for each in zip(*found)]

    def emit(self, builder: BlockBuilder) -> None:
        """Our function of that name: of x, the states, and the weights if they are arguments."""
        lead = [] if self.cell else [1 + self.both]
        k = self.hidden if self.constant else "k"
        rows = self.hidden * GATES[self.kind] if self.constant else f"{GATES[self.kind]} * k"
        shapes = [["n", INPUTS] if self.cell else ["l", "n", INPUTS]]
        shapes += [[*lead, "n", k]] * (1 + (self.kind == "lstm"))
        if not self.constant:
            shapes += [[*lead, rows, INPUTS], [*lead, rows, k], [*lead, rows], [*lead, rows]]
        types = {f"x{i}": TensorType(shape, "f32") for i, shape in enumerate(shapes)}
        with builder.function(self.name, types) as values:
            weights = map(const, self.weights()) if self.constant else ()
            if self.cell:
                made = getattr(op, f"{self.kind}_cell")(*values, *weights)
            else:
                direction = "bidirectional" if self.both else "forward"
                made = getattr(op, self.kind)(*values, *weights, direction=direction)
            builder.emit_func_output(builder.emit(made))

    def check(self, model: Any, length: int, batch: int) -> None:
        random = np.random.default_rng(length * batch)
        length = 1 if self.cell else length
        shapes = [(length, batch, INPUTS)]
        shapes += [(1 + self.both, batch, self.hidden)] * (1 + (self.kind == "lstm"))
        arrays = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
        x, *states = map(torch.from_numpy, arrays)
        with torch.no_grad():
            output, last = self.peer()(x, states[0] if self.kind != "lstm" else tuple(states))
        expected = [output, *(last if self.kind == "lstm" else [last])][self.cell :]
        own = [array[0] for array in arrays] if self.cell else arrays
        results = model[self.name](*own, *([] if self.constant else self.weights()))
        results = results if isinstance(results, tuple) else (results,)
        assert len(results) == len(expected)
        for result, theirs in zip(results, expected):
            theirs = theirs.numpy()[0 if self.cell else ...]
            np.testing.assert_allclose(result, theirs, rtol=1e-4, atol=1e-5)


NETWORKS = [
    *(Network("lstm", hidden) for hidden in (1, 7, 16, 17)),
    *(Network(kind, hidden) for kind, hidden in (("gru", 7), ("gru", 16), ("rnn", 17))),
    *(Network(kind, hidden=7, constant=False) for kind in GATES),
    Network("lstm", 7, both=True),
    Network("gru", 17, both=True, constant=False),
    Network("gru", 17, cell=True),
    Network("gru", 16, cell=True, constant=False),
    Network("lstm", 7, cell=True),
]


@cache
def compiled() -> Any:
    """All networks as one library, in tiny tiles."""
    builder = BlockBuilder()
    for network in NETWORKS:
        network.emit(builder)
    with pytest.MonkeyPatch.context() as patch:
        use_tiny_tiles(patch)
        return lowering.compile(builder.get(), "networks", extra_flags=UNOPTIMISED, cache=False)


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_one_artifact_for_all_sizes(network: Network):
    for length, batch in ((1, 1), (4, 3), (3, 16), (2, 0)):
        network.check(compiled(), length, batch)


def test_tiles_of_this_machine():
    builder, network = BlockBuilder(), Network("lstm", 256)
    network.emit(builder)
    model = lowering.compile(builder.get(), "network", extra_flags=UNOPTIMISED, cache=False)
    for batch in (1, 3, 16):
        network.check(model, 4, batch)
