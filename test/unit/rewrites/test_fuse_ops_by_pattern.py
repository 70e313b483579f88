"""Fusing by tables of patterns: priorities, marks, tables by name, and what programs mean after it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import external_programs
import numpy as np
import pytest
from effort import effort
from external_programs import PRODUCTS
from hypothesis import given
from hypothesis import strategies as st
from optional import UNOPTIMISED, examples
from random_programs import Program, programs
from xdsl.dialects.builtin import ModuleOp

import lowering
import relax_dialect
from lowering.external.cblas_patterns import cblas_patterns
from lowering.pipeline import lower
from relax_dialect import interpret
from relax_dialect.dpl import (
    K_ELEMWISE,
    FusionPattern,
    Pattern,
    PatternError,
    is_call_packed,
    is_op,
    repeat,
    together,
    wildcard,
)
from relax_dialect.dpl.rewriter import pattern_registry as registry
from relax_dialect.dpl.rewriter.pattern_registry import (
    get_patterns,
    pattern_tables,
    register_patterns,
)
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import verify
from relax_dialect.rewrites.partition.fuse_ops_by_pattern import (
    FuseOpsByPatternPass,
    fuse_ops_by_pattern,
)
from relax_dialect.rewrites.partition.merge_composite_functions import merge_composite_functions
from relax_dialect.transform.regions import functions

from .random_functions import ARGUMENTS, COUNTS, modules

T = "!relax.tensor<[n, 8], f32>"
W = "!relax.tensor<[8, 8], f32>"
TEXT = f"""
relax.func @main(%x: {T}, %w: {W}) -> {T} {{
  %gv = relax.dataflow {{
    %0 = relax.matmul %x, %w : ({T}, {W}) -> {T}
    %1 = relax.relu %0 : ({T}) -> {T}
    %2 = relax.matmul %1, %w : ({T}, {W}) -> {T}
    %3 = relax.exp %2 : ({T}) -> {T}
    relax.output %3 : {T}
  }}
  relax.return %gv : {T}
}}"""


def matmul() -> Pattern:
    return is_op("matmul")(wildcard(), wildcard())


def composites(module: ModuleOp) -> dict[str, str | None]:
    """The composite functions by name, with what they are composites of."""
    found = {f.sym_name.data: f.attributes.get("Composite") for f in functions(module)}
    return {name: mark.data for name, mark in found.items() if mark is not None}  # pyright: ignore


def fused(*patterns: FusionPattern, **options: bool) -> ModuleOp:
    module = relax_dialect.parse(TEXT)
    fuse_ops_by_pattern(module, patterns, **options)
    verify(module)
    return module


def wrong(value: Any) -> Any:
    """A value of a type that is not asked for."""
    return value


RELU = FusionPattern("a.matmul_relu", is_op("relu")(matmul()))
MATMUL = FusionPattern("b.matmul", matmul())


def test_an_earlier_pattern_wins_everywhere():
    assert composites(fused(RELU, MATMUL)) == {
        "fused_matmul_relu": "a.matmul_relu",
        "fused_matmul": "b.matmul",
    }
    assert composites(fused(MATMUL, RELU)) == {"fused_matmul": "b.matmul"}


def test_a_later_pattern_takes_what_is_left():
    """The relu, whose product is taken, matches the alternative without one."""
    left = FusionPattern("a.relu", is_op("relu")(matmul() | wildcard()))
    assert composites(fused(MATMUL, left)) == {"fused_matmul": "b.matmul", "fused_relu": "a.relu"}


def test_marks_for_code_generators():
    pattern = FusionPattern("a.b.matmul", matmul(), attrs={"level": 2})
    (plain,) = (f for f in functions(fused(pattern)) if f.is_private)
    assert set(plain.attributes) == {"Composite", "level"}
    (marked,) = (f for f in functions(fused(pattern, annotate_codegen=True)) if f.is_private)
    assert {k: str(v) for k, v in marked.attributes.items()} == {
        "Composite": '"a.b.matmul"',
        "Codegen": '"a"',
        "level": "2 : i64",
    }


def test_the_check_of_a_pattern():
    w = wildcard()
    first = FusionPattern(
        "a.first", is_op("matmul")(w, wildcard()), lambda m: m[w].value.name_hint == "x"
    )
    assert list(composites(fused(first, MATMUL)).values()) == ["a.first", "b.matmul"]


def test_other_names_are_other_functions():
    w = wildcard()
    first = FusionPattern(
        "a.p", is_op("matmul")(w, wildcard()), lambda m: m[w].value.name_hint == "x"
    )
    module = fused(first, FusionPattern("a.q", matmul()))
    assert composites(module) == {"fused_matmul": "a.p", "fused_matmul_1": "a.q"}


@pytest.fixture
def tables() -> Iterator[None]:
    """Leaves the tables as they were."""
    before = dict(registry._TABLES)  # pyright: ignore[reportPrivateUsage]
    yield
    registry._TABLES.clear()  # pyright: ignore[reportPrivateUsage]
    registry._TABLES.update(before)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.usefixtures("tables")
class TestTables:
    def test_by_name(self):
        register_patterns("mine", [RELU, MATMUL])
        assert "mine" in pattern_tables()
        assert get_patterns("mine") == [RELU, MATMUL]

    def test_rows_and_functions(self):
        asked: list[int] = []

        def table() -> list[tuple[str, Pattern]]:
            asked.append(1)
            return [("mine.matmul", matmul()), ("mine.relu", is_op("relu"))]

        register_patterns("mine", table)
        assert not asked
        assert [p.name for p in get_patterns("mine")] == ["mine.matmul", "mine.relu"]
        assert [p.name for p in get_patterns("mine.re")] == ["mine.relu"]
        assert asked == [1]

    def test_the_pass(self):
        register_patterns("mine", [RELU])
        register_patterns("other", [MATMUL])
        module = relax_dialect.parse(TEXT)
        lower(module, ['relax-fuse-ops-by-pattern{patterns="mine","other" annotate-codegen=true}'])
        assert list(composites(module).values()) == ["a.matmul_relu", "b.matmul"]

    def test_without_a_name_all_tables(self):
        registry._TABLES.clear()  # pyright: ignore[reportPrivateUsage]
        register_patterns("mine", [RELU])
        module = relax_dialect.parse(TEXT)
        FuseOpsByPatternPass().apply(None, module)  # pyright: ignore[reportArgumentType]
        assert list(composites(module).values()) == ["a.matmul_relu"]

    def test_rows_are_patterns(self):
        rows = [
            ("a.relu", is_op("relu")(wildcard()), lambda match: False),
            ("a.exp", is_op("exp")(wildcard())),
        ]
        calls = fuse_ops_by_pattern(relax_dialect.parse(TEXT), rows)
        assert [call.callee_name for call in calls] == ["fused_exp"]

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (
                lambda: get_patterns("mime"),
                "patterns 'mime': expected the name of a table of patterns (mine), found an unknown one; "
                "the nearest is 'mine'",
            ),
            (
                lambda: get_patterns("tensorrt"),
                "found an unknown one; register it with register_patterns",
            ),
            (
                lambda: get_patterns("mine.x"),
                "patterns 'mine.x': expected the start of a pattern's name (a.matmul_relu), found another",
            ),
            (
                lambda: register_patterns("a.b", []),
                "expected a name without dots, as 'cblas', found 'a.b'",
            ),
            (
                lambda: register_patterns("a", wrong([3])),
                "register_patterns('a'): expected a list of FusionPattern",
            ),
            (
                lambda: register_patterns("a", wrong(3)),
                "register_patterns('a'): expected a list of FusionPattern",
            ),
            (lambda: FusionPattern("", matmul()), "FusionPattern: expected a name"),
            (
                lambda: FusionPattern("a.b", wrong("matmul")),
                "expected a pattern, a value or a number",
            ),
            (
                lambda: FusionPattern("a.b", matmul(), wrong(3)),
                "FusionPattern 'a.b': expected a function",
            ),
            (
                lambda: fused(FusionPattern("matmul", matmul()), annotate_codegen=True),
                "FusionPattern 'matmul': expected a name that starts with a code generator and a dot",
            ),
            (
                lambda: fused(FusionPattern("a.b", matmul(), attrs={"Composite": 1})),
                "FusionPattern 'a.b': expected attributes other than",
            ),
            (
                lambda: fused(wrong(matmul())),
                "fuse_ops_by_pattern: expected a list of FusionPattern",
            ),
            (
                lambda: fuse_ops_by_pattern(wrong(3), [MATMUL]),
                "fuse_ops_by_pattern: expected a relax.func",
            ),
        ],
    )
    def test_what_is_refused(self, make, message: str):
        registry._TABLES.clear()  # pyright: ignore[reportPrivateUsage]
        register_patterns("mine", [RELU])
        with pytest.raises(PatternError, match=re.escape(message)):
            make()


def test_products_for_the_code_generator_cblas():
    """The composites are those that the code generator takes, and mean what they meant."""
    sizes = {"n": 3, "m": 5, "k": 4, "b": 2, "c": 2}
    module = external_programs.program({"k": 4}, "f32", codegen=None)
    mapped = external_programs.program({"k": 4}, "f32", codegen=None)
    calls = fuse_ops_by_pattern(mapped, cblas_patterns(), annotate_codegen=True)
    verify(mapped)
    for name, product in PRODUCTS.items():
        arguments = external_programs.arrays(product, sizes, "float32")
        expected = interpret.run(module, name, *arguments)
        np.testing.assert_array_equal(interpret.run(mapped, name, *arguments), expected)
    assert len(calls) >= 20
    assert {
        "cblas.matmul_bias_relu",
        "cblas.matmul_bias_gelu",
        "cblas.linear_relu",
        "cblas.matmul",
    } <= set(composites(mapped).values())
    lower(mapped, ["relax-run-codegen"])
    assert not [f for f in functions(mapped) if "relax.not_offloaded" in f.attributes]


@pytest.mark.slow
def test_nobody_needs_to_know_the_marks():
    """Without marks for a code generator composites compile as any function does."""
    module = fused(RELU, MATMUL)
    random = np.random.default_rng(0)
    x, w = (random.standard_normal(s).astype(np.float32) for s in ((5, 8), (8, 8)))
    expected = interpret.run(module, "main", x, w)
    model = lowering.compile(module, "fused_model", extra_flags=UNOPTIMISED)
    np.testing.assert_allclose(model.main(x, w), expected, rtol=1e-5, atol=1e-5)


def _shared_root(first: str, second: str) -> Pattern:
    x = wildcard()
    return together(is_op(first)(x), is_op(second)(x))


ANY = wildcard
OFFLOADED = {
    "tanh": lambda: is_op("tanh")(ANY()),
    "negative": lambda: is_op("negative")(ANY()),
    "add": lambda: is_op("add")(ANY(), ANY()),
    "less": lambda: is_op("less")(ANY(), ANY()),
    "packed": is_call_packed,
    "tanh of add": lambda: is_op("tanh")(is_op("add")(ANY(), ANY())),
    "tanh of packed": lambda: is_op("tanh")(is_call_packed()),
    "tanhs": lambda: repeat(ANY(), lambda p: is_op("tanh")(p), at_least=1),
    "two elementwise": lambda: ANY().has_attr("TOpPattern", K_ELEMWISE)(
        ANY().has_attr("TOpPattern", K_ELEMWISE)(ANY())
    ),
    "siblings": lambda: _shared_root("tanh", "negative"),
    "sum and tanh": lambda: _shared_root("tanh", "tanh"),
}


def outcome(
    module: ModuleOp, capsys: pytest.CaptureFixture[str]
) -> tuple[object, str, dict[str, int]]:
    """The results of a program, the text it prints, and how often each function from outside ran."""
    COUNTS.clear()
    capsys.readouterr()
    result = interpret.run(module, "main", *ARGUMENTS)
    return result, capsys.readouterr().out, dict(COUNTS)


CHOICES = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(sorted(OFFLOADED))), min_size=1, max_size=4
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["graph", "effects", "neither"])
@pytest.mark.shortened
def test_random_functions_mean_the_same(kind: str, capsys: pytest.CaptureFixture[str]):
    """Every op is evaluated as often as before, in branches too, and effects stay in their order."""

    @examples(12)
    @given(modules(graph=kind == "graph", effects=kind == "effects"), CHOICES, st.booleans())
    def check(module: ModuleOp, chosen: list[tuple[str, str]], bind_constants: bool) -> None:
        module = relax_dialect.parse(str(module))
        before = outcome(module, capsys)
        patterns = [FusionPattern(f"{c}.{name}", OFFLOADED[name]()) for c, name in chosen]
        fuse_ops_by_pattern(module, patterns, bind_constants=bind_constants)
        verify(module)
        assert outcome(module, capsys) == before
        merge_composite_functions(module)
        verify(module)
        assert outcome(module, capsys) == before
        once = str(module)
        assert str(relax_dialect.parse(once)) == once
        merge_composite_functions(module)
        assert str(module) == once

    check()


@examples(12)
@given(program=programs(), names=st.lists(st.sampled_from(sorted(OFFLOADED)), max_size=4))
def test_random_programs_mean_the_same(program: Program, names: list[str]):
    module = relax_dialect.parse(str(program.module))
    patterns = [FusionPattern("a.matmul", matmul())]
    patterns += [FusionPattern(f"a.{name}", OFFLOADED[name]()) for name in names]
    fuse_ops_by_pattern(module, patterns)
    merge_composite_functions(module)
    verify(module)
    try:
        expected = interpret.run(program.module, "main", *program.arguments)
    except RelaxError:
        return  # sizes that do not fit at run time
    for a, b in zip(interpret.run(module, "main", *program.arguments), expected, strict=True):
        np.testing.assert_array_equal(a, b)


def long_program(length: int) -> ModuleOp:
    """Products, every second one followed by relu."""
    lines, last = [], "%x"
    for number in range(length // 3):
        lines.append(f"%m{number} = relax.matmul {last}, %w : ({T}, {W}) -> {T}")
        lines.append(
            f"%r{number} = relax.{'relu' if number % 2 else 'exp'} %m{number} : ({T}) -> {T}"
        )
        lines.append(f"%t{number} = relax.tanh %r{number} : ({T}) -> {T}")
        last = f"%t{number}"
    body = "\n".join([*lines, f"relax.output {last} : {T}"])
    return relax_dialect.parse(
        f"relax.func @main(%x: {T}, %w: {W}) -> {T} {{\n%y = relax.dataflow {{\n{body}\n}}\n"
        f"relax.return %y : {T}\n}}"
    )


@pytest.mark.long
def test_the_work_is_linear():
    patterns = [
        RELU,
        MATMUL,
        *(FusionPattern(f"c.{n}", is_op(n)(matmul())) for n in ("sin", "cos", "sqrt")),
    ]
    fuse_ops_by_pattern(long_program(30), patterns)  # what is loaded and cached once
    short, long = long_program(501), long_program(1002)
    few = effort(lambda: fuse_ops_by_pattern(short, patterns))
    many = effort(lambda: fuse_ops_by_pattern(long, patterns))
    assert len(composites(long)) == 2
    assert many < 2.2 * few
