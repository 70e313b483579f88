"""The pages for those who come from TVM or MLIR: their programs run, and every name in their tables is there."""

from __future__ import annotations

import io
import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import tvm_names_page
from mlir_oracle import mlir_opt
from optional import GCC, MLIR, TVM, TVM_PYTHON, mlir_tool, needs, package
from test_lessons import BLOCK, DOCS
from told import assert_printed, commands, told_by_tool

from lowering.emit_c import emit
from lowering.pipeline import ALL_PASSES, PASSES, lower
from lowering.runtime.shared_object import FLAGS
from relax_dialect.dialect import Relax
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import new_context, parse

pytestmark = pytest.mark.usefixtures("unoptimised")

PAGES = ("from-tvm.md", "from-mlir.md")
TYPES = {f"!{type.name}" for type in Relax.attributes}
TOOLS = (
    "relax-opt",
    "relax-run",
    "relax-compile",
    "relax-translate",
    "relax-reduce",
    "relax-explore",
    "relax-profile",
    "relax-tune",
    "relax-lsp",
)
SUPPORT = Path(tvm_names_page.__file__).parent
TILING = "--affine-loop-tile=tile-size=32"
POLYHEDRAL = (
    "--affine-loop-fusion",
    "--affine-loop-coalescing",
    "--affine-super-vectorize=virtual-vector-size=16",
    "--affine-parallelize",
    "--pass-pipeline=builtin.module(func.func(affine-loop-unroll-jam,affine-scalrep))",
)
"""Passes on `affine` that the page shows in one command, and those that it names."""
ANY_BLOCK = re.compile(r"(?:`([\w.]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"`(!?[\w.-]+)`")


def rows(page: str) -> Iterator[list[str]]:
    """The cells of the tables of a page."""
    text = (DOCS / page).read_text("utf-8")
    for line in re.findall(r"^\| (.*) \|$", text, re.MULTILINE):
        cells = [cell.strip() for cell in line.split(" |")]
        if cells[1] != "here":
            yield cells


def found(name: str) -> Any:
    """The object of a dotted name; its packages are imported as far as they are."""
    path, *rest = name.split(".")
    value = import_module(path)
    for part in rest:
        path = f"{path}.{part}"
        value = getattr(value, part) if hasattr(value, part) else import_module(path)
    return value


def ours_of(page: str) -> list[str]:
    """Our names in the tables of a page."""
    if page == tvm_names_page.PAGE.name:
        return tvm_names_page.all_names()[1]
    return [cell for _, ours, *_ in rows(page) for cell in NAME.findall(ours)]


@pytest.mark.parametrize("page", ("from-tvm-names.md", "from-mlir.md"))
def test_our_names_are_there(page: str):
    cells = ours_of(page)
    assert len(cells) > 20
    ops = {op.name for op in Relax.operations}
    dialects = new_context().registered_dialect_names
    for name in cells:
        if name.startswith("relax-") and name not in ALL_PASSES:
            assert name in TOOLS, name
        elif name.startswith("!"):
            assert name in TYPES, name
        elif name.startswith("relax."):
            assert name in ops, name
        elif "." in name:
            assert found(name) is not None
        else:
            assert name in ALL_PASSES or name in dialects or name in TOOLS, name


def test_the_names_of_tvm_are_up_to_date():
    text = tvm_names_page.PAGE.read_text("utf-8")
    assert text == tvm_names_page.page(), "run python test/unit/support/tvm_names_page.py"
    for each in tvm_names_page.NAMESPACES:
        names = each.names()
        assert len(names) == len(set(names))


def told_by_tvm(script: str, text: str) -> str:
    """The output of a script for a text, run by the Python that has TVM: in this process, if that is its own."""
    path = str(SUPPORT / script)
    if sys.executable != TVM_PYTHON:
        asked = [TVM_PYTHON, path]
        return subprocess.run(asked, input=text, capture_output=True, text=True, check=True).stdout
    output = io.StringIO()
    with patch.object(sys, "stdin", io.StringIO(text)), redirect_stdout(output):
        runpy.run_path(path)
    return output.getvalue()


@pytest.mark.slow
@needs(TVM)
def test_no_name_of_tvm_is_forgotten():
    names = {*tvm_names_page.all_names()[0]}
    known = json.loads(told_by_tvm("tvm_public.py", json.dumps(sorted(names))))
    assert known.pop("missing") == []
    assert len(known["relax.op"]) > 200 and len(known["relax.transform"]) > 70
    for package_name, alternatives in known.items():
        forgotten = [each for each in alternatives if names.isdisjoint(each)]
        assert forgotten == [], package_name


@needs(MLIR)
def test_mlirs_passes_are_there():
    cells = [theirs for theirs, *_ in rows("from-mlir.md") if theirs.startswith("`--")]
    names = [name for cell in cells for name in re.findall(r"`(--[\w-]+)`", cell)]
    assert len(names) > 10
    assert set(names) <= set(mlir_opt("", "--help").split())


@needs(MLIR)
def test_there_and_back():
    (command,) = re.findall(r"^```sh\n(.*)\n```$", (DOCS / "from-mlir.md").read_text("utf-8"), re.M)
    first, second, third = command.split(" | ")
    assert first == "relax-opt half.mlir -p relax-to-loops"
    assert second == "mlir-opt-22 --allow-unregistered-dialect --canonicalize"
    assert third == "relax-opt -t c > half.c"
    loops = str(lower(parse(program("half.mlir")), [*PASSES]))
    assert "main" in emit(parse(mlir_opt(loops, "--canonicalize")), "half").c


@needs(MLIR, GCC)
@pytest.mark.parametrize("option", [TILING, *POLYHEDRAL])
def test_polyhedral_passes(folder: Path, option: str, capsys: Any):
    """The commands of the page, also with the other passes that it names: the result is the product."""
    text = (DOCS / "from-mlir.md").read_text("utf-8")
    raising, tiling, running = re.findall(r"^```sh\n(.*product.*)\n(.*)\n(.*)\n```$", text, re.M)[0]
    assert TILING in tiling and option in text
    (folder / "product.mlir").write_text(program("product.mlir"))
    told_by_tool(raising, capsys)
    command = tiling.replace(TILING, option).split()
    subprocess.run([mlir_tool("mlir-opt"), *command[1:]], check=True)
    told_by_tool(f"{running} --output tiled.npz", capsys)
    interpreted = running.replace("tiled.mlir", "product.mlir --backend interpret")
    told_by_tool(f"{interpreted} --output y.npz", capsys)
    found, expected = (np.load(file)["output"] for file in ("tiled.npz", "y.npz"))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def program(file: str) -> str:
    """A program of the page."""
    text = (DOCS / "from-mlir.md").read_text("utf-8")
    return re.findall(rf"^`{file}`:\n\n```mlir\n(.*?)^```$", text, re.M | re.S)[0]


def test_an_operator_without_a_rule():
    """That of the page, which no extension registers."""
    names: dict[str, Any] = {}
    exec(next(BLOCK.finditer((DOCS / "from-mlir.md").read_text("utf-8")))[2], names)
    with pytest.raises(RelaxError, match=r"signal\.gain .*; register its tensor expression by"):
        lower(names["module"], [*PASSES])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, where C is built in a moment and only once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RELAX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("RELAX_CACHE_LIMIT", "100")
    monkeypatch.setitem(FLAGS, "speed", ("-O0", *FLAGS["speed"][1:]))
    return tmp_path


WITH_TVM = "RELAX_PAGES_WITH_TVM"
"""The variable that has pages run with TVM."""


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("page", PAGES)
def test_the_page_runs(page: str, capsys: Any):
    run_page(page, capsys, with_tvm=WITH_TVM in os.environ)


@pytest.mark.slow
def test_the_page_runs_with_tvm():
    """In a process of its own, as a user's, who has not imported all else that has a compiler inside."""
    package("tvm")
    test = f"{__file__}::{test_the_page_runs.__name__}[from-tvm.md]"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", test]
    left_out = ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    environment |= {WITH_TVM: "1", "TVM_NUM_THREADS": "1"}
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 0 and "1 passed" in told.stdout, told.stdout + told.stderr


def run_page(page: str, capsys: Any, *, with_tvm: bool):
    """Run the Python of a page, in order: its MLIR is a program or what is in `module`, its text what was printed,
    and a file stands under its name. Commands are run where TVM is, which some of them ask for."""
    text = (DOCS / page).read_text("utf-8")
    names: dict[str, Any] = {"__name__": "page"}
    for block in ANY_BLOCK.finditer(text):
        file, kind, inside = block.groups()
        if file is not None:
            Path(file).write_text(inside)
        elif kind == "python" and (with_tvm or not inside.startswith("# with TVM")):
            above = "\n" * text.count("\n", 0, block.start(3))
            capsys.readouterr()
            exec(compile(above + inside, page, "exec"), names)
        elif kind == "mlir" and inside.startswith("builtin.module"):
            assert str(names["module"]) == inside.rstrip()
        elif kind == "mlir":
            parse(inside)
        elif kind == "text":
            assert_printed(capsys.readouterr().out, inside)
        elif kind == "console" and with_tvm:
            for command, expected in commands(inside):
                assert_printed(told_by_tool(command, capsys), expected)
