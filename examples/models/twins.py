"""The networks of `models.py` in PyTorch, with the same weights under the same names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn


class EncoderBlock(nn.TransformerEncoderLayer):
    """PyTorch's block, whose mask is true at masked elements."""

    def __init__(self, width: int, heads: int, forward: int):
        super().__init__(width, heads, forward, dropout=0, activation="gelu", batch_first=True)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return super().forward(x, src_key_padding_mask=~mask)


class ResidualBlock(nn.Module):
    """Two convolutions and a shortcut around them, between two pools."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        shortcut = nn.Conv2d(inputs, outputs, 1, stride=2, bias=False)
        self.downsample = nn.Sequential(shortcut, nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool2d(x, 3, 2, 1)
        y = torch.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return torch.relu(y + self.downsample(x)).mean(dim=(2, 3))


class Tagger(nn.Module):
    """A bidirectional LSTM, and an affine map of its outputs."""

    def __init__(self, inputs: int, hidden: int, tags: int):
        super().__init__()
        self.lstm = nn.LSTM(inputs, hidden, bidirectional=True)
        self.tags = nn.Linear(2 * hidden, tags)

    def forward(self, x: Tensor) -> Tensor:
        return torch.log_softmax(self.tags(self.lstm(x)[0]), -1)


TWINS: dict[str, Callable[[], nn.Module]] = {
    "encoder_block": lambda: EncoderBlock(width=32, heads=4, forward=64),
    "residual_block": lambda: ResidualBlock(inputs=8, outputs=16),
    "tagger": lambda: Tagger(inputs=12, hidden=24, tags=5),
}


LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "encoder_block": nn.functional.mse_loss,
    "residual_block": nn.functional.cross_entropy,
    "tagger": lambda found, tags: nn.functional.nll_loss(found.flatten(0, 1), tags.flatten()),
}


def with_weights(network: nn.Module, weights: Mapping[str, np.ndarray]) -> nn.Module:
    """Load these weights into the network."""
    state: dict[str, Any] = {name: torch.tensor(array) for name, array in weights.items()}
    counters = [name for name in network.state_dict() if name.endswith("num_batches_tracked")]
    network.load_state_dict({**state, **dict.fromkeys(counters, torch.tensor(0))})
    return network


def twin(network: nn.Module, weights: Mapping[str, np.ndarray]) -> Callable[..., np.ndarray]:
    """Return the network with these weights in evaluation mode as a function of arrays."""
    with_weights(network, weights).eval()

    def call(*arrays: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return network(*map(torch.tensor, arrays)).numpy()

    return call


def losses(
    name: str,
    weights: Mapping[str, np.ndarray],
    optimizer: Callable[[Iterator[nn.Parameter]], torch.optim.Optimizer],
    batches: Iterable[Sequence[np.ndarray]],
) -> Iterator[float]:
    """Yield the loss of every training step: a batch holds the inputs and the target."""
    network = with_weights(TWINS[name](), weights).train()
    chosen = optimizer(network.parameters())
    for batch in batches:
        *inputs, target = map(torch.tensor, batch)
        chosen.zero_grad()
        loss = LOSSES[name](network(*inputs), target)
        loss.backward()
        chosen.step()
        yield loss.item()
