"""Modules: names of parameters, loading, export, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from relax_dialect import interpret, nn
from relax_dialect.builder import op
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.tensor_files import write_tensors
from relax_dialect.ir.types import TensorType
from relax_dialect.nn.families import from_config
from relax_dialect.nn.module import ModuleError

RANDOM = np.random.default_rng(0)


class Block(nn.Module):
    def __init__(self, width: int):
        self.norm = nn.LayerNorm(width)
        self.inner = nn.MLP(width, 3)

    def forward(self, x: Any) -> Any:
        return x + self.inner(self.norm(x))


class Net(nn.Module):
    def __init__(self) -> None:
        self.first = nn.Linear(5, 4)
        self.blocks = nn.ModuleList([Block(4), Block(4)])
        self.last = nn.Linear(4, 5, bias=False)
        self.scale = nn.Parameter([], "f32")

    def forward(self, x: Any) -> Any:
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.last(x) * self.scale


SPEC = {"forward": {"x": TensorType(["n", 5], "f32")}}


def weights(module: nn.Module) -> dict[str, np.ndarray]:
    return {
        name: RANDOM.standard_normal(parameter.sizes).astype(np.float32)
        for name, parameter in module.named_parameters()
    }


def test_parameters_are_named_by_their_path() -> None:
    names = [name for name, _ in Net().named_parameters()]
    assert names[:3] == ["first.weight", "first.bias", "blocks.0.norm.weight"]
    assert names[-2:] == ["last.weight", "scale"] and len(names) == 16


def test_weights_are_constants_or_parameters() -> None:
    net = Net()
    with pytest.raises(
        ModuleError, match=r"found 16 of 16 that are not loaded, such as first\.weight"
    ):
        nn.export(net, SPEC)
    open_ = nn.export(net, SPEC, weights="parameters")
    arrays = weights(net)
    net.load_state_dict(arrays)
    closed = nn.export(net, SPEC)
    x = RANDOM.standard_normal((3, 5)).astype(np.float32)
    expected = interpret.run(open_, "forward", x, *arrays.values())
    np.testing.assert_array_equal(interpret.run(closed, "forward", x), expected)
    assert net.state_dict().keys() == arrays.keys()
    assert "%blocks_1_inner_fc2_bias" in str(open_)
    found = lowering.compile(closed, extra_flags=UNOPTIMISED).forward(x)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_loaded_arrays_are_the_modules_own() -> None:
    layer = nn.Linear(2, 2, bias=False)
    array = np.ones((2, 2), np.float32)
    layer.load_state_dict({"weight": array})
    array[...] = 7
    assert layer.state_dict()["weight"].tolist() == [[1, 1], [1, 1]]


def test_a_shared_parameter_is_one() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            self.table = nn.Embedding(7, 4)
            self.head = nn.Linear(4, 7, bias=False)
            self.head.weight = self.table.weight

        def forward(self, x: Any) -> Any:
            return self.head(self.table(x))

    net = Tied()
    assert [name for name, _ in net.named_parameters()] == ["table.weight"]
    table = RANDOM.standard_normal((7, 4)).astype(np.float32)
    net.load_state_dict({"table.weight": table})
    module = nn.export(net, {"forward": {"x": TensorType(["n"], "i64")}})
    found = interpret.run(module, "forward", np.array([2, 5]))
    np.testing.assert_allclose(found, table[[2, 5]] @ table.T, rtol=1e-6)


def test_wrong_weights_are_refused_before_any_is_loaded() -> None:
    net = Net()
    arrays = weights(net)
    del arrays["scale"]
    with pytest.raises(ModuleError, match="1 of them that is missing in the weights: scale"):
        net.load_state_dict(arrays)
    with pytest.raises(ModuleError, match="1 of them that is no parameter: other"):
        net.load_state_dict(arrays | {"scale": np.zeros(()), "other": np.zeros(3)})
    assert not net.state_dict()
    net.load_state_dict(arrays, strict=False)
    assert len(net.state_dict()) == 15
    with pytest.raises(ModuleError, match=r"scale: expected an array of shape \[\], found \[2\]"):
        net.load_state_dict({"scale": np.zeros(2)}, strict=False)


def test_what_cannot_be_exported_is_refused() -> None:
    net = Net()
    with pytest.raises(ModuleError, match="expected a method of Net, found 'backward'"):
        nn.export(net, {"backward": {}}, weights="parameters")
    with pytest.raises(ModuleError, match="expected weights to be 'constants' or 'parameters'"):
        nn.export(net, SPEC, weights="none")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ModuleError, match="Module: expected a method forward, found none"):
        nn.Module()()
    with pytest.raises(ModuleError, match="expected a function that is being exported, found none"):
        net(op.zeros([2, 5], "f32"))
    with pytest.raises(ModuleError, match="a number of key heads that divides 4, found 3"):
        nn.Attention(8, 4, 3)
    with pytest.raises(ModuleError, match="KVCache: expected heads of at least 1, found 0"):
        nn.KVCache(1, 0, 8)


CONFIG = {
    "model_type": "llama", "vocab_size": 9, "hidden_size": 8, "intermediate_size": 8,
    "num_hidden_layers": 1, "num_attention_heads": 2,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"model_type": "lama"}, "found 'lama'; the nearest is llama"),
        ({"model_type": "bert"}, "expected a model_type of gpt2, llama, .*found 'bert'; write"),
        ({"hidden_size": None}, "config.json: expected 'hidden_size', found none"),
        ({"hidden_act": "relu"}, "expected hidden_act to be 'silu', found 'relu'"),
        (
            {"rope_scaling": {"type": "yarn"}},
            "rope_scaling: expected the type default.*found 'yarn'",
        ),
    ],
)
def test_configurations_that_are_not_known_are_refused(
    changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModuleError, match=message):
        from_config(CONFIG | changed)


def test_folders_are_read_in_parts_and_refused(tmp_path: Path) -> None:
    with pytest.raises(ModuleError, match=r"config\.json: expected a file, found none"):
        nn.load(tmp_path)
    (tmp_path / "config.json").write_text("[1]")
    with pytest.raises(ModuleError, match="expected an object in JSON"):
        nn.load(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    with pytest.raises(ModuleError, match=r"model\.safetensors or .*index\.json, found none"):
        nn.load(tmp_path)
    arrays = {f"model.{name}": array for name, array in weights(from_config(CONFIG)).items()}
    arrays["lm_head.weight"] = arrays.pop("model.lm_head.weight")
    names = list(arrays)
    parts = {"a.safetensors": names[::2], "b.safetensors": names[1::2]}
    for file, own in parts.items():
        write_tensors(tmp_path / file, {name: arrays[name] for name in own})
    index = {name: file for file, own in parts.items() for name in own}
    path = tmp_path / "model.safetensors.index.json"
    path.write_text(json.dumps({"weight_map": index}))
    loaded = nn.load(tmp_path).state_dict()
    np.testing.assert_array_equal(loaded["norm.weight"], arrays["model.norm.weight"])
    path.write_text(json.dumps({"weight_map": index | {"x": "../c.safetensors"}}))
    with pytest.raises(ModuleError, match="expected the names of files in the folder"):
        nn.load(tmp_path)
    path.write_text(json.dumps({"weight_map": index | {"x": "a.safetensors"}}))
    with pytest.raises(ModuleError, match=r"expected the tensor x in a\.safetensors, found none"):
        nn.load(tmp_path)
    (tmp_path / "b.safetensors").unlink()
    with pytest.raises(RelaxError, match=r"b\.safetensors: expected a file of weights, found none"):
        nn.load(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "error", "share"),
    [
        ("q0f16", 1e-3, 0.5),
        ("q8f32", 0.05, 0.3),
        ("q8f32_1", 0.05, 0.3),
        ("q4f32_1", 0.4, 0.3),
    ],
)
def test_narrow_weights(scheme: str, error: float, share: float) -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            self.table = nn.Embedding(9, 70)
            self.inner = nn.Linear(70, 70)
            self.head = nn.Linear(70, 9, bias=False)
            self.head.weight = self.table.weight

        def forward(self, x: Any) -> Any:
            return self.head(self.inner(self.table(x)))

    net, spec = Tied(), {"forward": {"x": TensorType(["n"], "i64")}}
    net.load_state_dict(weights(net))
    whole, x = nn.export(net, spec), np.array([2, 5, 8])
    expected = interpret.run(whole, "forward", x)
    before = sum(array.nbytes for array in net.state_dict().values())
    nn.quantize(net, scheme)
    narrow = nn.export(net, spec)
    after = sum(array.nbytes for array in net.state_dict().values())
    assert after < (share + 0.05) * before and net.head.weight is net.table.weight
    found = interpret.run(narrow, "forward", x)
    assert 0 < np.abs(found - expected).max() < error * np.abs(expected).max()
    close = {"rtol": 1e-4, "atol": 1e-4 * np.abs(expected).max()}
    compiled = lowering.compile(narrow, extra_flags=UNOPTIMISED)
    np.testing.assert_allclose(compiled.forward(x), found, **close)


def test_schemes_that_are_not_known_and_weights_that_are_not_loaded() -> None:
    with pytest.raises(ModuleError, match=r"expected a scheme of q0f16, .*found 'q3'"):
        nn.quantize(Net(), "q3")
    with pytest.raises(ModuleError, match=r"expected loaded weights, found none for first\.weight"):
        nn.quantize(Net(), "q8f32")
