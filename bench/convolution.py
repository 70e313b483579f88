"""Direct convolutions beside a peer's: PyTorch's if it is installed, else numpy's product of windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region

import lowering
from bench.measuring import Table, side_by_side
from lowering.runtime import CompiledModule
from relax_dialect.ops.convolution import Conv2dOp
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.types import TensorType

LEAST_SPEED = 2
"""GF/s of every convolution."""

Sizes = tuple[int | str, ...]


@dataclass(frozen=True)
class Layer:
    """A convolution of networks for images: channels, square image, filters, kernel."""

    name: str
    channels: int
    image: int
    filters: int
    kernel: int
    strides: int = 1
    groups: int = 1

    @property
    def padding(self) -> int:
        return self.kernel // 2

    @property
    def weight(self) -> tuple[int, int, int, int]:
        return self.filters, self.channels // self.groups, self.kernel, self.kernel

    def shape(self, layout: str, *, symbolic: bool = False) -> Sizes:
        """The sizes of a batch of one; with `symbolic` batch and image have none."""
        if symbolic:
            sizes: dict[str, int | str] = {"N": "n", "H": "h", "W": "w", "C": self.channels}
        else:
            sizes = {"N": 1, "H": self.image, "W": self.image, "C": self.channels}
        return tuple(sizes[letter] for letter in layout)

    def compiled(self, layout: str, *, symbolic: bool = False) -> CompiledModule:
        """The convolution as a program of its own."""
        shapes = self.shape(layout, symbolic=symbolic), self.weight
        types = [TensorType(shape, "f32") for shape in shapes]
        block = Block(arg_types=types)
        x, w = block.args
        op = Conv2dOp(x, w, self.strides, self.padding, 1, self.groups, layout)
        block.add_ops([op, ReturnOp(op.result)])
        return lowering.compile(ModuleOp([FuncOp("main", types, op.result.type, Region(block))]))


LAYERS = (
    Layer("3x3", 64, 56, 64, 3),
    Layer("3x3", 256, 14, 256, 3),
    Layer("3x3, stride 2", 64, 56, 128, 3, strides=2),
    Layer("1x1", 64, 56, 256, 1),
    Layer("7x7, stride 2", 3, 224, 64, 7, strides=2),
    Layer("3x3, 4 groups", 64, 56, 64, 3, groups=4),
    Layer("3x3 depthwise", 128, 56, 128, 3, groups=128),
    Layer("3x3 depthwise, stride 2", 128, 56, 128, 3, strides=2, groups=128),
)


def numpys(layer: Layer, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The windows of every group as a matrix, times the filters of the group."""
    around = (layer.padding, layer.padding)
    padded = np.pad(x, [(0, 0), (0, 0), around, around])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (layer.kernel,) * 2, (2, 3))
    windows = windows[0, :, :: layer.strides, :: layer.strides]
    c, h, width = windows.shape[:3]
    columns = windows.reshape(layer.groups, c // layer.groups, h * width, -1).swapaxes(1, 2)
    filters = w.reshape(layer.groups, len(w) // layer.groups, -1)
    products = columns.reshape(layer.groups, h * width, -1) @ filters.swapaxes(1, 2)
    return products.swapaxes(1, 2).reshape(1, len(w), h, width)


def peer(layer: Layer) -> tuple[str, Callable[[np.ndarray, np.ndarray], np.ndarray]]:
    """The name of the peer, and its convolution of arrays in NCHW."""
    if find_spec("torch") is None:
        return "numpy", partial(numpys, layer)
    import torch

    torch.set_num_threads(1)

    def torchs(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        images, filters = map(torch.from_numpy, (x, w))
        numbers = (layer.strides, layer.padding, 1, layer.groups)
        return torch.nn.functional.conv2d(images, filters, None, *numbers).numpy()

    return "PyTorch", torchs


def convolution() -> Table:
    """Convolutions of one image, with channels first and last, and of images of any size."""
    kinds = ("NCHW", "NHWC", "NCHW symbolic")
    beside = peer(LAYERS[0])[0]
    rates_of = [f"{kind} GF/s" for kind in (beside, *kinds)]
    what = ("convolution", "channels", "image")
    table = Table("conv2d, f32, one image", (*what, *rates_of, f"NCHW / {beside}", "met"))
    rng = np.random.default_rng(0)
    for layer in LAYERS:
        _, run_peer = peer(layer)
        w = rng.standard_normal(layer.weight, dtype=np.float32)
        x = rng.standard_normal((1, layer.channels, layer.image, layer.image), dtype=np.float32)
        last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        first, symbolic = (layer.compiled("NCHW", symbolic=s) for s in (False, True))
        models = [
            partial(run_peer, x, w),
            partial(first.main, x, w),
            partial(layer.compiled("NHWC").main, last, w),
            partial(symbolic.main, x, w),
        ]
        y = models[0]()
        for model, found in zip(models, ("nchw", "nchw", "nhwc", "nchw")):
            result = model() if found == "nchw" else model().transpose(0, 3, 1, 2)
            np.testing.assert_allclose(result, y, rtol=1e-3, atol=1e-3)
        operations = 2 * y.size * np.prod(layer.weight[1:])
        rates = [operations / t / 1e9 for t in side_by_side(models)]
        shape = (layer.name, layer.channels, layer.image)
        met = table.limit(f"GF/s of {shape}", min(rates[1:]), at_least=LEAST_SPEED)
        table.rows.append((*shape, *rates, rates[1] / rates[0], met))
    return table
