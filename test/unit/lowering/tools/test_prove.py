"""`relax-opt --prove` and the pass `relax-prove`: verdicts, counterexamples that run, exit codes."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from optional import package
from test_relax_opt import relax_opt

from relax_dialect.interpret import run
from relax_dialect.parsing import parse

package("z3", "prove")

T = "!relax.tensor<[n, m], f32>"
ZERO = "!relax.tensor<[], f32>"


def plus(number: str) -> str:
    return f"""
relax.func @main(%x: {T}) -> {T} {{
  %c = relax.constant dense<{number}> : tensor<f32>
  %a = relax.add %x, %c : ({T}, {ZERO}) -> {T}
  relax.return %a : {T}
}}
"""


FAST = "relax-simplify-algebra{fast-math=true}"


def test_a_pass_is_proved():
    found = relax_opt("--prove", "-p", "relax-dce,relax-simplify-algebra", text=plus("-0.0"))
    assert found.returncode == 0 and "relax.add" not in found.stdout
    assert found.stderr.splitlines() == [
        "relax-dce: nothing changed",
        "relax-simplify-algebra: @main: proved",
    ]


def test_a_pass_is_refuted_by_a_program():
    found = relax_opt("--prove", "-p", FAST, text=plus("0.0"))
    assert found.returncode == 1
    first, *program, last = found.stderr.strip().split("\n")
    assert "@main: refuted: element [0, 0]: 0.0 before, -0.0 after" in first
    assert last.startswith("error: --prove: expected passes that keep every result, found counter")
    module = parse("\n".join(program))
    before, after = (run(module, f"main_{which}") for which in ("before", "after"))
    assert not np.signbit(before).any() and np.signbit(after).all()


def test_what_is_not_known_is_named():
    matmul = f"""
relax.func @main(%x: {T}, %y: !relax.tensor<[m, n], f32>) -> !relax.tensor<[n, n], f32> {{
  %a = relax.matmul %x, %y : ({T}, !relax.tensor<[m, n], f32>) -> !relax.tensor<[n, n], f32>
  relax.return %a : !relax.tensor<[n, n], f32>
}}
"""
    found = relax_opt("--prove", "-p", "relax-legalize", text=matmul)
    assert found.returncode == 0
    assert "@main: outside of the fragment: relax.call_tir, relax.matmul" in found.stderr


def test_a_program_is_compared_with_a_file(tmp_path: Path):
    file = tmp_path / "before.mlir"
    file.write_text(plus("-0.0"))
    passes = f'relax-simplify-algebra,relax-prove{{before="{file}"}}'
    found = relax_opt("-p", passes, text=plus("-0.0"))
    assert (found.returncode, found.stderr) == (0, "relax-prove: @main: proved\n")
    found = relax_opt("-p", f'relax-prove{{before="{file}"}}', text=plus("0.0"))
    assert found.returncode == 1 and "found counterexamples to @main;" in found.stderr


def of_two(name: str, *ops: str) -> str:
    """A function of x and y."""
    types = f"({T}, {T}) -> {T}"
    lines = [f"  %{number} = relax.{op} : {types}" for number, op in enumerate(ops)]
    return "\n".join(
        [
            f"relax.func @{name}(%x: {T}, %y: {T}) -> {T} {{",
            *lines,
            f"  relax.return %{len(ops) - 1} : {T}",
            "}\n",
        ]
    )


def compared(tmp_path: Path, before: str, after: str, over: str):
    """A program compared with another one."""
    file = tmp_path / "before.mlir"
    file.write_text(before)
    return relax_opt("-p", f'relax-prove{{before="{file}" over={over}}}', text=after)


def test_rounding_is_ignored_over_the_reals(tmp_path: Path):
    before = of_two("main", "add %x, %x", "add %0, %y")
    after = of_two("main", "add %x, %y", "add %x, %0")
    found = compared(tmp_path, before, after, "reals")
    first, *program = found.stderr.strip().split("\n")
    expected = (
        "relax-prove: @main: equal over the reals: not bit for bit for IEEE floats: element ["
    )
    assert found.returncode == 0 and first.startswith(expected)
    module = parse("\n".join(program))
    old, new = (run(module, f"main_{which}") for which in ("before", "after"))
    assert np.allclose(old, new) and not np.array_equal(old, new)
    found = compared(tmp_path, before, after, "floats")
    assert found.returncode == 1 and found.stderr.rstrip().endswith(
        "or prove with over=reals if only rounding may differ"
    )


def test_over_the_reals_bit_for_bit_comes_first(tmp_path: Path):
    found = compared(tmp_path, of_two("f", "add %x, %y"), of_two("f", "add %y, %x"), "reals")
    assert (found.returncode, found.stderr) == (0, "relax-prove: @f: proved\n")


def test_a_difference_beyond_rounding_is_refuted(tmp_path: Path):
    before, after = of_two("f", "add %x, %y"), of_two("f", "subtract %x, %y")
    found = compared(tmp_path, before, after, "reals")
    assert found.returncode == 1 and "@f: refuted: element [0, 0]: " in found.stderr
    assert "over=reals" not in found.stderr  # of which the mend is no option


def test_a_recogniser_is_proved_over_the_reals():
    unary = f"({T}) -> {T}"
    silu = f"""
relax.func @main(%x: {T}) -> {T} {{
  %0 = relax.sigmoid %x : {unary}
  %1 = relax.multiply %x, %0 : ({T}, {T}) -> {T}
  relax.return %1 : {T}
}}
"""
    args = ("--prove", "-p", "relax-recognize-operators")
    found = relax_opt("--prove-over", "reals", *args, text=silu)
    assert found.returncode == 0 and "relax.silu" in found.stdout
    assert "@main: equal over the reals: not bit for bit for IEEE floats" in found.stderr
    assert "@main: outside of the fragment: relax.sigmoid" in relax_opt(*args, text=silu).stderr


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--prove", "--prove-limit", "0"], "--prove-limit 0: expected a number of 1 or more"),
        (["-p", 'relax-prove{before="x" limit=0}'], "limit: expected a number of milliseconds"),
        (
            ["-p", 'relax-prove{before="x" over=rationals}'],
            "relax-prove: over: expected floats or reals, found 'rationals'; pass another one",
        ),
        (["--prove", "--prove-over", "bits"], "invalid choice: 'bits' (choose from"),
    ],
)
def test_wrong_options(args: list[str], expected: str):
    found = relax_opt(*args, text=plus("0.0"))
    assert found.returncode in (1, 2) and expected in found.stderr


def test_without_z3():
    with patch("relax_dialect.prove.find_spec", return_value=None):
        found = relax_opt("--prove", "-p", "relax-dce", text=plus("0.0"))
    assert found.returncode == 1 and "pip install 'relax-xdsl[prove]'" in found.stderr
