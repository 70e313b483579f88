"""The report of memory: peak, lower bound, lifetimes and places, as text, JSON and numbers."""

from __future__ import annotations

import json

import pytest

import lowering
from examples.models.models import MODELS
from lowering.memory.plan.report import MemoryReport
from relax_dialect import parse
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType

ROWS = "!relax.tensor<[n, 256], f32>"
INNER = "!relax.tensor<[k, 256], f32>"
SQUARE = "!relax.tensor<[256, 256], f32>"
PROGRAM = f"""
relax.func @main(%x: {ROWS}, %w: {SQUARE}) -> {ROWS} {{
  %a = relax.matmul %x, %w : ({ROWS}, {SQUARE}) -> {ROWS}
  %b = relax.matmul %a, %w : ({ROWS}, {SQUARE}) -> {ROWS}
  %c = relax.call @block(%b, %w) : ({ROWS}, {SQUARE}) -> {ROWS}
  %d = relax.matmul %c, %w : ({ROWS}, {SQUARE}) -> {ROWS}
  relax.return %d : {ROWS}
}}
relax.func private @block(%x: {INNER}, %w: {SQUARE}) -> {INNER} {{
  %a = relax.matmul %x, %w : ({INNER}, {SQUARE}) -> {INNER}
  %b = relax.matmul %a, %w : ({INNER}, {SQUARE}) -> {INNER}
  relax.return %b : {INNER}
}}
relax.func @unknown(%x: !relax.tensor<[m], f32>) -> !relax.tensor<[?, ?], i64> {{
  %a = relax.negative %x : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  %b = relax.nonzero %a : (!relax.tensor<[m], f32>) -> !relax.tensor<[?, ?], i64>
  %c = relax.negative %b : (!relax.tensor<[?, ?], i64>) -> !relax.tensor<[?, ?], i64>
  relax.return %c : !relax.tensor<[?, ?], i64>
}}
"""


@pytest.mark.slow
def test_sums_of_too_many_sizes_are_not_counted():
    """More terms than a symbolic size may have."""
    builder = BlockBuilder()
    shapes = {"n": ["n"], **{f"x{k}": [f"n floordiv {k}"] for k in range(2, 80)}}
    with builder.function("f", {n: TensorType(s, "i8") for n, s in shapes.items()}) as values:
        sums = [builder.emit(op.cumsum(value)) for value in values]
        builder.emit_func_output([builder.emit(op.max(each)) for each in sums])
    text = str(lowering.estimate_memory_usage(builder.get()))
    assert "  not counted  sums of more sizes than are followed\n" in text


@pytest.fixture(scope="module")
def report() -> MemoryReport:
    return lowering.estimate_memory_usage(parse(PROGRAM), {"n": 10})


@pytest.mark.slow
def test_text(report):
    """@main: a, b and c, which @block writes, in the frame, and that of @block in place of a; d, the result,
    by itself."""
    assert str(report).split("\n\n")[0].splitlines() == [
        "@main",
        "  peak         4096 * n + 64 = 41024",
        "  lower bound  3072 * n = 30720 (peak: 1.34 of it)",
        "  frame        3072 * n + 64 = 30784",
        "  one by one   4096 * n = 40960",
        "  value  type          bytes             ops   offset",
        "  a      [n, 256] f32  1024 * n = 10240  2-7   0",
        "  b      [n, 256] f32  1024 * n = 10240  5-10  1024 * n + 64 = 10304",
        "  c      [n, 256] f32  1024 * n = 10240  8-14  2048 * n + 64 = 20544",
        "  d      [n, 256] f32  1024 * n = 10240  12-   of its own",
    ]
    _, unknown, block, *_ = str(report).split("\n\n")
    assert block.splitlines() == [
        "@block (private)",
        *(f"  {name:12} 1024 * k" for name in ("peak", "lower bound", "frame", "one by one")),
        "  value  type          bytes     ops  offset",
        "  a      [k, 256] f32  1024 * k  2-6  0",
    ]
    assert "  not counted  b, c" in unknown.splitlines()
    ends = [line.split()[-1] for line in unknown.splitlines() if "] i64" in line]
    assert len(ends) == 3 and ends[1:] == ["own"] * 2


@pytest.mark.slow
def test_numbers(report):
    assert (report.peak("main"), report.lower_bound("@main")) == (41024, 30720)
    other = MemoryReport(report.usage, {"n": 3, "k": 1})
    assert (other.peak("main"), other.peak("block")) == (3 * 4096 + 64, 1024)


@pytest.mark.slow
def test_json(report):
    found = json.loads(report.json())
    assert found["sizes"] == {"n": 10}
    main, block = (
        next(f for f in found["functions"] if f["name"] == name) for name in ("main", "block")
    )
    assert main["entry"] and main["peak"] == "4096 * n + 64" and main["peak_value"] == 41024
    assert main["values"][1] == {
        "name": "b",
        "type": "[n, 256] f32",
        "bytes": "1024 * n",
        "bytes_value": 10240,
        "from": 5,
        "to": 10,
        "offset": "1024 * n + 64",
        "offset_value": 10304,
    }
    assert block == {
        "name": "block",
        "entry": False,
        **dict.fromkeys(("peak", "lower_bound", "frame", "one_by_one"), "1024 * k"),
        "not_counted": [],
        "values": [
            {
                "name": "a",
                "type": "[k, 256] f32",
                "bytes": "1024 * k",
                "from": 2,
                "to": 6,
                "offset": "0",
                "offset_value": 0,
            }
        ],
    }


@pytest.mark.slow
def test_upper_bounds_of_variables_give_numbers():
    bounded = PROGRAM.replace(
        f"-> {ROWS} {{", f"-> {ROWS} attributes {{tir_var_upper_bound = {{n = 10}}}} {{", 1
    )
    report = lowering.estimate_memory_usage(parse(bounded))
    assert (report.peak("main"), report.lower_bound("main")) == (41024, 30720)
    assert "  peak         4096 * n + 64 <= 41024" in str(report).splitlines()
    main = json.loads(report.json())["functions"][0]
    assert main["frame_at_most"] == 30784 and "frame_value" not in main
    assert MemoryReport(report.usage, {"n": 3}).peak("main") == 3 * 4096 + 64


@pytest.mark.slow
def test_what_only_the_running_function_knows_is_named(report):
    unknown = report.usage["unknown"]
    assert "b" in " ".join(unknown.unknown)
    assert all((v.bytes is None) == (v.name in unknown.unknown) for v in unknown.values)


@pytest.mark.slow
def test_mistakes(report):
    with pytest.raises(RelaxError, match=r"size q=1: expected one of .* k, m, n; correct"):
        lowering.estimate_memory_usage(parse(PROGRAM), {"q": 1})
    with pytest.raises(RelaxError, match=r"@block: peak: expected sizes of k, found none; pass"):
        report.peak("block")
    with pytest.raises(RelaxError, match=r"function @none: expected one of @main, .*, found none"):
        report.peak("none")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, variables", [("encoder_block", "nl"), ("residual_block", "nhw"), ("tagger", "ln")]
)
def test_models_take_at_most_a_quarter_more_than_is_needed_at_once(name: str, variables: str):
    """For one CPU: on `generic` the sums of a residual block are longer than are followed, and the report says so."""
    module = MODELS[name].build(MODELS[name].weights())
    usage = lowering.estimate_memory_usage(module, cpu="x86-64-v3").usage
    for size in (40, 64, 128, 300):
        report = MemoryReport(usage, dict.fromkeys(variables, size))
        assert 1 <= report.peak("main") / report.lower_bound("main") <= 1.25
