"""The report of the memory of a module's functions, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lowering.memory.in_place.size_order import Maximum
from lowering.memory.plan.usage import FunctionUsage, MemoryUsage, ValueUsage
from relax_dialect.errors import RelaxError
from relax_dialect.symbolic import Expr


class MemoryReport:
    """The memory of a module's functions, in bytes: `print(report)`, or `report.json()`.

    If `sizes` contains the symbolic variables, numbers are shown next to the expressions; if the function
    bounds them (`tir_var_upper_bound`), the greatest ones.
    """

    def __init__(self, usage: MemoryUsage, sizes: Mapping[str, int] | None = None):
        self.usage = usage
        self.sizes = dict(sizes or {})
        known = sorted({v for f in usage for v in _variables(f)})
        if (wrong := next((s for s in self.sizes if s not in known), None)) is not None:
            raise RelaxError(
                f"size {wrong}={self.sizes[wrong]}: expected one of the program's symbolic variables, "
                f"{', '.join(known) or 'of which it has none'}; correct the name"
            )

    def peak(self, name: str) -> int:
        """Return the most bytes that a call of a function takes for these sizes, or for all that it
        bounds."""
        return self._number(name, "peak", self.usage[name].peak)

    def lower_bound(self, name: str) -> int:
        """Return the most bytes that are needed at once during a call, for these sizes or all that it
        bounds."""
        return self._number(name, "lower bound", self.usage[name].lower_bound)

    def _number(self, name: str, what: str, size: Maximum) -> int:
        missing = sorted(size.variables() - self.sizes.keys())
        if missing:
            if (most := self._most(self.usage[name], size)) is not None:
                return most
            raise RelaxError(
                f"@{name.removeprefix('@')}: {what}: expected sizes of {', '.join(missing)}, found none; "
                f"pass sizes={{'{missing[0]}': 128, ...}}"
            )
        return size.evaluate(self.sizes)

    def _evaluated(self, size: Expr | Maximum | None) -> int | None:
        if size is None:
            return None
        variables = size.variables() if isinstance(size, Maximum) else set(size.free_variables)
        return size.evaluate(self.sizes) if self.sizes.keys() >= variables else None

    def _most(self, f: FunctionUsage, size: Expr | Maximum | None) -> int | None:
        """Return the greatest value of a size, if the function bounds the variables that `sizes` lacks."""
        if size is None:
            return None
        all_sizes = size if isinstance(size, Maximum) else Maximum([size])
        return all_sizes.most({**f.upper_bounds, **self.sizes})

    # Text

    def __str__(self) -> str:
        return "\n".join(line for f in self.usage for line in self._function(f))

    def _function(self, f: FunctionUsage) -> Iterator[str]:
        yield f"@{f.name}{'' if f.is_entry else ' (private)'}"
        rows = [
            ("peak", self._bounded(f, f.peak)),
            ("lower bound", f"{self._bounded(f, f.lower_bound)}{self._ratio(f)}"),
            ("frame", self._bounded(f, f.frame)),
            ("one by one", self._bounded(f, f.one_by_one)),
        ]
        yield from (f"  {name:12} {text}" for name, text in rows)
        if f.unknown:
            yield f"  {'not counted':12} {', '.join(f.unknown)}"
        if f.values:
            table = [("value", "type", "bytes", "ops", "offset"), *map(self._value, f.values)]
            widths = [max(map(len, column)) for column in zip(*table)]
            for row in table:
                yield "  " + "  ".join(map(str.ljust, row, widths)).rstrip()
        yield ""

    def spelled(self, size: Expr | Maximum | None) -> str:
        """Format a size as an expression, and as a number if the symbolic variables are known."""
        if size is None:
            return "?"
        number = self._evaluated(size)
        text = str(size)
        return text if number is None or text == str(number) else f"{text} = {number}"

    def _bounded(self, f: FunctionUsage, size: Expr | Maximum | None) -> str:
        """Format a size with its number, or else its upper bound."""
        most = self._most(f, size) if self._evaluated(size) is None else None
        return self.spelled(size) + (f" <= {most}" if most is not None else "")

    def _ratio(self, f: FunctionUsage) -> str:
        peak, bound = self._evaluated(f.peak), self._evaluated(f.lower_bound)
        return "" if not peak or not bound else f" (peak: {peak / bound:.2f} of it)"

    def _value(self, v: ValueUsage) -> Sequence[str]:
        ops = f"{v.start}-{'' if v.end is None else v.end}"
        place = "of its own" if v.offset is None else self.spelled(v.offset)
        return v.name, v.type, self.spelled(v.bytes), ops, place

    # JSON

    def json(self) -> str:
        """Return the report as JSON: every size as its expression, and as a number if the sizes are
        known."""
        return json.dumps(
            {"sizes": self.sizes, "functions": [self._function_entry(f) for f in self.usage]},
            indent=2,
        )

    def _function_entry(self, f: FunctionUsage) -> Mapping[str, Any]:
        return {
            "name": f.name,
            "entry": f.is_entry,
            **self._bounded_entry(f, "peak", f.peak),
            **self._bounded_entry(f, "lower_bound", f.lower_bound),
            **self._bounded_entry(f, "frame", f.frame),
            **self._bounded_entry(f, "one_by_one", f.one_by_one),
            "not_counted": list(f.unknown),
            "values": [
                {
                    "name": v.name,
                    "type": v.type,
                    **self._entry("bytes", v.bytes),
                    "from": v.start,
                    "to": v.end,
                    **self._entry("offset", v.offset),
                }
                for v in f.values
            ],
        }

    def _bounded_entry(
        self, f: FunctionUsage, name: str, size: Expr | Maximum | None
    ) -> Mapping[str, Any]:
        found = dict(self._entry(name, size))
        if f"{name}_value" not in found and (most := self._most(f, size)) is not None:
            found[f"{name}_at_most"] = most
        return found

    def _entry(self, name: str, size: Expr | Maximum | None) -> Mapping[str, Any]:
        found: dict[str, Any] = {name: None if size is None else str(size)}
        if (number := self._evaluated(size)) is not None:
            found[f"{name}_value"] = number
        return found


def _variables(f: FunctionUsage) -> set[str]:
    sizes = [s for v in f.values for s in (v.bytes, v.offset) if s is not None]
    return (
        f.peak.variables()
        | f.lower_bound.variables()
        | {n for s in sizes for n in s.free_variables}
    )
