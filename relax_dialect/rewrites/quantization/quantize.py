"""relax-quantize{calibration="inputs.npz"}: products of constant weights are computed in 8-bit integers.

```mlir
%a = relax.matmul %x, %w : (T, T1) -> T2
%b = relax.add %a, %c : (T2, T3) -> T2
%y = relax.relu %b : (T2) -> T2
->
%q = relax.quantize %x, %sx, %zx {out_dtype = ui8} : ...
%a = relax.matmul_integer %q, %w8, %zx, %zero : ...                  sums in i32
%b = relax.add %a, %c32 : ...
%r = relax.maximum %b, %zero32 : ...
%y = relax.dequantize %r, %sums, %zero32 : ...                       sums: one scale for each channel
```

The regions are found by patterns (`quantizing/regions.py`): matmul, linear and conv2d of f32 with a
constant weight, a constant bias if there is one, and a relu. The module is run in the interpreter on the
calibration inputs, and the range of each region's input determines its scale and zero point
(`quantizing/ranges.py`, `quantizing/scheme.py`); values outside of it are clamped at run time. Successive
regions are connected by `relax.requantize` in 8 bits (`quantizing/connect.py`), so that floats occur only
where other operators need them. Symbolic sizes remain symbolic.

| option        |                                                                                     |
|---------------|-------------------------------------------------------------------------------------|
| `calibration` | an .npz file with an array for each parameter of the entry function                 |
| `entry`       | the function that is run, by default `main`; the functions it calls are quantised too |
| `activations` | `ui8` with a zero point, or `i8` symmetric around 0                                 |
| `percentile`  | 99.9 cuts the range off where a thousandth lies beyond, on each side; 100 does not  |

Other ops are unchanged; if nothing changes the pass reports why.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from relax_dialect.builder.values import Expression, Value
from relax_dialect.dpl import FunctionRule, Match, Pattern, apply_rules
from relax_dialect.dpl.syntax.language import as_pattern
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.rewrites.quantization.quantizing.connect import connect, quantizes
from relax_dialect.rewrites.quantization.quantizing.inputs import (
    Calibration,
    calibration_runs,
    entry_function,
    load_calibration,
)
from relax_dialect.rewrites.quantization.quantizing.quantized_regions import (
    PATTERNS,
    obstacle,
    products,
    region_of,
)
from relax_dialect.rewrites.quantization.quantizing.ranges import Range, observe
from relax_dialect.rewrites.quantization.quantizing.replace import replacement
from relax_dialect.rewrites.quantization.quantizing.scheme import ACTIVATIONS, activation_parameters
from relax_dialect.transform.regions import erase


@dataclass
class Report:
    """The changes that `quantize` made."""

    quantized: list[str] = field(default_factory=list)
    """The products that are computed in integers now."""
    kept: list[tuple[str, str]] = field(default_factory=list)
    """The products that are unchanged, and why."""

    def __str__(self) -> str:
        count = len(self.quantized)
        parts = [f"{count} region{'' if count == 1 else 's'} quantised"]
        parts += [f"{op}: {why}" for op, why in self.kept]
        if not count and not self.kept:
            parts.append("the module has no matmul, linear or conv2d")
        return "; ".join(parts)


def quantize(
    module: ModuleOp,
    calibration: Calibration,
    patterns: Iterable[Pattern] | Pattern | None = None,
    entry: str = "main",
    activations: str = "ui8",
    percentile: float = 100,
) -> Report:
    """Quantise the matches of the patterns, by the ranges on the calibration inputs.

    `calibration` maps parameters of the function `entry` to arrays, or yields tuples of its arguments, one
    for each run. `patterns` are tried in order; each matches a matmul, linear or conv2d, alone or followed
    by an add of a constant and a relu. Raises `RelaxError` for inputs, options and patterns that are not of
    this kind.
    """
    _check_options(activations, percentile)
    if isinstance(patterns, Pattern):
        patterns = [patterns]
    known = [as_pattern(pattern) for pattern in (PATTERNS if patterns is None else patterns)]
    function = entry_function(module, entry)
    runs = calibration_runs(function, calibration)
    ops = products(module)
    names = {op: f"@{name}: {describe(op)}" for op, name in ops.items()}
    why = {op: obstacle(op) for op in ops}
    wanted = {op: name for op, name in names.items() if why[op] is None}
    done: set[Operation] = set()
    if wanted and known:
        ranges = observe(module, function, runs, wanted, percentile)
        done = _replace(module, known, ranges, why, activations)
    report = Report([names[op] for op in ops if op in done])
    for op in ops:
        if op not in done:
            report.kept.append((names[op], why[op] or "no pattern matches it as a whole"))
    return report


def _replace(
    module: ModuleOp,
    patterns: Sequence[Pattern],
    ranges: Mapping[Operation, Range | None],
    why: dict[Operation, str | None],
    activations: str,
) -> set[Operation]:
    """Rewrite the regions and connect them; returns the products that were replaced."""
    done: set[Operation] = set()
    weights: dict[Operation, None] = {}

    def integers(root: Value, match: Match) -> Expression | None:
        region = region_of(match, root.value)
        if region is None or region.product not in ranges:
            return None
        seen = ranges[region.product]
        if seen is None:
            why[region.product] = "no calibration input reaches it"
            return None
        made = replacement(region, activation_parameters(*seen, activations))
        if made is None:
            why[region.product] = "its sums may be beyond i32, or its scales too small for f32"
            return None
        done.add(region.product)
        weights.update(dict.fromkeys(region.constants))
        return made

    earlier: set[Operation] = set(quantizes(module))
    apply_rules([FunctionRule(pattern, integers, "quantize") for pattern in patterns], module)
    if done:
        connect(module, earlier)
    for constant in weights:
        if constant.parent is not None and constant.results[0].first_use is None:
            erase(constant)
    return done


def _check_options(activations: str, percentile: float) -> None:
    if activations not in ACTIVATIONS:
        raise RelaxError(
            f"relax-quantize: activations: expected {' or '.join(ACTIVATIONS)}, found "
            f"{activations!r}; name one of these"
        )
    if not 50 < percentile <= 100:
        raise RelaxError(
            f"relax-quantize: percentile: expected a number above 50 and up to 100, found "
            f"{percentile}; write 99.9 to cut off a thousandth on each side"
        )


@dataclass(frozen=True)
class QuantizePass(ModulePass):
    """Compute products of constant weights in 8-bit integers."""

    name = "relax-quantize"

    calibration: str
    entry: str = "main"
    activations: str = "ui8"
    percentile: int | float = 100

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arrays = load_calibration(self.calibration)
        report = quantize(op, arrays, None, self.entry, self.activations, self.percentile)
        if not report.quantized:
            print(f"relax-quantize: note: {report}", file=sys.stderr)
