"""Attention blocks as PyTorch's two ONNX exporters, tf2onnx and paddle2onnx write them: all is recognised, and
the results are ONNX Runtime's."""

from __future__ import annotations

import io
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from optional import package
from xdsl.dialects.builtin import ModuleOp

from lowering import lower
from lowering.pipeline import optimizations
from relax_dialect.interpret import run
from relax_dialect.ir.walk import walk_ops

onnx, onnxruntime = package("onnx"), package("onnxruntime")
HEADS, DEPTH, LENGTH = 2, 4, 5
WIDTH = HEADS * DEPTH
UNDONE = {"softmax", "broadcast_to", "erf", "exp", "mean", "where", "triu", "isnan", "repeat"}
"""Operators that are parts of formulas, none of which is left."""


def checked(model: Any, inputs: Mapping[str, np.ndarray], expected: Mapping[str, int]) -> None:
    """Optimise a model; compare its operators, and its result with that of ONNX Runtime."""
    from relax_dialect.frontends import onnx as frontend

    module = frontend.load(model)
    lower(module, optimizations(2))
    found = counted(module)
    assert {name: found[name] for name in expected} == expected
    assert not found.keys() & UNDONE
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (wanted,) = session.run(None, dict(inputs))
    result = run(module, "main", *inputs.values())
    np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)


def counted(module: ModuleOp) -> Counter[str]:
    return Counter(op.name.removeprefix("relax.") for op in walk_ops(module))


# PyTorch ----------------------------------------------------------------------------------------


def torch_blocks() -> dict[str, tuple[Any, list[Any], Mapping[str, int]]]:
    """Modules, their arguments, and the operators that they are."""
    torch = package("torch")
    nn, f = torch.nn, torch.nn.functional

    class Packed(nn.Module):
        """One product for queries, keys and values, as vision transformers have it."""

        def __init__(self):
            super().__init__()
            self.norm, self.qkv = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH)
            self.first, self.second = nn.Linear(WIDTH, 12), nn.Linear(12, WIDTH)
            self.token = nn.Parameter(torch.randn(1, 1, WIDTH))

        def forward(self, x: Any) -> Any:
            b, n, _ = x.shape
            x = x + self.token.expand(b, n, -1)
            packed = self.qkv(self.norm(x)).reshape(b, n, 3, HEADS, DEPTH)
            q, k, v = packed.permute(2, 0, 3, 1, 4).unbind(0)
            found = f.scaled_dot_product_attention(q, k, v)
            x = x + found.transpose(1, 2).reshape(b, n, WIDTH)
            return x + self.second(f.gelu(self.first(x)))

    class Grouped(nn.Module):
        """Heads in groups, a causal mask, rms norm and a gated unit, as decoders have them."""

        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.rand(WIDTH))
            self.q, self.kv = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2 * DEPTH)
            self.gate, self.up = nn.Linear(WIDTH, 12), nn.Linear(WIDTH, 12)
            self.down = nn.Linear(12, WIDTH)

        def forward(self, x: Any) -> Any:
            b, n, _ = x.shape
            y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight
            q = self.q(y).view(b, n, HEADS, DEPTH).transpose(1, 2)
            k, v = (t.view(b, n, 1, DEPTH).transpose(1, 2) for t in self.kv(y).chunk(2, -1))
            k, v = (
                t[:, :, None].expand(b, 1, HEADS, n, DEPTH).reshape(b, HEADS, n, DEPTH)
                for t in (k, v)
            )
            mask = torch.full((n, n), torch.finfo(torch.float32).min).triu(1)
            mask = mask[None, None].expand(b, 1, -1, -1)
            scores = q @ k.transpose(2, 3) * DEPTH**-0.5 + mask[:, :, :, :n]
            found = (f.softmax(scores, -1) @ v).transpose(1, 2).contiguous()
            x = x + found.reshape(b, n, WIDTH)
            return self.down(f.silu(self.gate(x)) * self.up(x))

    torch.manual_seed(0)
    x = torch.randn(2, LENGTH, WIDTH)
    return {
        "packed": (Packed(), [x], {"attention": 1, "layer_norm": 1, "gelu": 1, "permute_dims": 0}),
        "grouped": (Grouped(), [x], {"attention": 1, "rms_norm": 1, "silu": 1, "matmul": 5}),
    }


def by_script(module: Any, args: list[Any]) -> Any:
    import torch

    file = io.BytesIO()
    axes = {"x": {0: "b", 1: "n"}}
    names: dict[str, Any] = {"input_names": ["x"], "dynamic_axes": axes}
    torch.onnx.export(module, tuple(args), file, dynamo=False, opset_version=17, **names)
    return onnx.load_from_string(file.getvalue())


def by_dynamo(module: Any, args: list[Any]) -> Any:
    import torch

    dims = ({0: torch.export.Dim("b", max=64), 1: torch.export.Dim("n", min=2, max=64)},)
    program = torch.onnx.export(
        module, tuple(args), dynamo=True, dynamic_shapes=dims, input_names=["x"], verbose=False
    )
    assert program is not None
    return program.model_proto


@pytest.mark.slow
@pytest.mark.parametrize("export", [by_script, by_dynamo])
@pytest.mark.parametrize("name", ["packed", "grouped"])
def test_blocks_of_pytorch(name: str, export: Callable[..., Any]):
    package("onnxscript")
    module, args, expected = torch_blocks()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = export(module.eval(), args)
    checked(model, {"x": args[0].numpy()}, expected)


# Graphs by hand ---------------------------------------------------------------------------------


class Graph:
    """An ONNX graph node by node; weights are drawn."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.random = np.random.default_rng(0)

    def value(self, array: Any) -> str:
        name = f"c{len(self.initializers)}"
        self.initializers.append(onnx.numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *shape: int) -> str:
        return self.value(self.random.standard_normal(shape).astype("f"))

    def __call__(self, kind: str, *inputs: Any, count: int = 1, **attributes: Any) -> Any:
        names = [x if isinstance(x, str) else self.value(x) for x in inputs]
        outputs = [f"v{len(self.nodes)}_{i}" for i in range(count)]
        self.nodes.append(onnx.helper.make_node(kind, names, outputs, **attributes))
        return outputs[0] if count == 1 else outputs

    def model(self, result: str, **inputs: tuple[Any, ...]) -> Any:
        info = onnx.helper.make_tensor_value_info
        given = [info(name, 1, shape) for name, shape in inputs.items()]
        output = info(result, 1, ["b", "n", WIDTH])
        graph = onnx.helper.make_graph(self.nodes, "g", given, [output], self.initializers)
        opset = onnx.helper.make_opsetid("", 13)
        return onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8)


def floats(*numbers: float) -> np.ndarray:
    return np.array(numbers, "f").reshape([len(numbers)] if len(numbers) > 1 else [])


def tensorflow() -> Any:
    """Products of matrices between reshapes, moments by mean and square, gelu by erf, a mask of 0 and 1."""
    g = Graph()
    sizes = g("Shape", "x")
    rows = g("Concat", g("Slice", sizes, [0], [2], [0]), [HEADS, DEPTH], axis=0)

    def dense(x: str, wide: int, new: int) -> str:
        flat = g("MatMul", g("Reshape", x, [-1, wide]), g.weight(wide, new))
        whole = g("Concat", g("Slice", sizes, [0], [2], [0]), [new], axis=0)
        return g("Add", g("Reshape", flat, whole), g.weight(new))

    def norm(x: str) -> str:
        mean = g("ReduceMean", x, axes=[-1], keepdims=1)
        apart = g("Sub", x, mean)
        variance = g("ReduceMean", g("Mul", apart, apart), axes=[-1], keepdims=1)
        inverse = g("Reciprocal", g("Sqrt", g("Add", variance, floats(1e-6))))
        scaled = g("Mul", inverse, g.weight(WIDTH))
        return g("Add", g("Mul", apart, scaled), g.weight(WIDTH))

    y = norm("x")
    heads = (g("Reshape", dense(y, WIDTH, WIDTH), rows) for _ in range(3))
    q, k, v = (g("Transpose", x, perm=[0, 2, 1, 3]) for x in heads)
    scores = g("MatMul", q, g("Transpose", k, perm=[0, 1, 3, 2]))
    scores = g("Mul", scores, floats(DEPTH**-0.5))
    hidden = g("Mul", g("Sub", floats(1.0), "mask"), floats(-1e4))
    shares = g("Softmax", g("Add", scores, g("Unsqueeze", hidden, [1, 2])), axis=-1)
    found = g("Transpose", g("MatMul", shares, v), perm=[0, 2, 1, 3])
    x = g("Add", "x", g("Reshape", found, [0, 0, WIDTH]))
    wide = dense(x, WIDTH, 12)
    gate = g("Add", g("Erf", g("Div", wide, floats(2**0.5))), floats(1.0))
    return g.model(dense(g("Mul", g("Mul", wide, gate), floats(0.5)), 12, WIDTH), **BOTH)


def paddle() -> Any:
    """Axes of unbind by Slice and Squeeze, moments by Pow, a mask that is expanded for every head."""
    g = Graph()
    apart = g("Sub", "x", g("ReduceMean", "x", axes=[-1], keepdims=1))
    variance = g("ReduceMean", g("Pow", apart, floats(2.0)), axes=[-1], keepdims=1)
    y = g("Div", apart, g("Sqrt", g("Add", variance, floats(1e-5))))
    y = g("Add", g("Mul", y, g.weight(WIDTH)), g.weight(WIDTH))
    packed = g("Add", g("MatMul", y, g.weight(WIDTH, 3 * WIDTH)), g.weight(3 * WIDTH))
    packed = g("Reshape", packed, [0, 0, 3, HEADS, DEPTH])
    packed = g("Transpose", packed, perm=[2, 0, 3, 1, 4])
    q, k, v = (g("Squeeze", g("Slice", packed, [i], [i + 1], [0]), [0]) for i in range(3))
    scores = g("MatMul", g("Mul", q, floats(DEPTH**-0.5)), g("Transpose", k, perm=[0, 1, 3, 2]))
    mask = g("Unsqueeze", g("Mul", g("Sub", "mask", floats(1.0)), floats(1e4)), [1, 2])
    shares = g("Softmax", g("Add", scores, g("Expand", mask, g("Shape", scores))), axis=-1)
    found = g("Transpose", g("MatMul", shares, v), perm=[0, 2, 1, 3])
    found = g("Reshape", found, [0, 0, WIDTH])
    inner = g("MatMul", found, g.weight(WIDTH, 12))
    inner = g("Mul", inner, g("Sigmoid", inner))
    return g.model(g("Add", "x", g("MatMul", inner, g.weight(12, WIDTH))), **BOTH)


BOTH: Any = {"x": ["b", "n", WIDTH], "mask": ["b", "n"]}


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (tensorflow, {"attention": 1, "layer_norm": 1, "gelu": 1, "permute_dims": 0}),
        (paddle, {"attention": 1, "layer_norm": 1, "silu": 1, "permute_dims": 0}),
    ],
)
def test_graphs_of_other_exporters(make: Callable[[], Any], expected: Mapping[str, int]):
    random = np.random.default_rng(1)
    mask = np.array([[1] * LENGTH, [1, 1, 0, 1, 0]], "f")
    x = random.standard_normal((2, LENGTH, WIDTH)).astype("f")
    checked(make(), {"x": x, "mask": mask}, expected)
