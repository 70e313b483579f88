"""Names, sizes, weights, trees and errors of imported programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import package

from relax_dialect import interpret
from relax_dialect.errors import RelaxError
from relax_dialect.frontends import torch as frontend
from relax_dialect.ir.upper_bounds import upper_bounds
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import FuncOp

torch = package("torch")
Dim = torch.export.Dim


def model_of(function: Any, **buffers: Any) -> Any:
    """A module that calls a function of itself and its inputs."""

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for name, buffer in buffers.items():
                self.register_buffer(name, buffer)

        def forward(self, *args: Any) -> Any:
            return function(self, *args)

    return Model()


def load(
    function: Any, *args: Any, shapes: Any = None, parameters: str = "constants", **buffers: Any
) -> Any:
    dynamic = None if shapes is None else (shapes,)
    exported = torch.export.export(model_of(function, **buffers), args, dynamic_shapes=dynamic)
    return frontend.load_program(exported, parameters=parameters)


def run(program: Any, *args: Any) -> Any:
    return interpret.run(program.module, "main", *args)


def main_of(program: Any) -> FuncOp:
    (found,) = (op for op in program.module.ops if isinstance(op, FuncOp))
    return found


def names_of(program: Any) -> list[str]:
    return [op.name for op in walk_ops(program.module)]


ROWS = np.arange(12, dtype=np.float32).reshape(3, 4)
X = torch.from_numpy(ROWS)


def test_a_dim_is_a_variable_of_its_name_with_bounds():
    program = load(lambda self, x: x.sum(1), X, shapes=({0: Dim("batch", min=3, max=64)},))
    assert "%args: !relax.tensor<[batch, 4], f32>" in str(program.module)
    assert upper_bounds(main_of(program)) == {"batch": 64}
    assert run(program, ROWS).tolist() == ROWS.sum(1).tolist()
    with pytest.raises(RelaxError, match=r"max\(batch, 3\)|batch"):
        run(program, ROWS[:2])


def test_a_size_that_is_a_multiple_is_checked():
    program = load(
        lambda self, x: x.reshape(-1, 2, 4), torch.zeros(6, 4), shapes=({0: 2 * Dim("h")},)
    )
    assert "!relax.tensor<[2 * h, 4], f32>) -> !relax.tensor<[h, 2, 4], f32>" in str(program.module)
    assert run(program, np.zeros((8, 4), np.float32)).shape == (4, 2, 4)
    with pytest.raises(RelaxError, match=r"expected size 2 \* h"):
        run(program, np.zeros((7, 4), np.float32))


def test_a_guard_of_the_trace_is_checked():
    def forward(self: Any, x: Any, y: Any) -> Any:
        return x.sum() if 2 * x.shape[0] > y.shape[0] else y.sum()

    shapes = ({0: Dim.DYNAMIC}, {0: Dim.DYNAMIC})
    program = load(forward, torch.zeros(3, 4), torch.zeros(5, 4), shapes=shapes)
    assert run(program, np.ones((3, 4), np.float32), np.ones((4, 4), np.float32)) == 12
    with pytest.raises(RelaxError):
        run(program, np.ones((2, 4), np.float32), np.ones((5, 4), np.float32))


def test_sizes_that_depend_on_data():
    def forward(self: Any, x: Any, count: Any) -> Any:
        size = count.item()
        torch._check(size >= 0)
        return x[x > 3], torch.ones(size) * size

    program = load(forward, X, torch.tensor(2))
    found, ones = run(program, ROWS, np.array(5))
    assert found.tolist() == ROWS[ROWS > 3].tolist() and ones.tolist() == [5.0] * 5


def test_weights_as_parameters_in_the_order_of_the_state():
    layer = torch.nn.Linear(4, 2)
    program = frontend.load_program(torch.export.export(layer, (X,)), parameters="arguments")
    assert program.parameters == ["input", "weight", "bias"] and list(program.weights) == [
        "weight",
        "bias",
    ]
    assert main_of(program).attributes["num_input"].value.data == 1  # pyright: ignore
    found = run(program, ROWS, *program.weights.values())
    assert np.allclose(found, layer(X).detach().numpy(), atol=1e-6)


def test_a_buffer_that_changes_is_a_parameter_and_a_result():
    def forward(self: Any, x: Any) -> Any:
        self.count.add_(1)
        return x * self.count

    program = load(forward, X, count=torch.zeros(1))
    assert program.parameters == ["args_0", "count"] and program.results == ["output", "count"]
    found, count = run(program, ROWS, np.array([1], np.float32))
    assert count.tolist() == [2.0] and found.tolist() == (2 * ROWS).tolist()


def test_a_training_step_of_batch_norm_changes_its_statistics():
    norm = torch.nn.BatchNorm1d(4).train()
    program = frontend.load_program(torch.export.export(norm, (X,)))
    assert [name for name in program.results if "running" in name] == [
        "running_mean",
        "running_var",
    ]
    found = dict(zip(program.results, run(program, ROWS, *program.weights.values())))
    expected = norm(X).detach().numpy()
    assert np.allclose(found["output"], expected, atol=1e-5)
    assert np.allclose(found["running_mean"], norm.running_mean.numpy())
    assert np.allclose(found["running_var"], norm.running_var.numpy())


def test_the_tree_of_inputs_and_outputs():
    def forward(self: Any, pair: Any, more: Any) -> Any:
        return {"sum": pair[0] + pair[1], "rest": [more["a"] * 2, None, 3]}

    program = load(forward, (X, X), {"a": X})
    assert program.results == ["rest.0", "sum"] or program.results == ["sum", "rest.0"]
    arguments = program.flatten((X, X), {"a": X})
    found = program.unflatten(run(program, *arguments))
    assert found["sum"].tolist() == (2 * ROWS).tolist() and found["rest"][1:] == [None, 3]


def test_composites_arrive_whole():
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    program = frontend.load_program(torch.export.export(layer, (torch.zeros(2, 3, 8),)))
    names = names_of(program)
    assert names.count("relax.layer_norm") == 2 and "relax.attention" in names
    assert names.count("relax.linear") == 4 and "relax.softmax" not in names


def test_writes_need_no_decomposition_where_memory_is_not_shared():
    from relax_dialect.frontends.torch.prepare import is_plain

    def forward(self: Any, x: Any) -> Any:
        y = (x + 1).relu_()
        z = y * 2
        return y.add_(z) + y, z

    exported = torch.export.export(model_of(forward), (X,))
    assert all(map(is_plain, exported.graph.nodes))
    expected = [each.tolist() for each in model_of(forward)(X)]
    assert [each.tolist() for each in run(frontend.load_program(exported), ROWS)] == expected


def test_writes_to_views_are_followed():
    def forward(self: Any, x: Any) -> Any:
        y = x + 1
        first = y[:, 0]
        y.mul_(2)
        return first.sum() + y

    program = load(forward, X)
    assert run(program, ROWS).tolist() == model_of(forward)(X).tolist()


def test_a_write_to_memory_that_may_be_shared_is_refused():
    def forward(self: Any, x: Any) -> Any:
        y = x * 2
        return torch.dropout(y, 0.5, False).relu_() + y

    with pytest.raises(frontend.TorchError, match="write y = y \\+ 1 instead of y \\+= 1"):
        load(forward, X)


def test_unknown_operators_are_listed_at_once():
    def forward(self: Any, x: Any) -> Any:
        return torch.geqrf(x), torch.geqrf(x + 1), torch.randperm(4)

    with pytest.raises(frontend.TorchError) as error:
        load(forward, X)
    text = str(error.value)
    assert "geqrf.default (2 times at test_torch_importer.py:" in text
    assert (
        "randperm.default (1 times at test_torch_importer.py:" in text and "random numbers" in text
    )


def test_complex_numbers_are_refused():
    with pytest.raises(frontend.TorchError, match="complex"):
        load(lambda self, x: torch.view_as_complex(x.reshape(3, 2, 2)).abs(), X)


def test_antialias_with_aligned_corners_is_refused():
    def forward(self: Any, x: Any) -> Any:
        return torch.ops.aten._upsample_bilinear2d_aa(x[None, None], [2, 2], True)

    with pytest.raises(frontend.TorchError, match="antialias with align_corners"):
        load(forward, X)


def test_a_tensor_that_a_loop_takes_from_outside_is_refused():
    def forward(self: Any, x: Any) -> Any:
        return torch.ops.higher_order.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y + x), (torch.tensor(0), x), ()
        )

    with pytest.raises(frontend.TorchError, match="pass it as an operand"):
        load(forward, X)


def test_loops():
    def forward(self: Any, x: Any) -> Any:
        return torch.ops.higher_order.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (torch.tensor(0), x), ()
        )

    index, found = run(load(forward, X), ROWS)
    assert index == 3 and found.tolist() == (8 * ROWS).tolist()


def test_autocast_is_spelled_out():
    def forward(self: Any, x: Any) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return (x @ x.t()).float()

    found = run(load(forward, X), ROWS)
    assert found.tolist() == forward(None, X).tolist()


def test_a_saved_program(tmp_path: Path):
    exported = torch.export.export(model_of(lambda self, x: x.cos()), (X,))
    torch.export.save(exported, tmp_path / "cos.pt2")
    module = frontend.load(tmp_path / "cos.pt2")
    assert np.allclose(interpret.run(module, "main", ROWS), np.cos(ROWS), atol=1e-6)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "expected a readable file"),
        (b"no archive", "expected a program of torch.export.save"),
    ],
)
def test_files_that_are_no_programs(content: bytes | None, message: str, tmp_path: Path):
    path = tmp_path / "model.pt2"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(frontend.TorchError, match=message):
        frontend.load(path)


def test_other_arguments_are_refused():
    with pytest.raises(frontend.TorchError, match="found Linear; call"):
        frontend.load(torch.nn.Linear(1, 1))
    with pytest.raises(frontend.TorchError, match="expected parameters among constants, arguments"):
        frontend.load(None, parameters="files")


def test_a_model_by_its_example():
    shapes = {"input": {0: Dim("rows")}}
    module = frontend.from_module(torch.nn.ReLU(), (X,), dynamic_shapes=shapes)
    assert "relax.relu" in str(module) and "rows" in str(module)


def test_a_converter_that_fails_names_the_node(monkeypatch: pytest.MonkeyPatch):
    from relax_dialect.frontends.torch import registry

    def fails(node: Any) -> Any:
        return node.arguments["missing"]

    monkeypatch.setitem(registry.table(), "cos", fails)
    message = (
        r"cos, cos.default \(test_torch_importer.py:\d+\): expected arguments that its converter"
    )
    with pytest.raises(frontend.TorchError, match=message):
        load(lambda self, x: x.cos(), X)


def test_gradients_of_an_imported_model_are_those_of_pytorch():
    from relax_dialect.gradient import gradient

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.LayerNorm(3), torch.nn.GELU())

    class Loss(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, x: Any, y: Any) -> Any:
            return torch.nn.functional.mse_loss(self.model(x), y)

    loss, y = Loss(), torch.ones(3, 3)
    loss(X, y).backward()
    program = frontend.load_program(torch.export.export(loss, (X, y)), parameters="arguments")
    gradient(program.module, "main", wrt=list(program.parameters[2:]))
    arguments = [ROWS, y.numpy(), *program.weights.values()]
    _, found = interpret.run(program.module, "main_adjoint", *arguments)
    for one, other in zip(found, model.parameters(), strict=True):
        assert np.allclose(one, other.grad.numpy(), atol=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        torch.nn.Dropout(),
        torch.nn.AlphaDropout(),
        torch.nn.FeatureAlphaDropout(),
        torch.nn.InstanceNorm1d(3, track_running_stats=True),
    ],
    ids=lambda model: type(model).__name__,
)
def test_random_numbers_and_moving_statistics_of_training_are_refused(model: Any):
    exported = torch.export.export(model.train(), (X[None],))
    with pytest.raises(frontend.TorchError):
        frontend.load(exported)
