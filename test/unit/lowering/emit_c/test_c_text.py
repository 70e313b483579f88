"""How lines read: compound assignments and line breaks, without a change of meaning."""

from __future__ import annotations

import time

import pytest

from lowering.emit_c.syntax.c_expressions import CExpr, assignment, binary, call, name, number
from lowering.emit_c.syntax.layout import LINE_WIDTH, comment, wrap

A, B, C = name("a"), name("b"), name("c")


@pytest.mark.parametrize(
    "e, text",
    [
        (binary("+", A, B), "a += b;"),
        (binary("-", A, binary("-", B, C)), "a -= b - c;"),
        (binary("*", A, binary("+", B, C)), "a *= b + c;"),
        (binary("-", B, A), "a = b - a;"),
        (binary("+", binary("+", A, B), C), "a = a + b + c;"),  # as floats, a + (b + c) differs
        (binary("+", A, A), "a = a + a;"),
        (binary("<", A, B), "a = a < b;"),
        (binary("&&", A, B), "a = a && b;"),
        (call("f", A), "a = f(a);"),
        (number(0), "a = 0;"),
    ],
)
def test_assignment(e: CExpr, text: str):
    assert assignment("a", e) == text


def test_a_line_breaks_in_as_few_parentheses_as_can_be():
    long = "x" * 20
    line = f"    const float t = f({long}, g({long}, {long})) * {long};"
    assert wrap(line).splitlines() == [
        f"    const float t = f({long}, g({long}, {long}))",
        f"        * {long};",
    ]
    long = "x" * 30
    line = f"    f(a, {long}, {long}, (const int64_t[]){{{long}, 4}}, 5);"
    assert wrap(line).splitlines() == [
        f"    f(a, {long}, {long},",
        f"        (const int64_t[]){{{long}, 4}}, 5);",
    ]


def test_what_has_no_place_to_break_stays():
    text = f'    set_error("{", and - ( so + on " * 20}");'
    assert wrap(text) == text
    unbroken = f"    {'x' * 200};"
    assert wrap(unbroken) == unbroken
    assert wrap(f"    f({'x' * 200}, b);").splitlines() == [f"    f({'x' * 200},", "        b);"]


def test_comments_break_after_commas_only():
    lines = comment(
        f"@f({', '.join(f'%x{i}: memref<[n - 1, m * 2], f32>' for i in range(9))})"
    ).splitlines()
    assert len(lines) > 2 and all(line.endswith(",") for line in lines[:-1])


@pytest.mark.long
def test_breaking_loses_nothing_and_is_linear():
    def seconds(count: int) -> float:
        line = "    f(" + ", ".join(f"argument_{i} + g({i}, 2)" for i in range(count)) + ");"
        start = time.process_time()
        wrapped = wrap(line)
        elapsed = time.process_time() - start
        assert "".join(wrapped.split()) == "".join(line.split())
        assert all(len(part) <= LINE_WIDTH for part in wrapped.splitlines())
        return elapsed

    small = min(seconds(4000) for _ in range(3))
    assert min(seconds(16000) for _ in range(3)) < 10 * small
