"""The works of the benchmark: every language computes the same, with and without peers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from optional import package

from bench import __main__ as program
from bench import arguments, comparing, machine
from bench.languages import PEERS, Language, MissingError, Peer, ours
from bench.work import Input, Work
from lowering.support.target import NATIVE, native
from relax_dialect import interpret

ROOT = Path(__file__).parents[3]
ALL = [work for works in program.WORKS.values() for work in works]
SMALL = {"m": 3, "n": 2, "k": 5, "b": 2, "h": 33, "w": 33, "l": 3, "depth": 64}


def small(work: Work) -> Work:
    """The same with sizes that take no time."""
    return replace(work, sizes={name: SMALL[name] for name in work.sizes})


def tiny() -> Work:
    inputs = (Input(("n", 3)), Input(("n", 3)))
    return Work("tiny", lambda o, x, y: o.relu(o.add(x, y)), inputs, {"n": 2})


FAMILIES = {work.network: work for work in ALL if not work.prepare}.values()
"""One row for each network: those of other sizes compute the same."""
LARGE = ("encoder", "ResNet", "3x3, 256", "3x3, 512", "1x1, 256")
"""Works that are left to the runs of the benchmark, which compare too."""


def test_names_are_names_of_one_row():
    names = [work.name for work in ALL]
    assert len(set(names)) == len(names)


def test_the_core_set_has_rows_of_every_group():
    assert all(any(work.core for work in works) for works in program.WORKS.values())


@pytest.mark.parametrize(
    "work", [w for w in FAMILIES if not any(n in w.name for n in LARGE)], ids=lambda w: w.name
)
def test_the_languages_agree(work: Work):
    """Torch, ONNX Runtime and numpy compute what the interpreter makes of our program."""
    package("torch")
    package("onnxruntime")
    work = small(work)
    arrays = work.arrays()
    expected = interpret.run(ours.module(work, symbolic=True), "main", *arrays)
    spoken = 0
    for name in ("onnxruntime", "torch", "numpy"):
        try:
            found = PEERS[name].prepare(work, arrays)()
        except MissingError:
            continue
        assert comparing.agree(found, expected, 1e-4) is None
        spoken += 1
    assert spoken


ALONE = """
import sys
for name in ("torch", "onnx", "onnxruntime", "tvm", "iree"):
    sys.modules[name] = None  # as if it were not installed
from bench.__main__ import main
sys.exit(main(["--match", "sum, columns", "--budget", "0.01", *sys.argv[1:]]))
"""


@pytest.mark.long
def test_without_peers_their_columns_are_empty(tmp_path: Path):
    figures = tmp_path / "figures.json"
    command = [
        sys.executable,
        "-c",
        ALONE,
        "--json",
        str(figures),
        "--svg",
        str(tmp_path / "p.svg"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"\| sum, columns \| [\d.]+ \| [\d.]+ \|  \|  \| [\d.]+ \|", done.stdout)
    (row,) = json.loads(figures.read_text())["results"]
    assert set(row["seconds"]) == {"static", "symbolic", "numpy"}
    assert row["ratios"] == {"static": None, "symbolic": None}
    assert "no peer is installed" in (tmp_path / "p.svg").read_text()


@pytest.mark.long
def test_a_wrong_result_is_told_and_not_timed(monkeypatch: pytest.MonkeyPatch):
    wrong = replace(tiny(), peers={"numpy": lambda work, arrays: lambda: np.ones((2, 3))})
    (found,) = comparing.compare("g", wrong, ("numpy",), budget=0)
    assert set(found.seconds) == {"numpy"}
    assert [message.partition(":")[0] for message in found.wrong] == [
        "tiny, static",
        "tiny, symbolic",
    ]


@pytest.mark.slow
def test_a_peer_that_fails_leaves_its_cell_empty(capsys: pytest.CaptureFixture[str]):
    def broken(work: Work, arrays: Any) -> Any:
        raise ValueError("no such kernel")

    (found,) = comparing.compare(
        "g", replace(tiny(), peers={"numpy": broken}), ("numpy",), budget=0
    )
    assert set(found.seconds) == {"static", "symbolic"}
    assert "numpy, tiny: no such kernel" in capsys.readouterr().err


@pytest.mark.slow
def test_a_wrong_peer_is_noted_and_no_error_of_ours(capsys: pytest.CaptureFixture[str]):
    """Where the expected result is known."""
    saturated = {"numpy": lambda work, arrays: lambda: np.ones((2, 3))}
    work = replace(tiny(), peers=saturated, expected=lambda x, y: np.maximum(x + y, 0))
    native, other = comparing.compare("g", work, ("numpy",), 0, (NATIVE, "generic"))
    assert not native.wrong and not other.wrong
    assert set(native.seconds) == set(other.seconds) == {"static", "symbolic", "numpy"}
    assert (native.title, other.title) == ("tiny", "tiny, generic")
    assert "note: numpy, tiny: expected a difference of at most" in capsys.readouterr().err


def test_no_limit_is_met_after_errors():
    run = program.Run(("numpy",), 0)
    assert program.verdict(run) == "Every limit is met."
    run.results = [comparing.Result("g", "x", wrong=["x, static: wrong"])]
    assert program.verdict(run) == "1 results are wrong or missing."


def test_a_cpu_that_this_machine_lacks(capsys: pytest.CaptureFixture[str]):
    other = "aarch64" if native().architecture != "aarch64" else "x86-64-v3"
    with pytest.raises(SystemExit):
        arguments.parse(["--cpu", other], {}, [])
    assert "expected a CPU whose code this machine runs" in capsys.readouterr().err


def test_an_operator_that_a_language_lacks():
    with pytest.raises(MissingError, match="Language has no matmul"):
        Language({}).matmul()
    assert not Peer("x", "x", ("a_package_that_nobody_has.inner",)).installed


def test_what_the_machine_does():
    run, operations = machine.multiply_adds()
    assert run() == operations == 2 * 12 * machine._library().lanes() * machine.TURNS
    run, products = machine.byte_products()
    assert run() == products == 4 * operations
    assert {work.unit for work in ALL if work.operations} == set(machine.PEAKS)
    copy, moved = machine.copying(1000)
    copy()
    assert moved == 1000


def test_an_artifact_for_all_sizes_serves_all_rows():
    work = tiny()
    artifact = ours.compiled(work, symbolic=True)
    assert ours.compiled(replace(work, sizes={"n": 5}), symbolic=True) is artifact
    assert ours.compiled(tiny(), symbolic=True) is not artifact  # another network


@pytest.mark.slow
def test_the_program_from_end_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(program, "WORKS", {"million": [tiny()]})
    monkeypatch.setattr(program, "use_one_core", lambda: None)  # the tests go on, on all cores
    figures, picture = tmp_path / "figures.json", tmp_path / "picture.svg"
    argv = [
        *("--budget", "0.001"),
        "--match",
        "tiny",
        "--peers",
        "numpy",
        "--json",
        str(figures),
        "--svg",
        str(picture),
    ]
    assert program.main(argv) == 0
    printed = capsys.readouterr().out
    assert "* C compiler: " in printed and "| tiny |" in printed
    (row,) = json.loads(figures.read_text())["results"]
    assert set(row["seconds"]) == {"static", "symbolic", "numpy"}
    ElementTree.parse(picture)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--match", "nothing"], "expected a part of the name of a work, found none"),
        (["--only", "sorting", "--match", "conv"], "of a work of sorting, found none"),
        (["--budget", "0"], "expected seconds above 0"),
        (["--json", "no/such/folder/b.json"], "expected a folder no/such/folder, found none"),
        (["--before", "no/such/file.json"], "expected what --json wrote, found: "),
        (["--before", str(ROOT / "examples/digits/digits.mlir")], "found: Expecting value"),
        (["--only", "nothing"], "invalid choice: 'nothing'"),
        (["--peers", "nobody"], "invalid choice: 'nobody'"),
    ],
)
def test_a_mistake_is_told_before_anything_runs(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit):
        program.main(argv)
    assert message in capsys.readouterr().err


def chosen(*argv: str) -> tuple[set[str], set[str]]:
    """The groups of the rows, and the tables, that a command line asks for."""
    names = [program.MODELS, *program.TABLES]
    asked = arguments.parse(argv, program.WORKS, names)
    rows = {group for group, works in program.WORKS.items() if asked.rows(group, works)}
    return rows, {name for name in names if asked.wants(name, core=name == program.MODELS)}


def test_what_is_measured():
    assert chosen() == (set(program.WORKS), {"models"})
    assert chosen("--full") == (set(program.WORKS), {"models", *program.TABLES})
    assert chosen("--only", "sorting", "sizes") == ({"sorting"}, {"sizes"})
    assert chosen("--match", "depthwise") == ({"convolutions"}, set())
    rows = arguments.parse(["--only", "products"], program.WORKS, [])
    assert rows.rows("products", program.WORKS["products"]) == list(program.WORKS["products"])
