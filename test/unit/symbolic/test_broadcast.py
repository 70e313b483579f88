"""`broadcast(m, n)` in the shape algebra, as IR and as C: numpy's broadcasting, and nothing else."""

from __future__ import annotations

import copy
import itertools
import pickle
import subprocess
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from optional import examples
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

import lowering
from lowering.support.c_compiler import find_compiler
from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.parsing import parse as parse_module
from relax_dialect.prim.size_ops import SizeEmitter
from relax_dialect.symbolic import (
    C_HELPERS,
    Expr,
    SymbolicError,
    SymbolicOverflow,
    broadcast,
    const,
    parse,
    provably_different,
    to_c,
    var,
)

NAMES = ("k", "m", "n")
POINTS: list[dict[str, int]] = [
    dict(zip(NAMES, sizes)) for sizes in itertools.product(range(4), repeat=3)
]

# A tree is a size, or an operation on trees: the oracle evaluates it as it stands.
leaves = st.one_of(st.integers(0, 4), st.sampled_from(NAMES))
trees = st.recursive(
    leaves,
    lambda sub: st.one_of(
        st.tuples(st.just("broadcast"), sub, sub),
        st.tuples(st.just("broadcast"), sub, sub, sub),
        st.tuples(st.sampled_from(["+", "*", "max"]), sub, sub),
    ),
    max_leaves=7,
)


def value_of(tree: object, at: Mapping[str, int]) -> int | None:
    """The value of a tree by numpy's own broadcasting, None where that refuses."""
    if not isinstance(tree, tuple):
        return at[tree] if isinstance(tree, str) else tree  # pyright: ignore
    op, *parts = tree
    values = [value_of(part, at) for part in parts]
    if None in values:
        return None
    if op == "broadcast":
        try:
            return np.broadcast_shapes(*((v,) for v in values))[0]  # pyright: ignore
        except ValueError:
            return None
    a, b = values
    return {"+": a + b, "*": a * b, "max": max(a, b)}[op]  # pyright: ignore


def built(tree: object) -> Expr:
    if not isinstance(tree, tuple):
        return symbolic.as_expr(tree)  # pyright: ignore
    op, *parts = tree
    args = [built(part) for part in parts]
    if op == "broadcast":
        return broadcast(*args)
    if op == "max":
        return symbolic.maximum(*args)
    return args[0] + args[1] if op == "+" else args[0] * args[1]


def defined(tree: object) -> list[tuple[dict[str, int], int]]:
    return [(at, v) for at in POINTS if (v := value_of(tree, at)) is not None]


def built_or_refused(tree: object) -> Expr | None:
    """The expression; a tree that is refused has no value anywhere."""
    try:
        return built(tree)
    except SymbolicOverflow:
        assume(False)
    except SymbolicError:
        assert not defined(tree)
    return None


@given(trees)
def test_values_are_numpys(tree):
    expr = built_or_refused(tree)
    if expr is None:
        return
    low, high = expr.bounds()
    for at, value in defined(tree):
        assert expr.evaluate(at) == value
        assert low is None or low <= value
        assert high is None or value <= high
        assert expr.substitute(at).value == value


@given(trees)
def test_text_and_copies_are_the_same_object(tree):
    expr = built_or_refused(tree)
    if expr is not None:
        assert parse(str(expr)) is expr
        assert pickle.loads(pickle.dumps(expr)) is expr
        assert copy.deepcopy(expr) is expr


@pytest.mark.slow
@given(trees, trees)
def test_provably_different_is_sound(a, b):
    x, y = built_or_refused(a), built_or_refused(b)
    if x is not None and y is not None and provably_different(x, y):
        for at, value in defined(a):
            assert value_of(b, at) != value


SIZES = [
    "n",
    "m",
    "k",
    "1",
    "4",
    "n + 2",
    "2 * m",
    "n * m",
    "broadcast(m, n)",
    "broadcast(k, n + 1)",
]


@given(st.lists(st.sampled_from(SIZES), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_order_and_grouping_do_not_matter(texts, random):
    exprs = [parse(text) for text in texts]
    shuffled = exprs[:]
    random.shuffle(shuffled)
    nested = shuffled[0]
    for expr in shuffled[1:]:
        nested = broadcast(expr, nested)
    assert broadcast(*exprs) is broadcast(*shuffled) is nested


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("broadcast(n, n)", "n"),
        ("broadcast(n, 1)", "n"),
        ("broadcast(1, 1)", "1"),
        ("broadcast(n)", "n"),
        ("broadcast(n, 0)", "0"),
        ("broadcast(n, 2 * m)", "2 * m"),
        ("2 * broadcast(n, m) + 1", "2 * broadcast(m, n) + 1"),
        ("broadcast(n, broadcast(m, k), m)", "broadcast(k, m, n)"),
        ("broadcast(n, m) floordiv 2", "broadcast(m, n) floordiv 2"),
        ("broadcast(min(n, 64), n)", "n"),
        ("broadcast(m, min(n, 64), n)", "broadcast(m, n)"),
        ("broadcast(min(n, 1), n)", "broadcast(min(n, 1), n)"),
    ],
)
def test_canonical_form(text: str, simple: str):
    assert str(parse(text)) == simple


@pytest.mark.parametrize("text", ["broadcast(2, 3)", "broadcast(0, n + 2)", "broadcast(n, 2, 3)"])
def test_sizes_that_cannot_broadcast_are_refused(text: str):
    with pytest.raises(SymbolicError, match="do not broadcast: expected equal sizes"):
        parse(text)


def test_evaluation_refuses_what_does_not_broadcast():
    with pytest.raises(SymbolicError, match=r"cannot evaluate 'broadcast\(m, n\)' at m = 2, n = 3"):
        parse("broadcast(m, n)").evaluate({"m": 2, "n": 3})


def test_it_simplifies_when_a_variable_becomes_known():
    expr = parse("broadcast(m, n) * k")
    assert expr.substitute({"n": var("m")}) is parse("m * k")
    assert expr.substitute({"n": const(1)}) is parse("m * k")
    assert expr.substitute({"n": const(4)}) is parse("4 * k")


def emitted(expr: Expr) -> ModuleOp:
    """A function that computes a size from those of `NAMES`."""
    block = Block(arg_types=[IndexType()] * len(NAMES))
    ops: list[Operation] = []

    def add(op: Operation) -> SSAValue:
        ops.append(op)
        return op.results[0]

    result = SizeEmitter.of_known(add, dict(zip(NAMES, block.args))).size(expr)
    block.add_ops([*ops, func.ReturnOp(result)])
    types = ([IndexType()] * len(NAMES), [IndexType()])
    return ModuleOp([func.FuncOp("f", types, Region(block))])


@examples(10)
@given(trees)
def test_ops_compute_it(tree):
    expr = built_or_refused(tree)
    if expr is None:
        return
    module = emitted(expr)
    assert any(isinstance(op, arith.SelectOp) for op in module.walk()) == ("broadcast" in str(expr))
    for at, value in defined(tree)[::7]:
        assert run(module, "f", *at.values()) == value


TEXTS = [
    "broadcast(m, n)",
    "broadcast(k, m, n)",
    "2 * broadcast(m, n) + k",
    "broadcast(m, n) mod 3",
]


def test_c_computes_it(tmp_path):
    """Sizes that do not broadcast give what is no size."""
    calls = [
        (to_c(parse(text), lambda name: f"p[{NAMES.index(name)}]"), parse(text), at)
        for text in TEXTS
        for at in POINTS
    ]
    lines = [
        f"{{ int64_t p[] = {{{', '.join(map(str, at.values()))}}}; "
        f'printf("%lld\\n", (long long)({c})); }}'
        for c, _, at in calls
    ]
    source = "#include <stdint.h>\n#include <stdio.h>\n" + "".join(C_HELPERS.values())
    source = source.replace("static inline", "static inline __attribute__((unused))")
    (tmp_path / "t.c").write_text(f"{source}\nint main(void) {{\n{chr(10).join(lines)}\n}}\n")
    subprocess.run(
        [*find_compiler(), "-std=c11", "-o", tmp_path / "t", tmp_path / "t.c"], check=True
    )
    out = subprocess.run([tmp_path / "t"], capture_output=True, text=True, check=True).stdout
    for found, (_, expr, at) in zip(map(int, out.split()), calls, strict=True):
        try:
            assert found == expr.evaluate(at)
        except SymbolicError:
            if expr.atom is not None and expr.atom.kind == "broadcast":
                assert found == -1


SUM = """
relax.func @main(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m, 1], f32>, %z: !relax.tensor<[k], f32>) -> !relax.tensor<[m, broadcast(k, n)], f32> {
  %a = relax.add %x, %z : (!relax.tensor<[n], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[broadcast(k, n)], f32>
  %b = relax.multiply %a, %y : (!relax.tensor<[broadcast(k, n)], f32>, !relax.tensor<[m, 1], f32>) -> !relax.tensor<[m, broadcast(k, n)], f32>
  %c = relax.add %b, %x : (!relax.tensor<[m, broadcast(k, n)], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[m, broadcast(k, n)], f32>
  relax.return %c : !relax.tensor<[m, broadcast(k, n)], f32>
}
relax.func @same(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>, %z: !relax.tensor<[broadcast(m, n)], f32>) -> !relax.tensor<[broadcast(m, n)], f32> {
  %s = relax.shape [broadcast(m, n)]
  %r = relax.reshape %z, %s : (!relax.tensor<[broadcast(m, n)], f32>, !relax.shape<[broadcast(m, n)]>) -> !relax.tensor<[broadcast(m, n)], f32>
  relax.return %r : !relax.tensor<[broadcast(m, n)], f32>
}
"""


@pytest.fixture(scope="module")
def module() -> ModuleOp:
    return parse_module(SUM)


@pytest.fixture(scope="module")
def model():
    return lowering.compile(parse_module(SUM), extra_flags=("-Wall", "-Wextra", "-Werror"))


@pytest.mark.parametrize("n, k", [*itertools.product(range(4), repeat=2)])
def test_numpy_the_interpreter_and_c_agree(module: ModuleOp, model, n: int, k: int):
    x, z = np.arange(n, dtype=np.float32) + 1, np.arange(k, dtype=np.float32) * 2
    y = np.arange(3, dtype=np.float32).reshape(3, 1)
    if n != k and 1 not in (n, k):
        for call in (lambda *a: run(module, "main", *a), model.main):
            with pytest.raises(RelaxError, match="broadcast"):
                call(x, y, z)
        return
    expected = (x + z) * y + x
    for found in (run(module, "main", x, y, z, check_types=True), model.main(x, y, z)):
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("n, m, size", [*itertools.product(range(4), repeat=3)])
def test_an_input_of_such_a_size_is_checked(module: ModuleOp, model, n: int, m: int, size: int):
    arrays = [np.ones(s, np.float32) for s in (n, m, size)]
    fits = (n == m or 1 in (n, m)) and size == (m if n == 1 else n)
    for call in (lambda *a: run(module, "same", *a), model.same):
        if fits:
            assert call(*arrays).shape == (size,)
        else:
            with pytest.raises(RelaxError):
                call(*arrays)
