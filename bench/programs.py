"""Programs of any size, as text, for the compiler benchmarks."""

from __future__ import annotations

from collections.abc import Iterable


def matmul(n: int | str, k: int | str, m: int | str) -> str:
    """Write a product of matrices; a size that is a name is symbolic."""
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
    """Write a dataflow block of `count` bindings: dense layers, `relu(x @ w + b)`, in sequence."""
    steps = (("matmul", ", %w", f", {W}"), ("add", ", %b", f", {B}"), ("relu", "", ""))
    lines, value = [], "%x"
    for i in range(count):
        op, operand, type = steps[i % 3]
        result = f"%{'mar'[i % 3]}v{i}"
        lines.append(f"{result} = relax.{op} {value}{operand} : ({X}{type}) -> {X}")
        value = result
    return _block(lines, value)


def residuals(count: int) -> str:
    """Write a dataflow block of `count` elementwise bindings, whose values are used twice."""
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


# Great length and depth: every program has a function @main of x and of a condition c ---------------

F = "!relax.tensor<[n], f32>"
K = "!relax.tensor<[k], f32>"
C = "!relax.tensor<[], i1>"
MAIN = f"relax.func @main(%x: {F}, %c: {C}) -> {F} {{"


def bindings(count: int) -> str:
    """Write a binding block in which each value depends on the one before, most of them used twice."""
    lines = [f"    %v{i}v = {_elementwise(i, f'%v{i - 1}v' if i else '%x')}" for i in range(count)]
    return _main(
        ["%y = relax.binding_block {", *lines, f"    relax.output %v{count - 1}v : {F}", "}"]
    )


def _elementwise(index: int, value: str) -> str:
    if index % 2:
        return f"relax.add {value}, %x : ({F}, {F}) -> {F}"
    return f"relax.negative {value} : ({F}) -> {F}"


def diamonds(count: int) -> str:
    """Write a graph in which each node is used twice by the next: 2 to the power of `count` paths."""
    lines, value = [], "%x"
    for i in range(count):
        lines.append(f"    %v{i}v = relax.maximum {value}, {value} : ({F}, {F}) -> {F}")
        value = f"%v{i}v"
    return _main(["%y = relax.graph {", *lines, f"    relax.output {value} : {F}", "}"])


def lets(count: int) -> str:
    """Write a graph with a let of a let of a let."""
    lines, value = [f"    %v = relax.negative %x : ({F}) -> {F}"], "%v"
    for i in range(count):
        lines.append(f"    %v{i}v = relax.let {value} : ({F}) -> {F}")
        value = f"%v{i}v"
    return _main(["%y = relax.graph {", *lines, f"    relax.output {value} : {F}", "}"])


def nested_ifs(depth: int) -> str:
    """Write nested `if`s, each level with a let that all inner levels use."""
    head, tail, value = [], [], "%x"
    for i in range(depth):
        head += [
            f"%a{i}v = relax.negative {value} : ({F}) -> {F}",
            f"%l{i}v = relax.let %a{i}v : ({F}) -> {F}",
            f"%r{i}v = relax.if %c : ({C}) -> {F} {{",
        ]
        tail.append(
            f"}} else {{\nrelax.yield %l{i}v : {F}\n}}\n"
            + (f"relax.yield %r{i}v : {F}" if i else f"relax.output %r{i}v : {F}")
        )
        value = f"%l{i}v"
    inner = f"relax.yield {value} : {F}"
    return _main(["%y = relax.graph {", *head, inner, *reversed(tail), "}"])


def chained_ifs(count: int) -> str:
    """Write a sequence of `if`s, each of the value of the one before."""
    lines, value = [], "%x"
    for i in range(count):
        lines.append(f"""\
  %v{i}v = relax.if %c : ({C}) -> {F} {{
    %n{i}v = relax.negative {value} : ({F}) -> {F}
    relax.yield %n{i}v : {F}
  }} else {{
    relax.yield {value} : {F}
  }}""")
        value = f"%v{i}v"
    return _main(lines, value)


def closures(count: int) -> str:
    """Write closures that capture the value before, each called once."""
    lines, value = [], "%x"
    for i in range(count):
        lines.append(f"""\
  %f{i}v = relax.closure (%y: {F}) -> {F} {{
    %z = relax.add %y, {value} : ({F}, {F}) -> {F}
    relax.return %z : {F}
  }}
  %v{i}v = relax.call_closure %f{i}v, %x : (!relax.func<({F}) -> {F}>, {F}) -> {F}""")
        value = f"%v{i}v"
    return _main(lines, value)


def nested_closures(depth: int) -> str:
    """Write nested closures, each of which uses the parameter of the enclosing one and is called."""
    head, tail, value = [], [], "%x"
    for i in range(depth):
        head += [
            f"%f{i}v = relax.closure (%y{i}v: {F}) -> {F} {{",
            f"%z{i}v = relax.add %y{i}v, {value} : ({F}, {F}) -> {F}",
        ]
        tail.append(f"""\
  relax.return %r{i}v : {F}
}}
%r{i - 1 if i else ""}v = relax.call_closure %f{i}v, %x : (!relax.func<({F}) -> {F}>, {F}) -> {F}""")
        value = f"%y{i}v"
    head.append(f"%r{depth - 1}v = relax.negative %z{depth - 1}v : ({F}) -> {F}")
    return _main([*head, *reversed(tail)], "%rv")


def calls(count: int) -> str:
    """Write private functions, each called once."""
    functions, lines, value = [], [], "%x"
    for i in range(count):
        functions.append(f"""\
relax.func private @f{i}(%a: {K}, %b: {K}) -> {K} {{
  %z = relax.add %a, %b : ({K}, {K}) -> {K}
  relax.return %z : {K}
}}
""")
        lines.append(f"  %v{i}v = relax.call @f{i}({value}, %x) : ({F}, {F}) -> {F}")
        value = f"%v{i}v"
    return "".join(functions) + _main(lines, value)


def facts(count: int) -> str:
    """Write casts to a new name of a size, each of which proves that the last two are equal."""
    lines, value, size = [], "%x", "n"
    for i in range(count):
        old, new = f"!relax.tensor<[{size}], f32>", f"!relax.tensor<[k{i}], f32>"
        sum = f"broadcast(k{i}, n)"
        lines += [
            f"  %m{i}v = relax.match_cast {value} : {old} -> {new}",
            f"  %v{i}v = relax.add %m{i}v, %x : ({new}, {F}) -> !relax.tensor<[{sum}], f32>",
        ]
        value, size = f"%v{i}v", sum
    lines.append(f"  %y = relax.match_cast {value} : !relax.tensor<[{size}], f32> -> {F}")
    return _main(lines)


def _main(lines: list[str], value: str = "%y") -> str:
    return "\n".join([MAIN, *lines, f"  relax.return {value} : {F}", "}", ""])
