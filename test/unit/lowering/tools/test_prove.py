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


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--prove", "--prove-limit", "0"], "--prove-limit 0: expected a number of 1 or more"),
        (["-p", 'relax-prove{before="x" limit=0}'], "limit: expected a number of milliseconds"),
    ],
)
def test_limits_are_positive(args: list[str], expected: str):
    found = relax_opt(*args, text=plus("0.0"))
    assert found.returncode == 1 and expected in found.stderr


def test_without_z3():
    with patch("relax_dialect.prove.find_spec", return_value=None):
        found = relax_opt("--prove", "-p", "relax-dce", text=plus("0.0"))
    assert found.returncode == 1 and "pip install 'relax-xdsl[prove]'" in found.stderr
