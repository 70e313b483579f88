"""Write with a decoder on several ranks, each of which has a share of its attention heads and inner units.

    mpirun -n 2 python examples/distributed/tensor_parallel.py build/distributed "Alice was"

As in Megatron-LM (Shoeybi and others, 2019) the first linear maps of a part are cut by outputs, the last
one by inputs, and the partial sums of the ranks are added: two allreduces in each layer.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from launching import report

import lowering
from relax_dialect import RelaxError, nn
from relax_dialect.builder import op
from relax_dialect.nn.checkpoint import CONFIG, read_json, read_weights
from relax_dialect.nn.exporting import control_flow
from relax_dialect.nn.families.llama import Llama, LlamaLayer
from relax_dialect.nn.layers import Linear

CUT = {
    **dict.fromkeys(("q_proj", "k_proj", "v_proj", "gate_proj", "up_proj"), 0),
    **dict.fromkeys(("o_proj", "down_proj"), 1),
}
"""The axes along which ranks share the weights of linear maps; they have all others whole."""
SHARED = ("num_attention_heads", "num_key_value_heads", "intermediate_size")
CHARACTERS = 60


class SummedLinear(Linear):
    """A linear map whose inputs ranks share: their partial sums are added."""

    def forward(self, x: Any) -> Any:
        return op.ccl.allreduce(super().forward(x))


class Share(Llama):
    """The share of a decoder that a rank has."""

    def __init__(self, config: Mapping[str, Any], ranks: int):
        if odd := [name for name in SHARED if config[name] % ranks]:
            raise RelaxError(
                f"config.json: expected {odd[0]} to be a multiple of {ranks} ranks, found "
                f"{config[odd[0]]}; start fewer ranks"
            )
        super().__init__({**config, **{name: config[name] // ranks for name in SHARED}})
        for layer in self.layers:
            assert isinstance(layer, LlamaLayer)
            for part, name in ((layer.self_attn, "o_proj"), (layer.mlp, "down_proj")):
                outputs, inputs = getattr(part, name).weight.shape
                setattr(part, name, SummedLinear(inputs, outputs, bias=False))

    @control_flow
    def decode(self, tokens: Any, cache: Any) -> Any:
        """Return the scores of the next character; communication keeps its order."""
        return super().decode(tokens, cache)


def build(folder: Path, ranks: int) -> Any:
    """Build `@decode` for the share of one of so many ranks, whose weights are parameters."""
    share = Share(read_json(folder / "model", CONFIG), ranks)
    return nn.export(share, share.spec("decode"), weights="parameters")


def own_weights(share: Share, folder: Path, rank: int, ranks: int) -> list[np.ndarray]:
    """Read the parts of a checkpoint that a rank has, in the order of the parameters."""
    arrays = share.renamed(read_weights(folder))
    found: list[np.ndarray] = []
    for name, _ in share.named_parameters():
        axis = next((axis for part, axis in CUT.items() if f".{part}." in name), None)
        whole = arrays[name]
        part = whole if axis is None else np.split(whole, ranks, axis)[rank]
        found.append(np.ascontiguousarray(part))
    return found


def write(folder: Path, start: str) -> None:
    """Continue a text by the likeliest characters; rank 0 reports it."""
    probe = lowering.load(folder / "step")
    rank, ranks = probe.rank, probe.ranks
    model = lowering.load(folder / f"decode{ranks}")
    share = Share(read_json(folder / "model", CONFIG), ranks)
    weights = own_weights(share, folder / "model", rank, ranks)
    numbers = json.loads((folder / "model" / "tokenizer.json").read_text())["model"]["vocab"]
    letters = {number: letter for letter, number in numbers.items()}
    text, read = start, np.array([[numbers[letter] for letter in start]])
    arrays, past = share.cache().empty(len(start) + CHARACTERS), 0
    for _ in range(CHARACTERS):
        scores, *_ = model.decode(read, past, *arrays, *weights)
        past += read.shape[1]
        read = np.argmax(scores, axis=-1)[:, None]
        text += letters[int(read[0, 0])]
    if rank == 0:
        held = sum(array.nbytes for array in weights)
        report(folder, {"text": text, "bytes": held})


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2])
