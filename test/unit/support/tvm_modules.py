"""Modules as TVM's own front ends make them: from PyTorch, ONNX, `relax.frontend.nn`, `relax.testing`.

`modules()` yields them with names: small networks and single operators, static and symbolic sizes, and some of
them after TVM's passes. What a front end cannot import is left out. Needs tvm, torch and onnx; written for TVM 0.27.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tvm  # pyright: ignore[reportMissingImports]
import tvm_ffi  # pyright: ignore[reportMissingImports]
from tvm import relax  # pyright: ignore[reportMissingImports]
from tvm.relax.frontend import nn  # pyright: ignore[reportMissingImports]

Named = tuple[str, Any]
"""A module and its name."""

UNARY = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "exp",
    "expm1",
    "floor",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log10",
    "log1p",
    "log2",
    "neg",
    "reciprocal",
    "round",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "relu",
    "tril",
    "triu",
    "numel",
    "flatten",
    "clone",
    "zeros_like",
    "ones_like",
    "t",
]
BINARY = [
    "add",
    "sub",
    "mul",
    "div",
    "pow",
    "atan2",
    "maximum",
    "minimum",
    "fmod",
    "remainder",
    "floor_divide",
    "logaddexp",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "logical_and",
    "logical_or",
    "logical_xor",
]
REDUCTIONS = [
    "sum",
    "mean",
    "prod",
    "amax",
    "amin",
    "std",
    "var",
    "argmax",
    "argmin",
    "median",
    "cumsum",
    "cumprod",
    "logsumexp",
    "any",
    "all",
]
ACTIVATIONS = [
    "celu",
    "elu",
    "gelu",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "log_softmax",
    "logsigmoid",
    "mish",
    "relu6",
    "selu",
    "silu",
    "softmax",
    "softplus",
    "softshrink",
    "softsign",
    "tanhshrink",
]


def torch_calls() -> dict[str, tuple[Callable[..., Any], Sequence[Sequence[int]]]]:
    """Functions of tensors by name, with the shapes of their arguments."""
    import torch
    import torch.nn.functional as F

    def index() -> Any:
        return torch.tensor([[0, 1], [1, 0]])

    square, image, batch = [4, 4], [2, 4, 8, 8], [2, 3, 4]
    calls: dict[str, tuple[Callable[..., Any], Sequence[Sequence[int]]]] = {
        **{name: (getattr(torch, name), [[2, 3]]) for name in UNARY},
        **{name: (getattr(torch, name), [[2, 3], [2, 3]]) for name in BINARY},
        **{f"{n}_scalar": (lambda x, n=n: getattr(torch, n)(x, 2), [[2, 3]]) for n in BINARY[:12]},
        **{f"{n}_broadcast": (getattr(torch, n), [[2, 3], [3]]) for n in BINARY[:4]},
        **{f"{n}_axis": (lambda x, n=n: getattr(torch, n)(x, 1), [[2, 3]]) for n in REDUCTIONS},
        **{n: (lambda x, n=n: getattr(F, n)(x), [[2, 3]]) for n in ACTIVATIONS},
        "bmm": (torch.bmm, [[2, 3, 4], [2, 4, 5]]),
        "mm": (torch.mm, [[3, 4], [4, 5]]),
        "addmm": (torch.addmm, [[5], [3, 4], [4, 5]]),
        "baddbmm": (torch.baddbmm, [[2, 3, 5], [2, 3, 4], [2, 4, 5]]),
        "matmul": (torch.matmul, [[2, 3, 4], [4, 5]]),
        "outer": (torch.outer, [[3], [4]]),
        "einsum": (lambda a, b: torch.einsum("bij,bjk->bik", a, b), [[2, 3, 4], [2, 4, 5]]),
        "cat": (lambda a, b: torch.cat([a, b], 1), [[2, 3], [2, 4]]),
        "stack": (lambda a, b: torch.stack([a, b], 1), [[2, 3], [2, 3]]),
        "split": (lambda x: torch.split(x, 2, 1), [[2, 6]]),
        "chunk": (lambda x: torch.chunk(x, 3, 1)[1], [[2, 6]]),
        "unbind": (lambda x: torch.unbind(x, 0), [[2, 3]]),
        "slice": (lambda x: x[:, 1:3], [[2, 6]]),
        "stride": (lambda x: x[::2, None], [[4, 6]]),
        "select": (lambda x: x[1], [[2, 6]]),
        "narrow": (lambda x: x.narrow(1, 1, 2), [[2, 6]]),
        "permute": (lambda x: x.permute(2, 0, 1), [batch]),
        "transpose": (lambda x: x.transpose(1, 2), [batch]),
        "reshape": (lambda x: x.reshape(6, 4), [batch]),
        "view": (lambda x: x.view(2, -1), [batch]),
        "expand": (lambda x: x.expand(4, 3), [[1, 3]]),
        "repeat": (lambda x: x.repeat(2, 3), [[2, 3]]),
        "tile": (lambda x: x.tile(2, 2), [[2, 3]]),
        "squeeze": (lambda x: x.squeeze(1), [[2, 1, 3]]),
        "unsqueeze": (lambda x: x.unsqueeze(0), [[2, 3]]),
        "flip": (lambda x: x.flip(0), [[2, 3]]),
        "roll": (lambda x: x.roll(1, 0), [[2, 3]]),
        "gather": (lambda x: x.gather(1, index()), [[2, 3]]),
        "scatter": (lambda x, s: x.scatter(1, index(), s), [[2, 3], [2, 2]]),
        "index_select": (lambda x: x.index_select(1, torch.tensor([2, 0])), [[2, 3]]),
        "index": (lambda x: x[torch.tensor([1, 0])], [[2, 3]]),
        "index_put": (lambda x, v: x.index_put((torch.tensor([1, 0]),), v), [[2, 3], [2, 3]]),
        "where": (lambda x, y: torch.where(x > y, x, y), [[2, 3], [2, 3]]),
        "masked_fill": (lambda x: x.masked_fill(x > 0, 1.0), [[2, 3]]),
        "clamp": (lambda x: x.clamp(0, 1), [[2, 3]]),
        "to": (lambda x: x.to(torch.int32), [[2, 3]]),
        "half": (lambda x: x.half() * 2, [[2, 3]]),
        "arange": (lambda x: x + torch.arange(3), [[2, 3]]),
        "linspace": (lambda x: x + torch.linspace(0, 1, 3), [[2, 3]]),
        "full": (lambda x: x + torch.full((2, 3), 7.0), [[2, 3]]),
        "full_like": (lambda x: torch.full_like(x, 3), [[2, 3]]),
        "eye": (lambda x: x + torch.eye(2, 3), [[2, 3]]),
        "one_hot": (lambda x: F.one_hot(x.long(), 5), [[3]]),
        "topk": (lambda x: torch.topk(x, 2), [[2, 5]]),
        "sort": (lambda x: torch.sort(x, 1), [[2, 5]]),
        "argsort": (lambda x: torch.argsort(x, 1), [[2, 5]]),
        "diagonal": (torch.diagonal, [square]),
        "meshgrid": (lambda x, y: torch.meshgrid(x, y, indexing="ij"), [[3], [4]]),
        "norm": (lambda x: torch.linalg.vector_norm(x, 2, 1), [[2, 3]]),
        "pad": (lambda x: F.pad(x, (1, 2), value=1.0), [[2, 3]]),
        "pad_reflect": (lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"), [image]),
        "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), [image]),
        "max_pool2d": (lambda x: F.max_pool2d(x, 2), [image]),
        "max_pool2d_padded": (lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), [image]),
        "max_pool1d": (lambda x: F.max_pool1d(x, 2), [[2, 4, 8]]),
        "avg_pool2d": (lambda x: F.avg_pool2d(x, 2, count_include_pad=False), [image]),
        "avg_pool1d": (lambda x: F.avg_pool1d(x, 2), [[2, 4, 8]]),
        "adaptive_pool": (lambda x: F.adaptive_avg_pool2d(x, 1), [image]),
        "nearest": (lambda x: F.interpolate(x, scale_factor=2), [image]),
        "bilinear": (lambda x: F.interpolate(x, (5, 5), mode="bilinear"), [image]),
        "bicubic": (lambda x: F.interpolate(x, (5, 5), mode="bicubic"), [image]),
        "conv1d": (lambda x, w: F.conv1d(x, w, padding=1), [[2, 4, 8], [3, 4, 3]]),
        "conv2d": (lambda x, w: F.conv2d(x, w, stride=2), [image, [3, 4, 3, 3]]),
        "conv2d_groups": (lambda x, w: F.conv2d(x, w, groups=4), [image, [4, 1, 3, 3]]),
        "conv3d": (lambda x, w: F.conv3d(x, w), [[1, 2, 4, 4, 4], [3, 2, 2, 2, 2]]),
        "conv_transpose2d": (lambda x, w: F.conv_transpose2d(x, w, stride=2), [image, [4, 3, 3, 3]]),
        "conv_transpose1d": (lambda x, w: F.conv_transpose1d(x, w), [[2, 4, 8], [4, 3, 3]]),
        "attention": (F.scaled_dot_product_attention, [[1, 2, 4, 8]] * 3),
        "layer_norm": (lambda x: F.layer_norm(x, (4,)), [batch]),
        "cross_entropy": (lambda x: F.cross_entropy(x, torch.tensor([0, 2])), [[2, 3]]),
        "mse": (F.mse_loss, [[2, 3], [2, 3]]),
        "dropout": (lambda x: F.dropout(x, 0.5, False), [[2, 3]]),
        "many": (lambda x, y: (x + y, (x - y).sum(), torch.relu(x)), [[2, 3], [2, 3]]),
        "grid_sample": (
            lambda x, g: F.grid_sample(x, g, align_corners=False),
            [image, [2, 5, 5, 2]],
        ),
    }  # fmt: skip
    return calls


def torch_networks() -> dict[str, tuple[Any, Sequence[Sequence[int]]]]:
    """Small networks of PyTorch by name, with the shapes of their arguments."""
    import torch
    from torch import nn

    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU())

        def forward(self, x: Any) -> Any:
            return torch.relu(self.body(x) + x)

    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, x: Any) -> Any:
            return self.attention(x, x, x, need_weights=False)[0]

    image = [[2, 4, 8, 8]]
    return {
        "linear": (nn.Linear(3, 4), [[2, 3]]),
        "mlp": (nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3), nn.Softmax(-1)), [[2, 4]]),
        "convnet": (
            nn.Sequential(nn.Conv2d(4, 6, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(54, 3)),
            image,
        ),
        "residual": (Residual(), image),
        "batch_norm": (nn.BatchNorm2d(4), image),
        "group_norm": (nn.GroupNorm(2, 4), image),
        "instance_norm": (nn.InstanceNorm2d(4), image),
        "layer_norm": (nn.LayerNorm(4), [[2, 3, 4]]),
        "embedding": (nn.Sequential(nn.Embedding(7, 4), nn.Linear(4, 3)), []),
        "prelu": (nn.PReLU(), [[2, 3]]),
        "lstm": (nn.LSTM(4, 3, batch_first=True), [[2, 3, 4]]),
        "gru": (nn.GRU(4, 3, batch_first=True), [[2, 3, 4]]),
        "multihead": (Attention(), [[2, 3, 8]]),
        "encoder": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True), [[2, 3, 8]]),
        "adaptive": (nn.AdaptiveAvgPool2d((2, 2)), image),
        "upsample": (nn.Upsample(scale_factor=2, mode="bilinear"), image),
    }  # fmt: skip


def torch_modules() -> Iterator[Named]:
    """What PyTorch's exporter gives, each with static sizes and with a symbolic first one."""
    import torch
    from tvm.relax.frontend.torch import (  # pyright: ignore[reportMissingImports]
        from_exported_program,
    )

    class Call(torch.nn.Module):
        def __init__(self, function: Callable[..., Any]) -> None:
            super().__init__()
            self.function = function

        def forward(self, *given: Any) -> Any:
            return self.function(*given)

    torch.manual_seed(0)
    networks = torch_networks()
    calls = {n: (Call(f), shapes) for n, (f, shapes) in torch_calls().items()}
    for name, (model, shapes) in {**networks, **calls}.items():
        given = [torch.rand(shape) for shape in shapes] or [torch.tensor([[1, 2], [3, 4]])]
        first = torch.export.Dim("n", min=2)
        sizes = [{0: first} if a.shape[0] == given[0].shape[0] else None for a in given]
        dynamic = {"given": tuple(sizes)} if isinstance(model, Call) else tuple(sizes)
        for kind, dims in ("static", None), ("symbolic", dynamic):
            with contextlib.suppress(Exception):
                program = torch.export.export(model.eval(), tuple(given), dynamic_shapes=dims)
                with torch.no_grad():
                    yield f"torch_{kind}_{name}", from_exported_program(program)
        if name in networks:
            with contextlib.suppress(Exception):
                program = torch.export.export(model.eval(), tuple(given))
                yield (
                    f"torch_params_{name}",
                    from_exported_program(program, keep_params_as_input=True),
                )


def onnx_modules() -> Iterator[Named]:
    """What TVM makes of ONNX's backend cases, at most four of an operator."""
    from onnx_cases import cases
    from tvm.relax.frontend.onnx import from_onnx  # pyright: ignore[reportMissingImports]

    seen: dict[str, int] = {}
    for case in cases("node"):
        if seen.setdefault(case.operator, 0) >= 4 or "_expanded" in case.name:
            continue
        with contextlib.suppress(Exception):
            module = from_onnx(case.model, keep_params_in_input=False)
            seen[case.operator] += 1
            yield f"onnx_{case.name.removeprefix('test_')}", module


NN_UNARY = [
    "exp",
    "floor",
    "log",
    "negative",
    "relu",
    "relu6",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "sqrt",
    "square",
    "tanh",
    "gelu",
    "sort",
    "argsort",
]
NN_BINARY = [
    "add",
    "divide",
    "equal",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "maximum",
    "minimum",
    "multiply",
    "not_equal",
    "subtract",
]


def nn_calls() -> dict[str, tuple[Callable[..., Any], Sequence[Sequence[Any]]]]:
    """Functions of `relax.frontend.nn` with the shapes of their arguments; a string is a symbolic size."""
    op = nn.op
    return {
        **{name: (getattr(op, name), [["n", 4]]) for name in NN_UNARY},
        **{name: (getattr(op, name), [["n", 4], ["n", 4]]) for name in NN_BINARY},
        "matmul": (op.matmul, [["n", 4], [4, "m"]]),
        "sum": (lambda x: op.sum(x, [1], True), [["n", 4]]),
        "max": (lambda x: op.max(x, 0), [["n", 4]]),
        "min": (lambda x: op.min(x), [["n", 4]]),
        "reshape": (lambda x: op.reshape(x, (x.shape[0] * 4,)), [["n", 4]]),
        "permute": (lambda x: op.permute_dims(x, [1, 0]), [["n", 4]]),
        "concat": (lambda x, y: op.concat([x, y], 1), [["n", 4], ["n", 2]]),
        "split": (lambda x: op.split(x, 2, 1), [["n", 4]]),
        "chunk": (lambda x: op.chunk(x, 2, 1)[0], [["n", 4]]),
        "broadcast_to": (lambda x: op.broadcast_to(x, (3, 4)), [[1, 4]]),
        "unsqueeze": (lambda x: op.unsqueeze(x, 1), [["n", 4]]),
        "squeeze": (lambda x: op.squeeze(x, 1), [["n", 1]]),
        "repeat": (lambda x: op.repeat(x, 2, 1), [["n", 4]]),
        "astype": (lambda x: op.astype(x, "float16"), [["n", 4]]),
        "take": (lambda x: op.take(x, op.arange(0, 3, 1, "int32"), 0), [["n", 4]]),
        "where": (lambda x, y: op.where(op.less(x, y), x, y), [["n", 4], ["n", 4]]),
        "triu": (lambda x: op.triu(x, 1), [["n", 4]]),
        "cumsum": (lambda x: op.cumsum(x, 1), [["n", 4]]),
        "topk": (lambda x: op.topk(x, 2), [["n", 4]]),
        "pad": (lambda x: op.pad(x, [1, 1]), [["n", 4]]),
        "conv1d": (op.conv1d, [["n", 3, 8], [4, 3, 3]]),
        "conv2d": (lambda x, w: op.conv2d(x, w, padding=1), [["n", 3, 8, 8], [4, 3, 3, 3]]),
        "rms_norm": (lambda x, w: op.rms_norm(x, w, [-1]), [["n", 4], [4]]),
        "layer_norm": (lambda x, w, b: op.layer_norm(x, 4, w, b), [["n", 4], [4], [4]]),
        "group_norm": (lambda x, w, b: op.group_norm(x, 2, w, b), [["n", 4, 8], [4], [4]]),
        "attention": (op.scaled_dot_product_attention, [[1, "n", 2, 8]] * 3),
        "interpolate": (lambda x: op.interpolate(x, scale_factor=(2, 2)), [[1, 3, 4, 4]]),
        "timestep": (lambda x: op.get_timestep_embedding(x, 8), [[4]]),
        "prelu": (op.prelu, [["n", 4], [4]]),
        "zeros": (lambda x: op.add(x, op.zeros((4,))), [["n", 4]]),
        "ones": (lambda x: op.add(x, op.ones((x.shape[0], 4))), [["n", 4]]),
        "print": (lambda x: op.print_(x) or x, [["n", 4]]),
    }  # fmt: skip


def nn_modules() -> Iterator[Named]:
    """Modules of `relax.frontend.nn`."""
    spec = nn.spec

    class Call(nn.Module):
        def __init__(self, function: Callable[..., Any], count: int) -> None:
            self.forward = {
                1: lambda x: function(x),
                2: lambda x, y: function(x, y),
                3: lambda x, y, z: function(x, y, z),
            }[count]

    class Cached(nn.Module):
        def __init__(self) -> None:
            self.cache = nn.KVCache(8, [2, 4])

        def forward(self, x: Any) -> Any:
            self.cache.append(x)
            return self.cache.view(4)

    class Block(nn.Module):
        def __init__(self) -> None:
            self.norm, self.up, self.down = (
                nn.RMSNorm(8, -1, bias=False),
                nn.Linear(8, 16),
                nn.Linear(16, 8),
            )

        def forward(self, x: Any) -> Any:
            return x + self.down(nn.op.silu(self.up(self.norm(x))))

    class Stack(nn.Module):
        def __init__(self) -> None:
            self.blocks = nn.ModuleList([Block(), Block()])
            self.embedding = nn.Embedding(11, 8)

        def forward(self, x: Any) -> Any:
            h = self.embedding(x)
            for block in self.blocks:
                h = block(h)
            return h

    def export(model: Any, **inputs: Any) -> Any:
        return model.export_tvm({"forward": inputs})[0]

    tensor = spec.Tensor
    for name, (function, shapes) in nn_calls().items():
        inputs = {n: tensor(shape, "float32") for n, shape in zip("xyz", shapes)}
        with contextlib.suppress(Exception):
            yield f"nn_{name}", export(Call(function, len(shapes)), **inputs)
    layers: dict[str, tuple[Callable[[], Any], list[Any], str]] = {
        "Linear": (lambda: nn.Linear(4, 3), ["n", 4], "float32"),
        "Linear_symbolic": (lambda: nn.Linear(4, "out"), ["n", 4], "float32"),
        "Linear_half": (lambda: nn.Linear(4, 3, dtype="float16"), ["n", 4], "float16"),
        "Linear_wide": (
            lambda: nn.Linear(4, 3, dtype="float16", out_dtype="float32"),
            ["n", 4],
            "float16",
        ),
        "Conv1D": (lambda: nn.Conv1D(3, 4, 3), ["n", 3, 8], "float32"),
        "Conv2D": (lambda: nn.Conv2D(3, 4, 3, padding=1), ["n", 3, 8, 8], "float32"),
        "Conv3D": (lambda: nn.Conv3D(3, 4, 3), ["n", 3, 8, 8, 8], "float32"),
        "ConvTranspose1D": (lambda: nn.ConvTranspose1D(3, 4, 3), ["n", 3, 8], "float32"),
        "GroupNorm": (lambda: nn.GroupNorm(2, 4), ["n", 4, 8], "float32"),
        "LayerNorm": (lambda: nn.LayerNorm(4), ["n", 4], "float32"),
        "RMSNorm": (lambda: nn.RMSNorm(4, -1), ["n", 4], "float32"),
        "Embedding": (lambda: nn.Embedding(7, 4), ["n"], "int32"),
        "KVCache": (Cached, ["n", 2, 4], "float32"),
        "Block": (Block, ["n", 8], "float32"),
        "Stack": (Stack, ["n"], "int32"),
    }
    for name, (make, shape, dtype) in layers.items():
        with contextlib.suppress(Exception):
            yield f"nn_{name}", export(make(), x=tensor(shape, dtype))


def testing_modules() -> Iterator[Named]:
    """Modules of `relax.testing`, and programs by the block builder with branches, closures, recursion."""
    from tvm.relax import testing  # pyright: ignore[reportMissingImports]

    for heads, bias in (1, None), (2, None), (2, (1, 2, 4, 4)):
        with contextlib.suppress(Exception):
            shape = (1, 4, heads, 8)
            module = testing.get_relax_attention_module(
                shape, shape, shape, dtype="float32", bias_shape=bias
            )
            yield f"testing_attention_{heads}_{'bias' if bias else 'plain'}", module
    for i, options in enumerate(
        ({}, {"bias_shape": (5,)}, {"transposed_y": True}, {"activation": relax.op.nn.relu})
    ):
        with contextlib.suppress(Exception):
            other = (5, 4) if "transposed_y" in options else (4, 5)
            yield (
                f"testing_matmul_{i}",
                testing.get_relax_matmul_module((3, 4), other, "float32", **options),
            )
    with contextlib.suppress(Exception):
        builder, n = relax.BlockBuilder(), tvm.tirx.Var("n", "int64")
        with builder.function("main"):
            model = testing.nn.Sequential(
                testing.nn.Linear(8, 4),
                testing.nn.ReLU(),
                testing.nn.Linear(4, 3),
                testing.nn.LogSoftmax(),
            )
            x = testing.nn.Placeholder((n, 8), dtype="float32", name="x")
            builder.emit_func_output(model(x), params=[x, *model.parameters()])
        yield "testing_sequential", builder.get()


PASSES: dict[str, Callable[[], Any]] = {
    "legalized": relax.transform.LegalizeOps,
    "nondataflow": relax.transform.ToNonDataflow,
    "fused": lambda: tvm.transform.Sequential(
        [
            relax.transform.LegalizeOps(),
            relax.transform.AnnotateTIROpPattern(),
            relax.transform.FuseOps(),
        ]
    ),
    "fusedtir": lambda: tvm.transform.Sequential(
        [
            relax.transform.LegalizeOps(),
            relax.transform.AnnotateTIROpPattern(),
            relax.transform.FuseOps(),
            relax.transform.FuseTIR(),
        ]
    ),
    "inference": relax.transform.DecomposeOpsForInference,
    "folded": relax.transform.FoldConstant,
    "canonical": relax.transform.CanonicalizeBindings,
    "lifted": relax.transform.LiftTransformParams,
    "bundled": relax.transform.BundleModelParams,
}
"""TVM's passes after which modules are looked at again, by the names that these get."""


def after_passes(found: Sequence[Named]) -> Iterator[Named]:
    """Modules after passes: every one legalised, every seventh after each of the others."""
    target = tvm.target.Target("llvm")
    for place, (name, module) in enumerate(found):
        for number, (which, make) in enumerate(PASSES.items()):
            if number and (place + number) % 7:
                continue
            with contextlib.suppress(Exception), target:
                changed = make()(module)
                if not number or not tvm_ffi.structural_equal(changed, module):
                    yield f"{name}__{which}", changed


def modules(only: str = "") -> Iterator[Named]:
    """All modules whose name has a word; names are unique."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: dict[str, Any] = {}
        for source in testing_modules, nn_modules, torch_modules, onnx_modules:
            if not only or only.split("_")[0] in source.__name__:
                found.update(source())
        found.update(after_passes(list(found.items())))
    yield from ((name, module) for name, module in found.items() if only in name)
