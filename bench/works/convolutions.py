"""Convolutions of one image, as in image networks; weights are constant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.work import Input, Work


@dataclass(frozen=True)
class Layer:
    """A convolution: channels, square image, filters, kernel."""

    channels: int
    image: int
    filters: int
    kernel: int
    strides: int = 1
    groups: int = 1
    core: bool = False

    @property
    def name(self) -> str:
        strides = f" / {self.strides}" if self.strides > 1 else ""
        kind = " depthwise" if self.groups == self.channels else ""
        filters = f" -> {self.filters}" if self.filters != self.channels else ""
        size = f"{self.kernel}x{self.kernel}{strides}{kind}"
        return f"conv {size}, {self.channels}{filters} x {self.image}"

    @property
    def weight(self) -> np.ndarray:
        shape = self.filters, self.channels // self.groups, self.kernel, self.kernel
        return np.random.default_rng(1).standard_normal(shape, dtype=np.float32)

    @property
    def operations(self) -> int:
        rows = -(-self.image // self.strides)
        return 2 * rows * rows * self.filters * self.channels // self.groups * self.kernel**2


LAYERS = (
    Layer(64, 56, 64, 3, core=True),
    Layer(128, 28, 128, 3),
    Layer(256, 14, 256, 3, core=True),
    Layer(512, 7, 512, 3),
    Layer(64, 56, 128, 3, strides=2, core=True),
    Layer(3, 224, 64, 7, strides=2, core=True),
    Layer(64, 56, 256, 1, core=True),
    Layer(256, 56, 64, 1),
    Layer(128, 56, 128, 3, groups=128, core=True),
    Layer(128, 56, 128, 3, strides=2, groups=128),
)


def work(layer: Layer) -> Work:
    """Build the layer's row: for one image of this size, and for any number of any size."""
    weight = layer.weight

    def network(o: Any, x: Any) -> Any:
        w, padding = o.const(weight), layer.kernel // 2
        return o.conv2d(x, w, strides=layer.strides, padding=padding, groups=layer.groups)

    inputs = (Input(("n", layer.channels, "h", "w")),)
    sizes = {"n": 1, "h": layer.image, "w": layer.image}
    return Work(layer.name, network, inputs, sizes, layer.operations, layer.core)


def _works() -> Iterator[Work]:
    yield from map(work, LAYERS)


WORKS = tuple(_works())
