"""`relax-compile` and `relax-run` on an ONNX model."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from onnx_models import helper, model, onnx, value

import lowering
import relax_dialect
import relax_dialect.frontends.onnx as load_onnx
from lowering import driver
from lowering.runtime import source_cache
from lowering.tools import checking, relax_compile, relax_run, relax_translate
from relax_dialect.builder import op
from relax_dialect.frontends.onnx import registry

pytestmark = pytest.mark.usefixtures("unoptimised")

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """y = relu(x.1 - x:2): names that no program has, a named size, an input for a constant."""
    nodes = [
        helper.make_node("Sub", ["x.1", "x:2"], ["d"]),
        helper.make_node("Relu", ["d"], ["y"]),
    ]
    inputs = [value("x.1", np.float32, ["batch size", 3]), value("x:2", np.float32, [])]
    folder = tmp_path_factory.mktemp("onnx")
    onnx.save(model(nodes, inputs, ["y"]), folder / "small.onnx")
    np.save(folder / "x.npy", X)
    np.save(folder / "by.npy", np.float32(2.5))
    return str(folder / "small.onnx")


def run(file: str, *options: str) -> np.ndarray:
    output = Path(file).with_name("y.npz")
    assert relax_run.main([file, *options, "--output", str(output)]) == 0
    return np.load(output)["y"]


def test_run_takes_inputs_by_name(file: str):
    folder = Path(file).parent
    y = run(file, "--input", f"x:2={folder}/by.npy", f"x.1={folder}/x.npy")
    assert np.array_equal(y, np.maximum(X - np.float32(2.5), 0))
    assert run(file, "--random", "batch_size=7").shape == (7, 3)


@pytest.mark.parametrize("bound", ["0.1", "{folder}/by.npy"])
def test_run_with_a_size_and_a_bound_input(file: str, bound: str):
    folder = Path(file).parent
    bound = bound.format(folder=folder)
    y = run(file, "--input", f"{folder}/x.npy", "--dim", "batch size=2", "--bind", f"x:2={bound}")
    by = np.load(bound) if bound.endswith(".npy") else np.float32(bound)
    assert np.array_equal(y, np.maximum(X - by, 0))


def test_compile(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """Another constant is another program, for the cache too."""
    monkeypatch.setenv("RELAX_CACHE_DIR", str(tmp_path / "cache"))
    for by in (1, 4):
        assert relax_compile.main([file, "-o", str(tmp_path), "--bind", f"x:2={by}"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].split()[0] == "import"
        assert sum(line.startswith("import ") for line in lines) == 1
    loaded = lowering.load(tmp_path / "small")
    assert np.array_equal(loaded.main(X), np.maximum(X - 4, 0))


def test_the_second_time_nothing_is_imported(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """What changes the module or its C imports the model again: its data in other files too."""
    monkeypatch.setenv("RELAX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("RELAX_CACHE_LIMIT", "10")
    monkeypatch.setattr(source_cache, "_unchanged", lambda: True)
    path, data = tmp_path / "data.onnx", tmp_path / "data.bin"
    network = model(
        [helper.make_node("Mul", ["x", "w"], ["y"])], [value("x", np.float32, ["n"])], ["y"]
    )
    network.graph.initializer.append(onnx.numpy_helper.from_array(np.float32([2, 3]), "w"))
    onnx.save(network, path, save_as_external_data=True, size_threshold=0, location=data.name)
    out = tmp_path / "out"

    def imports(*options: str) -> bool:
        options = ("-o", str(out), "--emit", "c", *options)
        assert relax_compile.main([str(path), *options]) == 0
        return "import " in capsys.readouterr().out

    assert imports() and not imports()
    path.write_bytes(path.read_bytes())
    assert not imports()
    for options in (
        ["--dim", "n=2"],
        ["--bind", "x=[1,2]"],
        ["-O2"],
        ["--cpu", "generic"],
        ["--name", "m"],
    ):
        assert imports(*options) and not imports(*options)
    data.write_bytes(np.float32([4, 5]).tobytes())
    assert imports() and not imports()
    assert imports("--no-cache")
    monkeypatch.setattr(load_onnx, "load_model", None)
    monkeypatch.setattr(driver, "to_c", None)
    for options in (["--check", "onnxruntime"], ["--input", "x=x.npy"]):
        np.save(tmp_path / "x.npy", np.float32([1, 1]))
        monkeypatch.chdir(tmp_path)
        assert (
            relax_run.main(
                [str(path), *options, "--random", "n=2", "--output", "y.npz", "--verbose"]
            )
            == 0
        )
        assert re.match(
            r"Relax to C, from the cache .*\nC to shared object", capsys.readouterr().err
        )
    assert np.load("y.npz")["y"].tolist() == [4, 5]
    assert relax_run.main([str(path), "--input", "z=x.npy"]) == 1
    assert "expected one of the parameters x, found 'z'" in capsys.readouterr().err


def test_translate(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The program is that of the import, with weights in the text or beside it."""
    network = model(
        [helper.make_node("MatMul", ["x", "w.a"], ["y"])],
        [value("x", np.float32, ["n", 4])],
        ["y"],
        {"w.a": np.arange(20, dtype=np.float32).reshape(4, 5)},
    )
    onnx.save(network, tmp_path / "net.onnx")
    command = ["--import-onnx", str(tmp_path / "net.onnx"), "--dim", "n=2", "-o"]
    wanted = str(load_onnx.load(tmp_path / "net.onnx", dims={"n": 2}))
    assert relax_translate.main([*command, "-"]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{wanted}\n" and printed.err.startswith("import ")
    assert relax_translate.main([*command, str(tmp_path / "net.mlir")]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "import",
        "wrote",
        "wrote",
    ]
    assert 'file("net.safetensors", "w_a")' in (tmp_path / "net.mlir").read_text()
    assert str(relax_dialect.load(tmp_path / "net.mlir")) == wanted
    assert (
        relax_translate.main(["--import-onnx", file, "-o", str(tmp_path / "small.mlir"), "--quiet"])
        == 0
    )
    assert capsys.readouterr() == ("", "") and not (tmp_path / "small.safetensors").exists()
    assert relax_translate.main([*command[:-1], "-o", str(tmp_path)]) == 1
    assert "expected a file that can be written to, found none" in capsys.readouterr().err


CHECK = ("--backend", "interpret", "--check", "onnxruntime")


def test_what_onnx_runtime_gives(file: str, capsys: pytest.CaptureFixture[str]):
    given = ("--bind", "x:2=2.5", "--input", f"{Path(file).parent}/x.npy")
    assert relax_run.main([file, *CHECK, *given]) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == "check y: max|difference| 0, max|reference| 2.5: 0 of it"


def test_the_first_node_that_differs_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """By the values of the nodes, in parts; what comes later, or is right, is not named."""
    nodes = [
        helper.make_node("Sub", ["x", "k"], ["d"], "before"),
        helper.make_node("Split", ["d"], ["left", "right"], "parts", axis=1, num_outputs=2),
        helper.make_node("Relu", ["right"], ["r"], "broken"),
        helper.make_node("Exp", ["r"], ["e"], "after"),
        helper.make_node("Mul", ["e", "left"], ["y"]),
    ]
    inputs = [value("x", np.float32, ["n", 4])]
    network = model(nodes, inputs, ["left", "y"], {"k": np.float32(2)}, opset=18)
    file = str(tmp_path / "net.onnx")
    onnx.save(network, file, save_as_external_data=True, size_threshold=0, location="net.bin")
    command = [file, *CHECK, "--random", "n=3"]
    assert relax_run.main(command) == 0
    capsys.readouterr()
    monkeypatch.setitem(registry.table(), ("", "Relu"), {1: lambda node: op.abs(node.tensor(0))})
    for at_once, tolerance in ((1 << 20, "1e-4"), (60, "0.5")):
        monkeypatch.setattr(checking, "AT_ONCE", at_once)
        assert relax_run.main([*command, "--tolerance", tolerance]) == 1
        out, err = capsys.readouterr()
        assert re.search(r"^check left: max\|difference\| 0, ", out, re.M) and "check y: " in out
        assert_one_line(err, f"at most {float(tolerance):g} of max|reference|, found ")
        assert (
            "the first value that differs is 'r' of the node 'broken' (Relu, number 2): max" in err
        )


def test_one_step_of_a_quantized_value_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """A tie that rounding before the quantization decides is named; two steps are not."""
    nodes = [
        helper.make_node("Add", ["x", "half"], ["h"], "before"),
        helper.make_node("QuantizeLinear", ["h", "scale"], ["y"], "rounds"),
    ]
    constants = {"half": np.float32(0.5), "scale": np.float32(1)}
    network = model(nodes, [value("x", np.float32, ["n"])], ["y"], constants, opset=18)
    file, x = str(tmp_path / "tie.onnx"), tmp_path / "x.npy"
    onnx.save(network, file)
    np.save(x, np.float32([0, 2, 100]))
    for error, is_explained in ((1e-6, True), (1.6, False)):

        def inexact(node, error=error):
            return op.add(op.add(node.tensor(0), node.tensor(1)), np.float32(error))

        monkeypatch.setitem(registry.table(), ("", "Add"), {1: inexact})
        assert relax_run.main([file, *CHECK, "--input", str(x), "--tolerance", "1e-3"]) == 1
        err = capsys.readouterr().err
        assert ("it is one step of a quantized value" in err) == is_explained


def test_the_sigmoid_of_onnx_runtime_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Its absolute error is 1e-7: results that are all near 0 differ in every digit."""
    nodes = [helper.make_node("Sigmoid", ["x"], ["y"], "tail")]
    network = model(nodes, [value("x", np.float32, ["n"])], ["y"], {}, opset=18)
    file, x = str(tmp_path / "tail.onnx"), tmp_path / "x.npy"
    onnx.save(network, file)
    np.save(x, np.float32([-15, -16.5, -17.25]))
    assert relax_run.main([file, *CHECK, "--input", str(x)]) == 1
    assert_one_line(capsys.readouterr().err, "; ONNX Runtime's sigmoid is that far from the exact")


@pytest.mark.parametrize(
    ("found", "wanted", "part"),
    [
        ([1, np.inf, np.nan], [1, np.inf, np.nan], 0),
        ([1, 2], [1, 4], 0.5),
        ([1, np.nan], [1, 2], np.inf),
        ([1, np.inf], [1, -np.inf], np.inf),
        ([1e-9], [0.0], np.inf),
        ([], [], 0),
        ([[1]], [1], np.inf),
        ([True], [True], 0),
        ([True], [1], np.inf),
    ],
)
def test_how_far_arrays_are_apart(found: list, wanted: list, part: float):
    assert checking.difference(np.array(found), np.array(wanted)).part == part


def test_comparisons_that_cannot_be_made(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    for words, error in (
        (["m.mlir"], "--check onnxruntime: expected an ONNX model, which both run, found m.mlir"),
        ([file, "--entry", "other"], "expected the model, which is @main, found --entry other"),
        ([file, "--tolerance", "-1"], "--tolerance -1.0: expected a number of 0 or more"),
        ([file, "--tolerance", "nan"], "--tolerance nan: expected a number of 0 or more"),
    ):
        assert relax_run.main([*words, "--check", "onnxruntime"]) == 1
        assert_one_line(capsys.readouterr().err, error)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert relax_run.main([file, "--check", "onnxruntime"]) == 1
    assert_one_line(
        capsys.readouterr().err, "expected the package onnxruntime, found none; pip install"
    )


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (
            ["--dim", "batch size"],
            "--dim batch size: expected a name and a size of 0 or more, as in n=7",
        ),
        (["--dim", "batch size=-1"], "as in n=7, found '-1'; correct it"),
        (
            ["--dim", "n=1"],
            "small.onnx: dims: expected the name of a size ('batch size'), found 'n'",
        ),
        (["--dim", "x:2=1"], "small.onnx: dims: expected the name of a size ('batch size'), found"),
        (["--bind", "x:2=1", "x:2=2"], "--bind x:2=2: 'x:2' occurs twice"),
        (["--bind", "x:2=[1,[2]]"], "expected a number, a list of numbers, or a .npy file"),
        (["--bind", "x:2='1'"], "expected a number, a list of numbers, or a .npy file"),
        (["--bind", "x:2=1e300"], "small.onnx: input 'x:2': bind: expected an array of float32"),
        (["--bind", "z=1"], "small.onnx: bind: expected the name of an input"),
    ],
)
def test_refusals(file: str, options: list[str], error: str, capsys: pytest.CaptureFixture[str]):
    assert relax_run.main([file, *options]) == 1
    assert_one_line(capsys.readouterr().err, error)


@pytest.mark.parametrize("option", ["--dim", "--bind"])
def test_programs_have_no_import(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for tool, more in ((relax_run, []), (relax_compile, ["-o", str(tmp_path)])):
        assert tool.main(["m.mlir", option, "n=1", *more]) == 1
        assert_one_line(capsys.readouterr().err, f"{option} n: expected a .onnx file")


def test_damaged_and_missing_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    damaged = tmp_path / "damaged.onnx"
    damaged.write_bytes(b"\xff no model")
    for path, error in (
        (damaged, "expected a model in ONNX's format"),
        (tmp_path / "no.onnx", "none"),
    ):
        assert relax_compile.main([str(path), "-o", str(tmp_path)]) == 1
        assert_one_line(capsys.readouterr().err, error)


def test_without_the_package(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert relax_run.main([file]) == 1
    assert_one_line(capsys.readouterr().err, "pip install 'relax-xdsl[onnx]'")


def test_commands_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    text = (Path(__file__).parents[4] / "docs" / "onnx.md").read_text("utf-8")
    commands = re.findall(r"^\$ relax-(run|compile|translate) (.*model\.onnx .*)$", text, re.M)
    inputs = [value("image", np.float32, ["batch", 3]), value("scale", np.float32, [])]
    monkeypatch.chdir(tmp_path)
    onnx.save(
        model([helper.make_node("Mul", ["image", "scale"], ["y"])], inputs, ["y"]), "model.onnx"
    )
    np.save("x.npy", X)
    np.save("s.npy", np.float32(3))
    assert len(commands) == 6
    for tool, words in commands:
        tools = {"run": relax_run, "compile": relax_compile, "translate": relax_translate}
        assert tools[tool].main(shlex.split(words, comments=True)) == 0
    (code,) = re.findall(r"^```py\n(.*?)^```$", text, re.M | re.S)
    exec(code, given := {"lowering": lowering, "x": X[:1]})
    assert np.array_equal(given["y"], X[:1] * 2)


def assert_one_line(text: str, error: str) -> None:
    assert error in text
    assert text.count("\n") == 1
