"""Programs of any size, as text: what the benchmarks compile."""

from __future__ import annotations

from collections.abc import Iterable


def matmul(n: int | str, k: int | str, m: int | str) -> str:
    """A product of matrices; a size that is a name is symbolic."""
    a, b, c = (f"!relax.tensor<[{i}, {j}], f32>" for i, j in ((n, k), (k, m), (n, m)))
    return f"""\
relax.func @main(%a: {a}, %b: {b}) -> {c} {{
  %y = relax.dataflow {{
    %c = relax.matmul %a, %b : ({a}, {b}) -> {c}
    relax.output %c : {c}
  }}
  relax.return %y : {c}
}}
"""


X = "!relax.tensor<[n, 64], f32>"
W = "!relax.tensor<[64, 64], f32>"
B = "!relax.tensor<[64], f32>"


def _block(bindings: Iterable[str], last: str) -> str:
    body = "\n".join(f"    {binding}" for binding in bindings)
    return f"""\
relax.func @main(%x: {X}, %w: {W}, %b: {B}) -> {X} {{
  %y = relax.dataflow {{
{body}
    relax.output {last} : {X}
  }}
  relax.return %y : {X}
}}
"""


def layers(count: int) -> str:
    """A dataflow block of `count` bindings: dense layers, `relu(x @ w + b)`, in sequence."""
    steps = (("matmul", ", %w", f", {W}"), ("add", ", %b", f", {B}"), ("relu", "", ""))
    lines, value = [], "%x"
    for i in range(count):
        op, operand, type = steps[i % 3]
        result = f"%{'mar'[i % 3]}v{i}"
        lines.append(f"{result} = relax.{op} {value}{operand} : ({X}{type}) -> {X}")
        value = result
    return _block(lines, value)


def residuals(count: int) -> str:
    """A dataflow block of `count` elementwise bindings, whose values are used twice."""
    lines, value, before = [], "%x", "%x"
    for i in range(count):
        result = f"%v{i}v"
        if i % 2:
            lines.append(f"{result} = relax.add {value}, {before} : ({X}, {X}) -> {X}")
        else:
            lines.append(f"{result} = relax.tanh {value} : ({X}) -> {X}")
        value, before = result, value
    return _block(lines, value)


BLOCKS = {"dense layers": layers, "elementwise": residuals}
"""The dataflow blocks whose compilation is measured."""
