"""The shape algebra against plain Python arithmetic, numpy's broadcasting and a C compiler."""

import copy
import gc
import itertools
import operator
import pickle
import subprocess
import threading
import types
from collections.abc import Callable

import numpy
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from optional import amount, examples, shortened

from lowering.support.c_compiler import find_compiler
from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.symbolic import (
    Expr,
    SymbolicError,
    SymbolicOverflow,
    as_expr,
    broadcast,
    const,
    defined_by,
    differ_unless_empty,
    parse,
    parse_dims,
    provably_different,
    provably_equal,
    solve,
    var,
)
from relax_dialect.symbolic.c import demands
from relax_dialect.symbolic.expr import variable_divisor
from relax_dialect.symbolic.relations import under_bounds

NAMES: tuple[str, ...] = ("m", "n", "k")
n, m, k = map(var, ("n", "m", "k"))

OPERATIONS: dict[str, Callable] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "ceildiv": lambda a, b: -(-a // b),
    "min": min,
    "max": max,
}
BUILDERS: dict[str, Callable] = OPERATIONS | {
    "ceildiv": symbolic.ceildiv,
    "min": symbolic.minimum,
    "max": symbolic.maximum,
}

# A tree is an integer, a name, or an operation on two trees: the oracle evaluates it as it stands.
Tree = int | str | tuple
leaves = st.one_of(st.integers(-9, 9), st.sampled_from(NAMES))
trees = st.recursive(
    leaves, lambda sub: st.tuples(st.sampled_from(sorted(OPERATIONS)), sub, sub), max_leaves=10
)
points = st.fixed_dictionaries({name: st.integers(0, 12) for name in NAMES})


def value_of(tree: Tree, at: dict[str, int]) -> int:
    """The value of a tree by Python's own arithmetic."""
    if isinstance(tree, tuple):
        op, left, right = tree
        return OPERATIONS[op](value_of(left, at), value_of(right, at))
    return at[tree] if isinstance(tree, str) else tree


def is_defined(tree: Tree, at: dict[str, int]) -> bool:
    """Whether no division by zero stands in the tree at a point, as sizes divided by are sizes."""
    if not isinstance(tree, tuple):
        return True
    op, left, right = tree
    if not (is_defined(left, at) and is_defined(right, at)):
        return False
    return op not in ("floordiv", "mod", "ceildiv") or value_of(right, at) != 0


def build(tree: Tree) -> Expr:
    """The canonical expression of a tree."""
    if isinstance(tree, tuple):
        op, left, right = tree
        return BUILDERS[op](build(left), build(right))
    return as_expr(tree)


def text_of(tree: Tree) -> str:
    """The tree as a user may write it, with all parentheses."""
    if isinstance(tree, tuple):
        op, left, right = tree
        if op in ("min", "max"):
            return f"{op}({text_of(left)}, {text_of(right)})"
        return f"({text_of(left)}) {op} ({text_of(right)})"
    return str(tree)


def built(tree: Tree) -> Expr:
    """The expression of a tree; examples that divide by the constant zero are thrown away."""
    try:
        return build(tree)
    except SymbolicOverflow:
        assume(False)
    except SymbolicError as error:
        assert "divides by zero" in str(error)
        assume(False)
    raise AssertionError


# ---------------------------------------------------------------------------- properties


@examples(240)
@given(trees, points)
def test_canonical_form_keeps_the_value(tree, at):
    assume(is_defined(tree, at))
    assert built(tree).evaluate(at) == value_of(tree, at)


small = st.integers(-6, 6)
remainders = st.tuples(small, st.tuples(small, small, small), st.integers(1, 6))


@examples(120)
@given(small, small, small, st.lists(remainders, min_size=1, max_size=2), st.integers(1, 6))
def test_quotients_of_sums_with_remainders_keep_their_value(a, b, c, remainders, divisor):
    n, m = var("n"), var("m")
    found = a * n + b * m + c
    for k, (x, y, z), modulus in remainders:
        found += k * ((x * n + y * m + z) % modulus)
    quotient = found // divisor
    assert parse(str(quotient)) is quotient
    for i, j in itertools.product(range(8), repeat=2):
        total = a * i + b * j + c
        total += sum(k * ((x * i + y * j + z) % modulus) for k, (x, y, z), modulus in remainders)
        assert quotient.evaluate({"n": i, "m": j}) == total // divisor


@examples(120)
@given(trees)
def test_text_reads_back_as_the_same_object(tree):
    expr = built(tree)
    assert parse(str(expr)) is expr
    assert parse(text_of(tree)) is expr


@examples(120)
@given(trees, st.lists(trees, min_size=3, max_size=3), points)
def test_substitution_commutes_with_evaluation(tree, replacements, at):
    expr = built(tree)
    mapping = dict(zip(NAMES, map(built, replacements)))
    assume(all(is_defined(r, at) for r in replacements))
    inner = {name: value.evaluate(at) for name, value in mapping.items()}
    assume(all(value >= 0 for value in inner.values()) and is_defined(tree, inner))
    try:
        substituted = expr.substitute(mapping)
    except SymbolicOverflow:
        assume(False)
    assert substituted.evaluate(at) == value_of(tree, inner)


@examples(120)
@given(trees, points, points)
def test_bounds_hold(tree, at, slack):
    expr = built(tree)
    assume(is_defined(tree, at))
    value = value_of(tree, at)
    known = {name: (max(0, at[name] - slack[name]), at[name] + slack[name]) for name in NAMES}
    for low, high in (expr.bounds(), expr.bounds(known)):
        assert low is None or low <= value
        assert high is None or value <= high


@examples(120)
@given(trees, points, st.integers(1, 8))
def test_divisibility_holds(tree, at, divisor):
    expr = built(tree)
    assume(is_defined(tree, at))
    if (expr * divisor).divisible_by(divisor * 2):
        assert value_of(tree, at) % 2 == 0
    assert (expr * divisor).divisible_by(divisor)
    if expr.divisible_by(divisor):
        assert value_of(tree, at) % divisor == 0


@examples(200)
@given(trees, trees, points)
def test_provably_different_holds(left, right, at):
    a, b = built(left), built(right)
    assume(is_defined(left, at) and is_defined(right, at))
    assert provably_different(a, b) == provably_different(b, a)
    assert differ_unless_empty(a, b) == differ_unless_empty(b, a)
    if value_of(left, at) == value_of(right, at):
        assert not provably_different(a, b)
        assert not differ_unless_empty(a, b) or value_of(left, at) == 0
    else:
        assert not provably_equal(a, b)


@examples(80)
@given(st.lists(trees, min_size=2, max_size=5), st.randoms())
def test_order_of_construction_does_not_matter(parts, random):
    exprs = [built(part) for part in parts]
    shuffled = exprs[:]
    random.shuffle(shuffled)
    try:
        assert symbolic.total(exprs) is symbolic.total(shuffled)
        assert symbolic.product(exprs) is symbolic.product(shuffled)
        assert symbolic.maximum(*exprs) is symbolic.maximum(*shuffled)
        nested = shuffled[0]
        for expr in shuffled[1:]:
            nested = symbolic.minimum(expr, nested)
        assert symbolic.minimum(*exprs) is nested
    except SymbolicOverflow:
        assume(False)


DIMS = [parse(text) for text in (
    "0", "1", "2", "3", "n", "m", "n + 1", "n + 2", "2 * n", "2 * n + 1", "2 * m", "2 * m + 3",
    "n * m", "max(n, 1)", "max(m, 2)", "min(n, 1)", "n floordiv 2", "n mod 2", "(n + 1) mod 2",
)]  # fmt: skip


@pytest.mark.parametrize("a, b", list(itertools.product(DIMS, DIMS)))
def test_broadcast_agrees_with_numpy(a, b):
    sizes: list[dict[str, int]] = [{"n": i, "m": j} for i in range(6) for j in range(6)]
    results = []
    for at in sizes:
        try:
            (size,) = numpy.broadcast_shapes((a.evaluate(at),), (b.evaluate(at),))
            results.append((at, size))
        except ValueError:
            continue
    try:
        found = broadcast(a, b)
    except SymbolicError as error:
        assert not results
        assert f"'{a}'" in str(error) and f"'{b}'" in str(error)
        return
    assert found is broadcast(b, a)
    for at, size in results:
        assert found.evaluate(at) == size


# ---------------------------------------------------------------------------- canonical form


@pytest.mark.parametrize(
    "text, canonical",
    [
        ("n * m", "m * n"),
        ("n + -1", "n - 1"),
        ("1 + n", "n + 1"),
        ("n * 2", "2 * n"),
        ("-n", "-n"),
        ("m - n", "m - n"),
        ("n - n", "0"),
        ("n - m - -3", "-m + n + 3"),
        ("(n + 1) * (n - 1)", "n * n - 1"),
        ("n + n * m + 3 * n", "m * n + 4 * n"),
        ("2 * (m floordiv 2)", "2 * (m floordiv 2)"),
        ("-(n floordiv 2)", "-(n floordiv 2)"),
        ("-n floordiv 2", "-((n + 1) floordiv 2)"),
        ("n floordiv 1", "n"),
        ("n mod 1", "0"),
        ("(4 * n) floordiv 2", "2 * n"),
        ("(2 * n + 3) floordiv 2", "n + 1"),
        ("(2 * n + 3) floordiv 4", "(n + 1) floordiv 2"),
        ("(n - 1) floordiv 2 + 1", "(n + 1) floordiv 2"),
        ("n floordiv 2 floordiv 3", "n floordiv 6"),
        ("(n floordiv 2 + 5) floordiv 3", "(n + 4) floordiv 6 + 1"),
        ("n floordiv -2", "-((n + 1) floordiv 2)"),
        ("n mod -4", "-((-n) mod 4)"),
        ("n ceildiv 4", "(n + 3) floordiv 4"),
        ("n ceildiv m", "(m + n - 1) floordiv m"),
        ("(2 * n) mod 2", "0"),
        ("(6 * n + 1) mod 4", "2 * (n mod 2) + 1"),
        ("n mod 8 mod 4", "n mod 4"),
        ("n mod 4 mod 8", "n mod 4"),
        ("n mod 4 floordiv 4", "0"),
        ("((-n) mod 3 + n) floordiv 3", "(n + 2) floordiv 3"),
        ("(n + m + (-n) mod 3) floordiv 3", "(n + 2) floordiv 3 + m floordiv 3"),
        ("(n - n mod 4) floordiv 4", "n floordiv 4"),
        ("(2 * (n mod 6) - 2 * n) floordiv 4", "-3 * (n floordiv 6)"),
        ("(n mod 4 + m) floordiv 4", "(m + n mod 4) floordiv 4"),
        ("(n mod 4 + n) floordiv 3", "(n + n mod 4) floordiv 3"),
        ("n mod 4", "n mod 4"),
        ("n floordiv m", "n floordiv m"),
        ("7 floordiv 2", "3"),
        ("-7 floordiv 2", "-4"),
        ("-7 mod 4", "1"),
        ("max(n, 1)", "max(n, 1)"),
        ("max(1, n)", "max(n, 1)"),
        ("max(n, 0)", "n"),
        ("min(n, 0)", "0"),
        ("max(n, -3, max(m, 2), 1, n)", "max(m, n, 2)"),
        ("min(n + 1, n + 2, n + 1)", "n + 1"),
        ("max(n, n + m)", "m + n"),
        ("max(3, 5)", "5"),
        ("min(n)", "n"),
    ],
)
def test_canonical_text(text, canonical):
    assert str(parse(text)) == canonical


def test_attributes():
    expr = parse("n * m + max(k, 2) mod 5")
    assert expr.free_variables == ("k", "m", "n")
    assert not expr.is_constant and not expr.is_variable
    assert expr.value is None and expr.name is None
    assert const(7).value == 7 and const(7).is_constant and const(7).free_variables == ()
    assert const(0).is_constant and const(0).value == 0 and str(const(0)) == "0"
    assert n.is_variable and n.name == "n" and (2 * n).name is None
    assert repr(n + 1) == "Expr('n + 1')"
    with pytest.raises(AttributeError, match="immutable"):
        n.value = 3  # pyright: ignore[reportAttributeAccessIssue]


def test_python_operators():
    assert (n + 1) * 2 - m is parse("2 * n - m + 2")
    assert 3 - n is parse("3 - n")
    assert n // 2 is parse("n floordiv 2")
    assert n % 4 is parse("n mod 4")
    assert 7 // n is parse("7 floordiv n")
    assert 7 % n is parse("7 mod n")
    assert numpy.int64(3) * n is parse("3 * n")
    assert n + numpy.int32(3) is parse("n + 3")
    assert symbolic.product([n, 2, m]) is parse("2 * m * n")
    assert symbolic.product([]) is const(1)
    with pytest.raises(TypeError):
        n + 1.0  # pyright: ignore[reportOperatorIssue]
    assert const(True) is const(1) and str(const(1)) == "1"


def test_as_expr():
    assert as_expr("n + 1") is n + 1
    assert as_expr(numpy.int64(4)) is const(4)
    assert as_expr(n) is n
    with pytest.raises(
        SymbolicError, match=r"expected a symbolic size .* found 1\.0 of type float"
    ):
        as_expr(1.0)  # pyright: ignore[reportArgumentType]


def test_copies_are_the_same_object():
    expr = parse("max(n * m floordiv 3, 2) mod 5 + k")
    assert copy.copy(expr) is expr
    assert copy.deepcopy([expr])[0] is expr
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(expr, protocol)) is expr
    assert copy.deepcopy(expr.terms) == expr.terms


def test_threads_get_one_object():
    found: list[list[Expr]] = []
    barrier = threading.Barrier(8)

    def work():
        barrier.wait()
        found.append([var(f"t{i}") * 3 + i for i in range(300)])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(a is b for other in found[1:] for a, b in zip(found[0], other))


@pytest.mark.slow
@shortened
def test_equal_objects_stay_identical_while_one_lives():
    held = [var("held") + i for i in range(200)]
    for i in range(amount(40_000, 18_000)):  # more than any cache holds
        const(i)
        var("churn") + i
    gc.collect()
    assert all(var("held") + i is held[i] for i in range(200))


# ---------------------------------------------------------------------------- text


@pytest.mark.parametrize(
    "text, parts",
    [
        ("n // 2", ["'n // 2'", "found '//' at column 3", "write 'floordiv'"]),
        ("n / 2", ["found '/' at column 3", "write 'floordiv'"]),
        ("n % 2", ["found '%'", "write 'mod'"]),
        ("n ** 2", ["found '**'", "'n * n'"]),
        ("", ["expected a size", "the end of the text"]),
        ("n +", ["'n +'", "expected a size", "the end of the text"]),
        ("* n", ["expected an integer", "found '*' at column 1"]),
        ("n m", ["found 'm' at column 3", "write a product"]),
        ("2n", ["found 'n' at column 2", "write a product as '... * n'"]),
        ("n (m)", ["found '('", "write a product"]),
        ("(n", ["expected an operator or ')'"]),
        ("n)", ["found ')' at column 2"]),
        ("()", ["found ')' at column 2"]),
        ("min n", ["expected '(' after 'min'", "write 'min(a, b)'"]),
        ("min(n,)", ["found ')' at column 7"]),
        ("max()", ["found ')' at column 5"]),
        ("(n, m)", ["found ',' at column 3"]),
        ("n, m", ["found ','"]),
        ("[n]", ["found '['", "without brackets"]),
        ("?", ["found '?'", "whole dimension"]),
        ("mod", ["found 'mod'"]),
        ("mod 4", ["found 'mod'"]),
        ("n + é", ["'é' cannot name a symbolic variable"]),
        ("n²", ["found '²'"]),
        ("²", ["expected an integer", "found '²'"]),
        ("1.5", ["found '.'"]),
        ("n floordiv 0", ["'n floordiv 0' divides by zero"]),
        ("(n + 1) mod 0", ["'(n + 1) mod 0' divides by zero"]),
        ("9" * 5000, ["does not fit in 64 bits"]),
        ("9" * 19, ["a coefficient of magnitude", "limit"]),
        ("(" * 101 + "n" + ")" * 101, ["at most 100 nested parentheses", "column 101"]),
        ("n + " * 100 + "$" + " + n" * 100, ["found '$' at column 401", "'...+ n"]),
    ],
)
def test_errors_of_the_text(text, parts):
    with pytest.raises(SymbolicError) as caught:
        parse(text)
    message = str(caught.value)
    assert len(message) < 350
    for part in parts:
        assert part in message
    assert isinstance(caught.value, RelaxError)


def test_parse_dims():
    assert parse_dims("n, ?, m * 2") == (n, None, 2 * m)
    assert parse_dims("") == parse_dims("  ") == ()
    assert parse_dims("?") == (None,)
    assert parse_dims(" min(n, m) ,?,? ") == (symbolic.minimum(n, m), None, None)
    assert parse_dims("4") == (const(4),)


BAD_DIMS = [
    ",", "n,", ",n", "n,,m", "? + 1", "1 + ?", "-?", "??", "(?)", "min(?)", "[n, m]", "n // 2, m",
    "n m",
]  # fmt: skip


@pytest.mark.parametrize("text", BAD_DIMS)
def test_errors_of_dims(text):
    with pytest.raises(SymbolicError, match="cannot read the symbolic size"):
        parse_dims(text)


def test_long_text_is_read_without_recursion():
    assert parse(" + ".join(["n"] * 5000)) is 5000 * n
    assert parse(" - ".join(["n"] * 5000)) is -4998 * n
    assert parse("-" * 5000 + "n") is n
    assert parse(", ".join(["n"] * 5000).join(["max(", ")"])) is n
    assert parse("n" + " floordiv 1" * 5000) is n
    assert parse("(" * 100 + "n" + ")" * 100) is n
    assert len(parse_dims(", ".join(["n + 1"] * 5000))) == 5000


@pytest.mark.parametrize("name", ["", "2n", "a b", "floordiv", "ceildiv", "mod", "min", "max", "é"])
def test_names_of_variables(name):
    with pytest.raises(SymbolicError, match="cannot name a symbolic variable"):
        var(name)


# ---------------------------------------------------------------------------- caps


def test_caps():
    many = [var(f"x{i}") for i in range(symbolic.MAX_TERMS)]
    assert len(symbolic.total(many).terms) == symbolic.MAX_TERMS
    with pytest.raises(SymbolicOverflow, match="number of terms of 65, above the limit of 64"):
        symbolic.total([*many, n])
    with pytest.raises(SymbolicOverflow):
        symbolic.maximum(*many, n)
    with pytest.raises(SymbolicOverflow):
        parse(" * ".join(["n"] * 5000))
    with pytest.raises(SymbolicOverflow):
        const(2**63)
    with pytest.raises(SymbolicOverflow):
        const(2**62) * n * 2
    deep = n
    with pytest.raises(SymbolicOverflow, match="nesting"):
        for _ in range(100):
            deep = deep // m + 1
    assert parse(str(deep)) is deep
    growing = n + m
    with pytest.raises(SymbolicOverflow):
        for _ in range(100):
            growing = symbolic.maximum(growing // k, growing % k) * growing


# ---------------------------------------------------------------------------- facts


def test_evaluate_names_what_is_missing():
    with pytest.raises(SymbolicError, match=r"'m \* n': no value for 'm' \(known values: k, n\)"):
        (n * m).evaluate({"n": 1, "k": 2})
    with pytest.raises(SymbolicError, match=r"'n floordiv m' at m = 0, n = 4: 'floordiv' by zero"):
        (n // m).evaluate({"n": 4, "m": 0})


def test_substitution_is_simultaneous():
    assert (n - m).substitute({"n": m, "m": n}) is m - n
    assert (n * m + 1).substitute({"n": 3}) is 3 * m + 1
    assert n.substitute({"k": 3}) is n
    with pytest.raises(SymbolicError, match="divides by zero"):
        (n // m).substitute({"m": 0})


def test_bounds():
    assert n.bounds() == (0, None)
    assert (3 - n).bounds() == (None, 3)
    assert (n % 4 + 1).bounds() == (1, 4)
    assert parse("n - 2 * (n floordiv 2)").bounds() == (0, 1)
    assert parse("4 * ((n + 3) floordiv 4) - n + 1").bounds() == (1, 4)
    assert parse("m + n - 2 * (n floordiv 2)").bounds() == (0, None)
    assert parse("n floordiv 2 - 2 * (n floordiv 4)").bounds() == (0, 1)
    assert parse("2 * ((n + 3) floordiv 4) - (n + 1) floordiv 2").bounds() == (0, 1)
    assert parse("min(n, 8) floordiv 3").bounds() == (0, 2)
    assert (2 * n + m).bounds({"n": (1, 4), "m": (0, 2)}) == (2, 10)
    assert (n // m).bounds({"n": (8, 20), "m": (2, 4)}) == (2, 10)
    assert (n % m).bounds({"m": (1, 4)}) == (0, 3)
    assert (n * m).bounds({"n": (0, 10**400)}) == (0, None)


def test_the_divisor_of_all_terms_but_the_constant():
    assert variable_divisor(5 * symbolic.maximum(3 * n, 9 * m) + 1) == 15
    assert variable_divisor(const(7)) == 0


@pytest.mark.parametrize("bound, expected", [(299, "min(n, 299)"), (300, "n"), (301, "n")])
def test_extrema_that_bounds_decide(bound: int, expected: str):
    found = under_bounds(symbolic.minimum(n, bound), {"n": 300})
    assert found is under_bounds(as_expr(expected), {})


def test_only_divisors_that_vary_are_checked():
    kinds = {
        text: [demand.kind for demand in demands(as_expr(text), str)]
        for text in ("n floordiv 4", "n floordiv m", "n mod 4", "n mod m")
    }
    assert kinds == {
        "n floordiv 4": [],
        "n floordiv m": ["divisor"],
        "n mod 4": [],
        "n mod m": ["divisor"],
    }


def test_divisible_by():
    assert (4 * n + 8 * m).divisible_by(4)
    assert not (4 * n + 2).divisible_by(4)
    assert ((4 * n) % 6).divisible_by(2)
    assert symbolic.maximum(6 * n, 9 * m).divisible_by(3)
    assert (5 * symbolic.maximum(3 * n, 9 * m)).divisible_by(15)
    assert const(0).divisible_by(5)
    with pytest.raises(SymbolicError, match="by zero"):
        n.divisible_by(0)


@pytest.mark.parametrize(
    "a, b, different",
    [
        ("n + 1", "n", True),
        ("n + 1", "0", True),
        ("2 * n", "2 * m + 1", True),
        ("6 * n + 4 * m", "2 * k + 3", True),
        ("n mod 4", "4", True),
        ("max(n, 2)", "1", True),
        ("3", "4", True),
        ("n", "m", False),
        ("n", "0", False),
        ("n", "7", False),
        ("n", "n", False),
        ("2 * n", "3 * m + 1", False),
    ],
)
def test_provably_different(a, b, different):
    assert provably_different(parse(a), parse(b)) == different


@pytest.mark.parametrize(
    ("a", "b", "different"),
    [
        ("n + 1", "n", True),
        ("n * 64", "n * 60", True),
        ("n * m", "2 * n * m", True),
        ("n * (m + 1)", "n * (m + 2)", True),
        ("3 * n * n", "2 * n * n", True),
        ("4 * (n mod 2)", "5 * (n mod 2)", True),
        ("n * n", "n", False),
        ("n * m", "n * k", False),
        ("4 * n", "6 * m", False),
        ("n", "2 * (n floordiv 2)", False),
        ("n", "0", False),
    ],
)
def test_differ_unless_empty(a, b, different):
    assert differ_unless_empty(parse(a), parse(b)) == different


@pytest.mark.parametrize(
    "a, b, result",
    [
        ("n", "n", "n"),
        ("1", "n", "n"),
        ("n", "3", "3"),
        ("n", "0", "0"),
        ("n + 2", "m", "n + 2"),
        ("2 * n", "m", "2 * n"),
        ("n + 2", "4", "4"),
        ("n", "m", "broadcast(m, n)"),
        ("n", "n + 1", "broadcast(n, n + 1)"),
        ("broadcast(m, n)", "n", "broadcast(m, n)"),
        ("broadcast(m, n)", "k", "broadcast(k, m, n)"),
        ("broadcast(m, n)", "1", "broadcast(m, n)"),
        ("broadcast(m, n)", "4", "4"),
        ("broadcast(m, n)", "broadcast(k, m)", "broadcast(k, m, n)"),
    ],
)
def test_broadcast(a, b, result):
    assert str(broadcast(parse(a), parse(b))) == result


# ---------------------------------------------------------------------------- solving


def test_solve_binds_bare_variables_first():
    solution = solve([n * 2, m, n], [8, k, 4], {})
    assert solution.bindings == {"m": k, "n": const(4)}
    assert solution.checks == [] and solution.unknown == []


def test_solve_leaves_what_is_not_proved_to_checks():
    solution = solve([n, n, n + m, const(3)], [k, var("j"), 5, k], {"m": 2})
    assert solution.bindings == {"n": k}
    assert solution.checks == [(k, var("j")), (k + 2, const(5)), (const(3), k)]
    assert solution.check_positions == [1, 2, 3]


def test_solve_substitutes_all_at_once():
    solution = solve([n, m, n - m], [m, n, m - n], {})
    assert solution.bindings == {"n": m, "m": n}
    assert solution.checks == []


@pytest.mark.parametrize(
    "patterns, values, env, message",
    [
        ([n, n + 1], [4, 6], {}, r"dimension 1: expected 'n \+ 1' = '5', found '6'"),
        ([n], [k + 1], {"n": k}, r"dimension 0: expected 'n' = 'k', found 'k \+ 1'"),
        ([const(3)], [4], {}, "dimension 0: expected '3', found '4'"),
        ([n * m, n], [8, 4], {}, r"cannot solve 'm \* n' for 'm' .* to be a whole dimension, or"),
        ([n], [None], {}, "cannot bind 'n' .* dimension 0 is unknown; state .*match_cast"),
        ([n, m], [1], {}, r"\[1\] against the declared \[n, m\]: expected 2 .* found 1"),
        ([n], [-1], {}, "cannot bind 'n' to '-1': expected a size of at least 0"),
    ],
)
def test_solve_refuses(patterns, values, env, message):
    with pytest.raises(SymbolicError, match=message):
        solve(patterns, values, env)


def test_solve_with_unknown_sizes():
    solution = solve(
        [n, m, n * m, m, const(4)], [None, 3, None, None, None], {}, allow_unknown=True
    )
    assert solution.bindings == {"m": const(3)}
    assert solution.unknown == ["n"]
    assert solution.unknown_checks == [(2, 3 * n), (3, const(3)), (4, const(4))]
    later = solve([n, n], [None, k], {})
    assert later.bindings == {"n": k} and later.unknown_checks == [(0, k)]
    anything = solve([None, n], [7, 8], {})
    assert anything.bindings == {"n": const(8)} and anything.checks == []


@examples(80)
@given(st.lists(trees, min_size=1, max_size=3), points, st.integers(-1, 1))
def test_solve_is_sound(parts, at, offset):
    """With actual sizes computed from a point the match holds; a wrong size is refused."""
    patterns = [n, m, k, *map(built, parts)]
    assume(all(is_defined(part, at) for part in parts))
    values = [at["n"], at["m"], at["k"], *(value_of(part, at) for part in parts)]
    values[-1] += offset
    if offset:
        with pytest.raises(SymbolicError, match="expected"):
            solve(patterns, values, {})
    else:
        solution = solve(patterns, values, {})
        assert {name: value.value for name, value in solution.bindings.items()} == at
        assert solution.checks == []


def test_defined_by():
    assert defined_by([m, None, n * k, n, m, const(3)]) == ["m", "n"]


def test_env_may_be_any_mapping():
    env = types.MappingProxyType({"n": m})
    assert solve([n], [m], env).checks == []
    assert (n + 1).substitute(env) is m + 1


# ---------------------------------------------------------------------------- C


C_TEXTS = [
    "0", "-3", "n", "-n", "n - m + 2", "-n * m - 2 * k", "3 * n * m * (k floordiv 2)",
    "n floordiv 4", "(n - 7) floordiv 4", "(n - m) floordiv 3", "(n - m) mod 3", "-n mod 5",
    "n ceildiv 3", "n floordiv (m + 1)", "(n - 9) mod (m + 1)", "(n - 9) floordiv (-m - 1)",
    "max(n, m, 3) - min(n, m + k, 4)", "(n mod 4) * (m floordiv 2 - k) mod 7",
    "2 * ((n * m + 1) floordiv (k + 2)) mod 3", "min(n - m, m - n, 0) floordiv 2",
    "(n mod 4 - m mod 3) floordiv 5", "(n mod 4 - m mod 3) mod 5",
    "max(n floordiv 2, m mod 3) floordiv 2", "-(n mod 3) - n mod 2", "9000000000 * n - 4",
]  # fmt: skip


def test_c_agrees_with_evaluation(tmp_path):
    exprs = [parse(text) for text in C_TEXTS]
    tests = list(itertools.product((0, 1, 2, 7, 10), (0, 1, 5), (0, 3, 8)))
    prints = "\n".join(
        f'printf("%lld\\n", (long long)({symbolic.to_c(expr, "v_{}".format)}));' for expr in exprs
    )
    (tmp_path / "sizes.c").write_text(
        "#include <stdint.h>\n#include <stdio.h>\n"
        + "".join(symbolic.C_HELPERS.values())
        + f"static void f(int64_t v_n, int64_t v_m, int64_t v_k) {{\n{prints}\n}}\n"
        + "int main(void) {\n"
        + "".join(f"f({a}, {b}, {c});\n" for a, b, c in tests)
        + "return 0;\n}\n"
    )
    program = tmp_path / "sizes"
    command = [*find_compiler(), "-O1", "-Wall", "-Wno-unused", "-Werror", "-Wno-parentheses"]
    subprocess.run([*command, "-o", program, tmp_path / "sizes.c"], check=True)
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    expected = [e.evaluate({"n": a, "m": b, "k": c}) for a, b, c in tests for e in exprs]
    assert list(map(int, output.split())) == expected


def test_c_divides_plainly_where_it_may():
    assert symbolic.to_c(n // 4 * 2 + 1, str) == "2 * (n / 4) + 1"
    assert symbolic.to_c((n + m) % 4, str) == "((m + n) % 4)"
    assert symbolic.to_c((n - m) // 4, "v_{}".format) == "relax_floordiv(-v_m + v_n, 4)"
    assert symbolic.to_c(symbolic.maximum(n, m, 2), str) == "relax_max(m, relax_max(n, 2))"
