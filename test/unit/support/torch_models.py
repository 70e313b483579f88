"""Models of PyTorch with random weights: each with example inputs, symbolic sizes, and inputs of other sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from optional import package

torch = package("torch")
nn, F = torch.nn, torch.nn.functional
Dim = torch.export.Dim


@dataclass(frozen=True)
class Example:
    """A model, and inputs that it is called with; the first are exported."""

    model: Any
    inputs: Sequence[tuple[Any, ...]]
    dynamic_shapes: Any

    def exported(self) -> Any:
        return torch.export.export(self.model, self.inputs[0], dynamic_shapes=self.dynamic_shapes)


def images(model: Any, size: int, channels: int = 3) -> Example:
    inputs = [(torch.randn(n, channels, size, size),) for n in (2, 1, 3)]
    return Example(model, inputs, ({0: Dim("n")},))


def texts(model: Any, words: int = 50) -> Example:
    sizes = ((2, 7), (1, 4), (3, 12))
    inputs = [(torch.randint(0, words, size),) for size in sizes]
    return Example(model, inputs, ({0: Dim("n"), 1: Dim("t", min=2, max=64)},))


class MLP(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))

    def forward(self, x: Any) -> Any:
        return self.layers(x).softmax(-1)


class CNN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.apart = nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=8)
        self.head = nn.Linear(8, 5)

    def forward(self, x: Any) -> Any:
        x = F.max_pool2d(F.relu6(self.norm(self.first(x)), inplace=True), 2)
        return self.head(F.hardswish(self.apart(x)).mean((2, 3)))


class ResidualBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.Conv2d(8, 8, 3, 1, 1, bias=False)
        self.norm_a, self.norm_b = nn.BatchNorm2d(8), nn.BatchNorm2d(8)
        self.short = nn.Conv2d(3, 8, 1, 2)

    def forward(self, x: Any) -> Any:
        y = self.norm_b(self.b(F.relu_(self.norm_a(self.a(x)))))
        y += self.short(x)
        return F.adaptive_avg_pool2d(F.relu(y), 1).flatten(1)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 16)
        layer = nn.TransformerEncoderLayer(
            16, 4, 32, dropout=0.1, batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, ids: Any) -> Any:
        return self.layers(self.words(ids))


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 8)
        self.memory = nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(12, 5)

    def forward(self, ids: Any) -> Any:
        found, (h, _) = self.memory(self.words(ids))
        return self.head(found), h


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down, self.deep = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
        self.up, self.last = nn.ConvTranspose2d(8, 4, 2, 2), nn.Conv2d(8, 2, 1)
        self.norm = nn.GroupNorm(2, 8)

    def forward(self, x: Any) -> Any:
        wide = F.silu(self.down(x))
        deep = F.silu(self.norm(self.deep(F.avg_pool2d(wide, 2))))
        return self.last(torch.cat([wide, self.up(deep)], 1)) + F.interpolate(
            deep[:, :2], scale_factor=2, mode="bilinear"
        )


class ViT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 4, 4)
        self.token = nn.Parameter(torch.randn(1, 1, 16))
        self.places = nn.Parameter(torch.randn(1, 17, 16))
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.norm = nn.LayerNorm(16)

    def forward(self, x: Any) -> Any:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        y = self.norm(x)
        return (x + self.attention(y, y, y, need_weights=False)[0])[:, 0]


class Decoder(nn.Module):
    """A layer of Llama's kind: RMS norms, rotary embeddings, grouped heads, a gated MLP."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.norms = nn.ModuleList([nn.RMSNorm(16) for _ in range(2)])
        self.q, self.k, self.v = (nn.Linear(16, width, bias=False) for width in (16, 8, 8))
        self.o, self.gate, self.up, self.down = (
            nn.Linear(*sizes, bias=False) for sizes in ((16, 16), (16, 32), (16, 32), (32, 16))
        )
        self.register_buffer("steps", 1.0 / 100.0 ** (torch.arange(0, 4, 2) / 4))

    def turned(self, x: Any) -> Any:
        angles = torch.outer(torch.arange(x.shape[2]), self.steps)
        cos, sin = (torch.cat([f(angles)] * 2, -1) for f in (torch.cos, torch.sin))
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    def forward(self, ids: Any) -> Any:
        x = self.words(ids)
        y = self.norms[0](x)
        q, k, v = (f(y).unflatten(-1, (-1, 4)).transpose(1, 2) for f in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(
            self.turned(q), self.turned(k), v, is_causal=True, enable_gqa=True
        )
        x = x + self.o(y.transpose(1, 2).flatten(2))
        y = self.norms[1](x)
        return (x + self.down(F.silu(self.gate(y)) * self.up(y))) @ self.words.weight.t()


class Graph(nn.Module):
    """A graph convolution: sums of the features of neighbours."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(6, 4)

    def forward(self, x: Any, edges: Any) -> Any:
        messages = self.layer(x)[edges[0]]
        return torch.zeros(x.shape[0], 4).index_add(0, edges[1], messages)


class Choice(nn.Module):
    """Branches and a selection by data."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: Any) -> Any:
        y = torch.cond(x.sum() > 0, lambda a: self.layer(a), lambda a: a.cos(), (x,))
        return y, y[y[:, 0] > 0]


def graphs() -> Example:
    inputs = [
        (torch.randn(n, 6), torch.randint(0, n, (2, count)))
        for n, count in ((5, 9), (4, 3), (7, 20))
    ]
    return Example(Graph(), inputs, ({0: Dim("n")}, {1: Dim("edges")}))


def sequences(model: Any) -> Example:
    """PyTorch takes the number of steps of an LSTM as fixed."""
    inputs = [(torch.randint(0, 50, (n, 7)),) for n in (2, 1, 3)]
    return Example(model, inputs, ({0: Dim("n")},))


def vectors(model: Any) -> Example:
    inputs = [(torch.randn(n, 8),) for n in (3, 1, 6)]
    return Example(model, inputs, ({0: Dim("n")},))


MODELS: Mapping[str, Callable[[], Example]] = {
    "mlp": lambda: vectors(MLP()),
    "cnn": lambda: images(CNN(), 12),
    "residual": lambda: images(ResidualBlock(), 12),
    "encoder": lambda: texts(Encoder()),
    "tagger": lambda: sequences(Tagger()),
    "unet": lambda: images(UNet(), 8),
    "vit": lambda: images(ViT(), 16),
    "decoder": lambda: texts(Decoder()),
    "graph": graphs,
    "choice": lambda: vectors(Choice()),
}


def made(name: str) -> Example:
    """A model in inference, with the statistics of its own inputs in its norms."""
    torch.manual_seed(0)
    example = MODELS[name]()
    norms = [m for m in example.model.modules() if isinstance(m, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None
    with torch.no_grad():
        example.model(*example.inputs[0])
    example.model.eval()
    return example
