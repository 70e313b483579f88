"""The tools on exported programs of PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import package

from lowering.tools import relax_compile, relax_run, relax_translate
from relax_dialect import interpret, load

torch = package("torch")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
    shapes = {"input": {0: torch.export.Dim("n")}}
    exported = torch.export.export(model, (torch.zeros(2, 4),), dynamic_shapes=shapes)
    torch.export.save(exported, tmp_path / "net.pt2")
    np.save(tmp_path / "x.npy", np.ones((5, 4), np.float32))
    np.save(tmp_path / "y.npy", model(torch.ones(5, 4)).detach().numpy())
    return tmp_path / "net.pt2"


def test_run(program: Path, tmp_path: Path):
    out = tmp_path / "out.npz"
    command = [str(program), "--input", str(tmp_path / "x.npy"), "--output", str(out)]
    assert not relax_run.main([*command, "--backend", "interpret", "--quiet"])
    (found,) = np.load(out).values()
    assert np.allclose(found, np.load(tmp_path / "y.npy"), atol=1e-6)


def test_compile(program: Path, tmp_path: Path, capsys: Any):
    assert not relax_compile.main([str(program), "-o", str(tmp_path / "c"), "--emit", "c"])
    assert (
        "net_main" in (tmp_path / "c/net.h").read_text() and "input: [" in capsys.readouterr().out
    )


def test_translate(program: Path, tmp_path: Path):
    written = tmp_path / "net.mlir"
    assert not relax_translate.main(["--import-torch", str(program), "-o", str(written), "--quiet"])
    found = interpret.run(load(str(written)), "main", np.ones((5, 4), np.float32))
    assert np.allclose(found, np.load(tmp_path / "y.npy"), atol=1e-6)


def test_options_of_other_imports_are_refused(program: Path, tmp_path: Path, capsys: Any):
    assert relax_run.main([str(program), "--random", "--dim", "n=2"]) == 1
    assert "expected a .onnx file, which is imported, found" in capsys.readouterr().err
