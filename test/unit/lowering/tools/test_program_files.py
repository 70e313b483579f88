"""Files that are passed as programs and are something else."""

from __future__ import annotations

import pytest

from lowering.tools import relax_compile, relax_explore, relax_run


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (
            "x.json",
            "a part of a compiled model; call it as docs/calling.md shows, or run its .json",
        ),
        ("x.pt", "weights of PyTorch; export the model and save it as .pt2 with torch.export.save"),
        ("x.tflite", "a model of TensorFlow; convert it to .onnx with tf2onnx"),
        ("x.npy", "arrays; pass them to relax-run with --input"),
    ],
)
def test_another_kind_of_file(file: str, message: str, capsys: pytest.CaptureFixture[str]):
    tools = [(relax_compile.main, ["-o", "build"]), (relax_explore.main, ["-o", "x.html"])]
    if not file.endswith(".json"):
        tools.append((relax_run.main, []))
    for main, options in tools:
        assert main([file, *options]) == 1
        shown = capsys.readouterr().err
        assert (
            f"error: {file}: expected a program, a .mlir, .onnx, .pt2 or .py file, found {message}"
            in shown
        )
