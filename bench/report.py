"""Results as tables in Markdown, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from bench.comparing import OURS, Result, geometric_mean
from bench.languages import PEERS
from bench.machine import PACKAGES
from bench.measuring import Table, cell
from lowering.support.target import NATIVE

NOTE = """\
Times are microseconds on the processor per call from Python: the best of rounds in which all take turns, on
one core with one thread; with --threads on as many cores, by the wall clock. What the machine can do was
measured in the same rounds: multiply-adds, products of bytes, or a memcpy of as many bytes as arguments and
result have. A ratio is the time of the better of ONNX Runtime and PyTorch by ours: above 1 we are faster.
Noise is by how much the median turn of our better artifact is above its best. bench/README.md says more.
"""


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share * 100:.0f} %"


def columns(peers: Sequence[str]) -> tuple[str, ...]:
    return (
        *("work", "static µs", "symbolic µs"),
        *(f"{PEERS[name].name} µs" for name in peers),
        *("ours", "machine", "of it", "static ratio", "symbolic ratio", "noise", "page faults"),
    )


def row(result: Result, peers: Sequence[str]) -> tuple[str, ...]:
    """Format a result as cells; missing measurements are empty."""

    def time(name: str) -> str:
        seconds = result.seconds.get(name)
        return "" if seconds is None else cell(seconds * 1e6)

    def rate(value: float | None) -> str:
        return f"{cell(value / 1e9)} {result.unit}" if value else ""

    better = min(
        (n for n in OURS if n in result.seconds), key=result.seconds.__getitem__, default=""
    )
    return (
        result.title,
        *map(time, (*OURS, *peers)),
        rate(result.rate),
        rate(result.bound),
        _percent(result.share),
        *(cell(result.ratio(name)) for name in OURS),
        _percent(result.noise.get(better)),
        cell(result.faults),
    )


def table(title: str, results: Sequence[Result], peers: Sequence[str]) -> Table:
    """Return the results of a group, with the geometric means of their ratios."""
    made = Table(title, columns(peers), [row(result, peers) for result in results])
    means = [_mean(results, name) for name in OURS]
    if any(means):
        before = len(made.columns) - len(means) - 3
        made.rows.append(("geometric mean", *[""] * before, *means, "", ""))
    return made


def _mean(results: Iterable[Result], ours: str) -> str:
    ratios = [ratio for result in results if (ratio := result.ratio(ours)) is not None]
    return cell(geometric_mean(ratios)) if ratios else ""


def changes(results: Iterable[Result], earlier: Mapping[str, Any]) -> Table:
    """Return the changes of ratios since an earlier run's JSON; of times, where there were no peers."""
    made = Table(
        "Compared with an earlier run: ratios to the best peer, or µs without one",
        ("work", *(f"{name} {when}" for name in OURS for when in ("before", "now", "faster by"))),
    )
    known = {(row["name"], row.get("cpu", NATIVE)): row for row in earlier["results"]}
    for result in results:
        if (result.name, result.cpu) not in known:
            continue
        cells: list[str] = []
        for name in OURS:
            cells += _change(result, known[result.name, result.cpu], name)
        made.rows.append((result.title, *cells))
    return made


def _change(result: Result, earlier: Mapping[str, Any], ours: str) -> Sequence[str]:
    """Return the figures before and now, and the factor of improvement."""
    before, now = earlier["ratios"][ours], result.ratio(ours)
    if before is not None and now is not None:
        return cell(before), cell(now), cell(now / before)
    before, now = earlier["seconds"].get(ours), result.seconds.get(ours)
    if before is None or now is None:
        return "", "", ""
    return cell(before * 1e6), cell(now * 1e6), cell(before / now)


def heading(description: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines about the run and the machine."""
    yield "# Benchmark\n"
    yield from (f"* {name}: {value}" for name, value in description.items())
    yield f"\n{NOTE}"


def title(description: Mapping[str, str]) -> str:
    """Return a line about the machine and the packages of the run."""
    plain = [description[name] for name in ("processor", "C compiler") if name in description]
    return ", ".join([*plain, *(f"{n} {description[n]}" for n in PACKAGES if n in description)])


def as_json(
    description: Mapping[str, str], results: Iterable[Result], tables: Iterable[Table]
) -> dict[str, Any]:
    """Return all figures: every result with its ratios, and the tables that are no comparison of works."""
    rows = [
        {
            **asdict(result),
            "best_peer": result.best_peer,
            "share": result.share,
            "ratios": {name: result.ratio(name) for name in OURS},
        }
        for result in results
    ]
    return {
        "description": dict(description),
        "results": rows,
        "tables": [asdict(table) for table in tables],
    }
