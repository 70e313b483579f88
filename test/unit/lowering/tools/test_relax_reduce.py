"""relax-reduce: programs become small and still fail; commands and options that do not fit are refused."""

import re
from pathlib import Path

import pytest
from mutations import mutant

from lowering.tools import relax_reduce
from lowering.tools.reduce.reducing import reduce
from relax_dialect import parse

T = "!relax.tensor<[n, 8], f32>"
PROGRAM = f"""
relax.func private @g(%a: {T}) -> {T} {{
  %b = relax.exp %a : ({T}) -> {T}
  relax.return %b : {T}
}}
relax.func @other(%a: {T}) -> {T} {{
  relax.return %a : {T}
}}
relax.func @main(%x: {T}, %c: !relax.tensor<[], i1>) -> !relax.object {{
  %w = relax.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %y = relax.dataflow {{
    %0 = relax.call @g(%x) : ({T}) -> {T}
    %1 = relax.add %0, %w : ({T}, !relax.tensor<[8], f32>) -> {T}
    %2 = relax.softmax %1 {{axis = 1 : i64}} : ({T}) -> {T}
    %3 = relax.add %2, %0 : ({T}, {T}) -> {T}
    relax.output %3 : {T}
  }}
  %z = relax.if %c : (!relax.tensor<[], i1>) -> {T} {{
    %4 = relax.erf %y : ({T}) -> {T}
    relax.yield %4 : {T}
  }} else {{
    relax.yield %y : {T}
  }}
  %t = relax.tuple %z, %y : ({T}, {T}) -> tuple<{T}, {T}>
  relax.return %t : tuple<{T}, {T}>
}}
"""


@pytest.mark.slow
def test_what_does_not_matter_goes() -> None:
    asked: list[str] = []

    def fails(text: str) -> bool:
        asked.append(text)
        return "relax.softmax" in text and "relax.erf" in text

    small = reduce(PROGRAM, fails)
    assert fails(small)
    parse(small)
    ops = re.findall(r"relax\.\w+(?= )", small)
    assert ops == ["relax.func", "relax.softmax", "relax.erf", "relax.return"]
    assert "n" not in re.findall(r"\w+", small.replace("relax.func", "")), "sizes are small numbers"
    assert len(asked) < 200
    for text in asked:
        parse(text)  # every program that is tried verifies


@pytest.mark.slow
def test_a_constant_keeps_what_matters() -> None:
    small = reduce(PROGRAM, lambda text: "relax.constant" in text)
    assert "dense<1.000000e+00>" in small and "relax.add" not in small


@pytest.mark.slow
def test_the_smallest_program_stays() -> None:
    small = reduce(PROGRAM, lambda text: "relax.exp" in text)
    assert reduce(small, lambda text: "relax.exp" in text) == small
    assert reduce(PROGRAM, lambda text: False) == PROGRAM


@pytest.mark.slow
def test_a_program_that_does_not_verify() -> None:
    text = PROGRAM.replace("axis = 1 : i64", "axis = 7 : i64")
    small = reduce(text, lambda candidate: "axis = 7" in candidate)
    assert small.count("relax.") < 12 and "relax.if" not in small


def test_a_text_that_is_no_program() -> None:
    text = PROGRAM.replace("%3 = relax.add", "%3 = = relax.add")
    assert reduce(text, lambda t: "= =" in t).splitlines() == [
        line for line in text.splitlines() if "= =" in line
    ]


@pytest.mark.slow
def test_damaged_programs_are_made_smaller_without_a_crash() -> None:
    import random

    rng = random.Random(7)
    found = 0
    for _ in range(5):
        module = mutant(PROGRAM, rng)
        if module is None or "relax.softmax" not in (text := str(module)):
            continue
        small = reduce(text, lambda t: "relax.softmax" in t)
        assert "relax.softmax" in small and len(small) <= len(text)
        found += 1
    assert found


# The tool -------------------------------------------------------------------------------------

FAILS = ["sh", "-c", 'if grep -q softmax "$0"; then echo oh no; exit 3; fi', "{}"]


def run(folder: Path, *args: str, command: list[str] | None = None) -> tuple[int, Path]:
    file = folder / "p.mlir"
    file.write_text(PROGRAM)
    small = folder / "small.mlir"
    words = FAILS if command is None else command
    return relax_reduce.main([str(file), "-o", str(small), *args, "--", *words]), small


@pytest.mark.slow
def test_the_tool_writes_the_smaller_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, small = run(tmp_path, "--match", "oh no")
    assert status == 0
    assert [*re.findall(r"relax\.\w+(?= )", small.read_text())] == [
        "relax.func",
        "relax.softmax",
        "relax.return",
    ]
    assert capsys.readouterr().out.endswith(
        f"lines -> {len(small.read_text().splitlines())}: {small}\n"
    )


@pytest.mark.parametrize(
    ("args", "command", "message"),
    [
        (
            [],
            ["true"],
            "true: expected it to fail on .*, found that it succeeds; correct the command",
        ),
        ([], [], "expected a command after --, found none"),
        (
            [],
            ["no-such-command"],
            "command 'no-such-command': expected one that can be run, found none",
        ),
        (["--match", "("], None, r"--match \(: expected a regular expression, found a mistake"),
        (
            ["--match", "ah yes"],
            None,
            "--match ah yes: expected it in the output of .*, found oh no",
        ),
    ],
)
def test_mistakes(
    args: list[str],
    command: list[str] | None,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, small = run(tmp_path, *args, command=command)
    assert status == 1 and not small.exists()
    assert re.search(f"error: {message}", capsys.readouterr().err)


def test_what_takes_too_long_is_kept_as_such(tmp_path: Path) -> None:
    slow = ["sh", "-c", 'if grep -q softmax "$0"; then sleep 9; fi; exit 1', "{}"]
    (tmp_path / "p.mlir").write_text(PROGRAM)
    command = relax_reduce.Command(slow, tmp_path, 0.3)
    assert command.run(PROGRAM).status is None
    assert command.run("").status == 1


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert relax_reduce.main([str(tmp_path / "none"), "-o", "x", "--", "false"]) == 1
    assert "expected a readable file, found none" in capsys.readouterr().err
