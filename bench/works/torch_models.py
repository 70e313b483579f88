"""Models in PyTorch, small and with random weights: our own definitions, and some of `transformers`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

Made = tuple[nn.Module, Sequence[Tensor]]
"""A model, and the arguments of a call."""


def words(*sizes: int, count: int = 1000) -> Tensor:
    return torch.randint(0, count, sizes)


def mlp() -> Made:
    layers = (nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    return nn.Sequential(*layers), [torch.randn(32, 256)]


def block(inner: int, outer: int, stride: int = 1) -> nn.Sequential:
    """Return two convolutions with norms."""
    return nn.Sequential(
        nn.Conv2d(inner, outer, 3, stride, 1, bias=False),
        nn.BatchNorm2d(outer),
        nn.ReLU(),
        nn.Conv2d(outer, outer, 3, padding=1, bias=False),
        nn.BatchNorm2d(outer),
        nn.ReLU(),
    )


def conv_block() -> Made:
    return block(32, 64), [torch.randn(1, 32, 56, 56)]


class UNet(nn.Module):
    """Three levels of convolutions, joined by skips."""

    def __init__(self, width: int = 16):
        super().__init__()
        self.first, self.second, self.third = (
            block(3, width),
            block(width, 2 * width),
            block(2 * width, 4 * width),
        )
        self.pool = nn.MaxPool2d(2)
        self.up2 = nn.ConvTranspose2d(4 * width, 2 * width, 2, 2)
        self.up1 = nn.ConvTranspose2d(2 * width, width, 2, 2)
        self.back2, self.back1 = block(4 * width, 2 * width), block(2 * width, width)
        self.last = nn.Conv2d(width, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        first = self.first(x)
        second = self.second(self.pool(first))
        x = self.up2(self.third(self.pool(second)))
        x = self.up1(self.back2(torch.cat([second, x], 1)))
        return self.last(self.back1(torch.cat([first, x], 1)))


def u_net() -> Made:
    return UNet(), [torch.randn(1, 3, 64, 64)]


class Tagger(nn.Module):
    """Words to tags by a recurrent network."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(1000, 128)
        self.lstm = nn.LSTM(128, 128, 2, batch_first=True)
        self.tags = nn.Linear(128, 20)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.tags(self.lstm(self.words(tokens))[0])


def lstm() -> Made:
    return Tagger(), [words(4, 32)]


def encoder_layer() -> Made:
    return nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True), [torch.randn(1, 128, 256)]


class Recommender(nn.Module):
    """Dense and sparse features, and products of all pairs (DLRM)."""

    def __init__(self, fields: int = 8, width: int = 32):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(1000, width) for _ in range(fields))
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, width), nn.ReLU())
        pairs = fields * (fields + 1) // 2
        self.top = nn.Sequential(nn.Linear(pairs + width, 128), nn.ReLU(), nn.Linear(128, 1))
        self.rows, self.columns = torch.tril_indices(fields + 1, fields + 1, -1)

    def forward(self, dense: Tensor, sparse: Tensor) -> Tensor:
        dense = self.bottom(dense)
        rows = [dense, *(table(sparse[:, i]) for i, table in enumerate(self.tables))]
        x = torch.stack(rows, 1)
        products = x @ x.transpose(1, 2)
        return self.top(torch.cat([dense, products[:, self.rows, self.columns]], 1))


def dlrm() -> Made:
    return Recommender(), [torch.randn(64, 13), words(64, 8)]


class Autoencoder(nn.Module):
    """An image to the parameters of a normal distribution, and back from its mean (VAE)."""

    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(
            nn.Conv2d(1, 32, 4, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 4, 2, 1), nn.ReLU()
        )
        self.mean, self.scale = nn.Linear(64 * 49, 20), nn.Linear(64 * 49, 20)
        self.start = nn.Linear(20, 64 * 49)
        self.up = nn.Sequential(
            nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(32, 1, 4, 2, 1)
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        inner = self.down(x).flatten(1)
        mean = self.mean(inner)
        return torch.sigmoid(self.up(self.start(mean).view(-1, 64, 7, 7))), mean, self.scale(inner)


def vae() -> Made:
    return Autoencoder(), [torch.randn(8, 1, 28, 28)]


def _sizes(width: int, heads: int) -> Any:
    """Return the sizes of a transformer of four layers."""
    return {
        "hidden_size": width,
        "num_hidden_layers": 4,
        "num_attention_heads": heads,
        "intermediate_size": 4 * width,
    }


def bert() -> Made:
    from transformers import BertConfig, BertModel

    config = BertConfig(vocab_size=1000, **_sizes(256, 4))
    return BertModel(config), [words(1, 128)]


def gpt2() -> Made:
    from transformers import GPT2Config, GPT2Model

    config = GPT2Config(vocab_size=1000, n_embd=256, n_layer=4, n_head=4, use_cache=False)
    return GPT2Model(config), [words(1, 64)]


def vit() -> Made:
    from transformers import ViTConfig, ViTModel

    return ViTModel(ViTConfig(**_sizes(192, 3))), [torch.randn(1, 3, 224, 224)]


def resnet() -> Made:
    from transformers import ResNetConfig, ResNetModel

    sizes: Any = {"hidden_sizes": [64, 128, 256, 512], "depths": [2, 2, 2, 2]}
    return ResNetModel(ResNetConfig(layer_type="basic", embedding_size=64, **sizes)), [
        torch.randn(1, 3, 224, 224)
    ]


def mobilenet() -> Made:
    from transformers import MobileNetV2Config, MobileNetV2Model

    return MobileNetV2Model(MobileNetV2Config()), [torch.randn(1, 3, 224, 224)]


MODELS: Mapping[str, Callable[[], Made]] = {
    "MLP, 32 rows": mlp,
    "convolutions, 56 x 56": conv_block,
    "U-Net, 64 x 64": u_net,
    "LSTM tagger, 4 x 32": lstm,
    "encoder layer, 128": encoder_layer,
    "DLRM, 64 rows": dlrm,
    "VAE, 8 images": vae,
    "BERT, 4 layers, 128": bert,
    "GPT-2, 4 layers, 64": gpt2,
    "ViT, 4 layers": vit,
    "ResNet-18": resnet,
    "MobileNet v2": mobilenet,
}
"""The models by name."""
