"""The report of the benchmark: ratios, tables, JSON, the chart."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from bench import report
from bench.chart import COLOURS, LABELS, PLOT, Scale, chart
from bench.comparing import Result, agree, geometric_mean
from bench.measuring import Timing, cell, interleaved, summary

PEERS = ("onnxruntime", "torch", "numpy")


def result(**seconds: float) -> Result:
    noise = dict.fromkeys(seconds, 0.02)
    return Result("Products", "a < b & c", seconds, noise, "GF/s", 4e9, 100e9, faults=3.0)


EVERYBODY = result(static=0.1, symbolic=0.2, onnxruntime=0.4, torch=0.3, numpy=0.01)
ALONE = result(symbolic=0.2)


def test_the_measure_is_the_better_of_two_peers():
    assert EVERYBODY.best_peer == 0.3  # numpy is faster, and only shown
    assert EVERYBODY.ratio("static") == pytest.approx(3)
    assert EVERYBODY.ratio("symbolic") == pytest.approx(1.5)
    assert result(static=0.1, torch=0.2).ratio("static") == pytest.approx(2)


def test_without_peers_there_is_no_ratio():
    assert ALONE.best_peer is None
    assert ALONE.ratio("symbolic") is None
    assert result(torch=0.2).ratio("static") is None


def test_the_share_is_that_of_the_better_artifact():
    assert EVERYBODY.share == pytest.approx(4e9 / 0.1 / 100e9)
    assert result(torch=0.2).share is None


def test_a_row_says_what_was_measured():
    names = report.columns(PEERS)
    found = dict(zip(names, report.row(EVERYBODY, PEERS), strict=True))
    assert found == {
        "work": "a < b & c",
        "static µs": "100000",
        "symbolic µs": "200000",
        "ONNX Runtime µs": "400000",
        "PyTorch µs": "300000",
        "numpy µs": "10000",
        "ours": "40 GF/s",
        "machine": "100 GF/s",
        "of it": "40 %",
        "static ratio": "3",
        "symbolic ratio": "1.5",
        "noise": "2 %",
        "page faults": "3",
    }


def test_what_was_not_measured_is_empty():
    found = dict(zip(report.columns(PEERS), report.row(ALONE, PEERS), strict=True))
    empty = {name for name, value in found.items() if value == ""}
    peers = {"ONNX Runtime µs", "PyTorch µs", "numpy µs"}
    assert empty == {"static µs", "static ratio", "symbolic ratio", *peers}


def test_a_table_ends_with_the_means():
    made = report.table("Products", [EVERYBODY, result(static=0.1, torch=1.2)], PEERS)
    *_, last = made.rows
    assert all(len(row) == len(made.columns) for row in made.rows)
    means = dict(zip(made.columns, last))
    assert (means["static ratio"], means["symbolic ratio"]) == ("6", "1.5")
    assert len(report.table("Products", [ALONE], PEERS).rows) == 1  # nothing to take a mean of


def test_means_are_geometric():
    assert geometric_mean([0.5, 2.0]) == pytest.approx(1)


def test_the_json_has_the_figures_and_the_ratios():
    found = json.loads(json.dumps(report.as_json({"processor": "p"}, [EVERYBODY, ALONE], [])))
    first, second = found["results"]
    assert first["seconds"]["torch"] == 0.3
    assert first["ratios"] == {"static": pytest.approx(3), "symbolic": pytest.approx(1.5)}
    assert second["ratios"] == {"static": None, "symbolic": None}
    assert found["description"] == {"processor": "p"}


def test_an_earlier_run_is_compared_by_its_ratios():
    figures = json.loads(json.dumps(report.as_json({}, [EVERYBODY], [])))
    now = result(static=0.1, symbolic=0.1, torch=0.6)
    (row,) = report.changes([now], figures).rows
    assert row == ("a < b & c", "3", "6", "2", "1.5", "6", "4")
    (row,) = report.changes([result(symbolic=0.1)], figures).rows  # no peer now: by the times
    assert row == ("a < b & c", "", "", "", "200000", "100000", "2")
    assert report.changes([Result("Products", "another")], figures).rows == []


def test_the_chart_is_well_formed_and_shows_every_ratio():
    extreme = result(static=1.0, symbolic=30.0, torch=0.05)
    root = ElementTree.fromstring(chart([EVERYBODY, extreme, ALONE], "a & b"))
    space = "{http://www.w3.org/2000/svg}"
    texts = [element.text for element in root.iter(f"{space}text")]
    assert {"3.00", "1.50", "0.05", "a < b & c", "a & b", "1"} <= set(texts)
    bars = [r for r in root.iter(f"{space}rect") if r.get("height") != "12"]
    assert [bar.get("fill") for bar in bars] == list(COLOURS.values()) * 2
    for bar in bars:
        assert float(bar.attrib["x"]) >= LABELS
        assert float(bar.attrib["x"]) + float(bar.attrib["width"]) <= LABELS + PLOT + 0.1


def test_a_chart_without_ratios_says_why():
    assert "no peer is installed" in chart([ALONE])
    ElementTree.fromstring(chart([]))


def test_the_chart_names_the_machine():
    said = {"processor": "p", "C compiler": "cc 1", "numpy": "2", "PyTorch": "3"}
    assert report.title(said) == "p, cc 1, PyTorch 3"


def test_the_scale_is_logarithmic_and_shows_equal_speed():
    scale = Scale([0.2, 6.0])
    assert scale.ticks[0] <= 0.2 and scale.ticks[-1] >= 6 and 1.0 in scale.ticks
    assert scale.x(2) - scale.x(1) == pytest.approx(scale.x(1) - scale.x(0.5))


@pytest.mark.parametrize(
    ("found", "message"),
    [([1.0, 2.0], None), ([1.0, 2.001], None), ([1.0, 2.1], "difference"), ([1.0], "shape")],
)
def test_results_are_compared(found: list[float], message: str | None):
    said = agree(found, [1.0, 2.0], 1e-3)
    assert (said is None) if message is None else (said is not None and message in said)


def test_nan_is_no_agreement():
    assert agree([float("nan")], [1.0], 1e-3) is not None


def test_one_turn_that_is_too_fast_does_not_count():
    assert summary([1.0] + [2.0] * 10 + [3.0] * 9) == Timing(2.0, 2.0, 20)
    assert summary([3.0, 1.0, 2.0]) == Timing(1.0, 2.0, 3)


def test_all_take_turns():
    calls: list[str] = []
    first, second = interleaved(
        [lambda: calls.append("a" * 1000), lambda: calls.append("b")], budget=0.01
    )
    assert 0 < first.best <= first.median and first.rounds == second.rounds >= 3
    ends = "".join(call[0] for call in calls[-1:]), calls[2][0]
    assert ends == ("b", "a")


def test_cells_have_three_digits():
    assert [cell(x) for x in ("x", 7, 123.4, 1.2345, None)] == ["x", "7", "123", "1.23", ""]
