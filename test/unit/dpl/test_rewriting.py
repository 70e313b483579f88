"""Rewriting by patterns: what is replaced, what stays whole, and what a callback may not give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from effort import effort
from hypothesis import assume, given
from optional import examples
from random_programs import Program, programs
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)

import relax_dialect
from relax_dialect import interpret
from relax_dialect.builder import Value, op
from relax_dialect.dpl import (
    Match,
    Pattern,
    PatternError,
    PatternRule,
    RewriteError,
    apply_rules,
    is_call_packed,
    is_op,
    partition,
    rewrite,
    rule,
    together,
    wildcard,
)
from relax_dialect.errors import ExecutionError
from relax_dialect.rewrites.forms.to_a_normal_form import to_a_normal_form
from relax_dialect.rewrites.forms.to_basic_block_normal_form import to_basic_block_normal_form
from relax_dialect.rewrites.forms.to_graph_normal_form import to_graph_normal_form

T = "!relax.tensor<[n], f32>"
ARGUMENT = np.array([-2.0, -0.5, 0.0, 1.0, 3.5], np.float32)


def function(body: str, result: str = "%y", parameters: str = f"%x: {T}") -> ModuleOp:
    """A module of one function; `{T}` in the body is the type of a row of n floats."""
    text = body.replace("{T}", T)
    return relax_dialect.parse(
        f"relax.func @f({parameters}) -> {T} {{\n{text}\nrelax.return {result} : {T}\n}}"
    )


def unary(name: str, operator: str, operand: str) -> str:
    return f"%{name} = relax.{operator} %{operand} : ({T}) -> {T}\n"


def binary(name: str, operator: str, a: str, b: str) -> str:
    return f"%{name} = relax.{operator} %{a}, %{b} : ({T}, {T}) -> {T}\n"


def dataflow(body: str) -> str:
    return f"%y = relax.dataflow {{\n{body}relax.output %r : {T}\n}}"


def names(module: ModuleOp) -> list[str]:
    """The operators of a module, in order."""
    skipped = ("relax.func", "relax.dataflow", "relax.graph", "relax.output", "relax.return")
    skipped += ("relax.binding_block", "builtin.module", "relax.let")
    return [o.name.removeprefix("relax.") for o in module.walk() if o.name not in skipped]


def run(module: ModuleOp, *arguments: np.ndarray) -> np.ndarray:
    relax_dialect.verify(module)
    return interpret.run(module, "f", *(arguments or (ARGUMENT,)))


def test_a_declined_match_is_followed_by_the_next():
    """Operands in either order, an alternative inside, an optional part; each match is asked once."""
    a, b = wildcard(), wildcard()
    relu = is_op("relu")

    def asked(pattern: Pattern, accepts: Callable[[Match], bool], body: str) -> tuple[int, int]:
        calls: list[frozenset[object]] = []

        def replace(root: Value, match: Match) -> object:
            calls.append(frozenset(match.bound))
            return op.exp(match[a]) if accepts(match) else None

        module = function(body)
        count = rewrite(pattern, replace, module, outside_uses=True)
        assert len(set(calls)) == len(calls)
        return count, len(calls)

    both = unary("p", "tanh", "x") + unary("q", "relu", "x") + binary("y", "add", "p", "q")
    is_relu = lambda match: match[a].value.owner.name == "relax.relu"  # noqa: E731
    assert asked(is_op("add")(a, b), is_relu, both) == (1, 2)
    assert asked(is_op("add")(a, b), lambda match: False, both) == (0, 2)
    chain = unary("p", "relu", "x") + unary("y", "abs", "p")
    never = lambda match: False  # noqa: E731
    assert asked(is_op("abs")(relu(a) | wildcard()), never, chain) == (0, 2)
    assert asked(is_op("abs")(a.optional(relu)), never, chain) == (0, 2)
    assert partition(is_op("add")(a, b), function(both), check=is_relu)


x, y = wildcard(), wildcard()
TWICE_NEGATIVE = is_op("negative")(is_op("negative")(x))
DOUBLE = dataflow(
    unary("a", "negative", "x") + unary("b", "negative", "a") + unary("r", "exp", "b")
)


@rule(TWICE_NEGATIVE)
def double_negative(root: Value, match: Match) -> object:
    return match[x]


FORMS = {
    "as written": lambda module: None,
    "A-normal form": to_a_normal_form,
    "graph form": to_graph_normal_form,
    "basic blocks": to_basic_block_normal_form,
}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_in_every_form(form: str):
    module = function(DOUBLE)
    FORMS[form](next(iter(module.ops)))  # pyright: ignore
    before = run(module)
    assert apply_rules([double_negative], module) == 1
    assert names(module) == ["exp"]
    np.testing.assert_array_equal(run(module), before)


def test_what_replaces_carries_the_name():
    module = function(DOUBLE)
    rewrite(is_op("exp")(x), lambda root, match: op.tanh(op.abs(match[x])), module)
    text = str(module)
    assert "%r = relax.abs %b" in text and "%r_1 = relax.tanh %r" in text


def test_locations_are_kept():
    module = function(DOUBLE)
    old = next(o for o in module.walk() if o.name == "relax.exp")
    where = old.location
    rewrite(is_op("exp")(x), lambda root, match: op.tanh(match[x]), module)
    new = next(o for o in module.walk() if o.name == "relax.tanh")
    assert new.location == where


def test_a_fixpoint_is_reached():
    chain = "".join(unary(f"v{i + 1}", "negative", f"v{i}" if i else "x") for i in range(64))
    module = function(dataflow(chain + unary("r", "exp", "v64")))
    assert apply_rules([double_negative], module) == 32
    assert names(module) == ["exp"]


class TestWhole:
    """A match that something outside looks into, or that an effect divides, stays as it is."""

    USED = dataflow(
        unary("a", "negative", "x") + unary("b", "negative", "a") + binary("r", "add", "a", "b")
    )

    def test_an_inner_value_used_outside(self):
        module = function(self.USED)
        assert apply_rules([double_negative], module) == 0

    def test_an_inner_value_used_outside_where_that_is_allowed(self):
        module = function(self.USED)
        before = run(module)
        replaced = rewrite(TWICE_NEGATIVE, lambda root, m: m[x], module, outside_uses=True)
        assert (replaced, names(module)) == (1, ["negative", "add"])
        np.testing.assert_array_equal(run(module), before)

    def test_an_inner_value_that_leaves_the_block(self):
        body = (
            f"%y, %z = relax.dataflow {{\n{unary('a', 'negative', 'x')}{unary('b', 'negative', 'a')}"
            f"relax.output %b, %a : {T}, {T}\n}}\n" + binary("w", "add", "y", "z")
        )
        assert apply_rules([double_negative], function(body, "%w")) == 0

    def test_across_blocks(self):
        body = (
            f"%a = relax.dataflow {{\n{unary('u', 'negative', 'x')}relax.output %u : {T}\n}}\n"
            f"%y = relax.dataflow {{\n{unary('v', 'negative', 'a')}relax.output %v : {T}\n}}\n"
        )
        module = function(body)
        assert len(TWICE_NEGATIVE.find_all(module)) == 1
        assert apply_rules([double_negative], module) == 0

    def test_into_a_branch(self):
        condition = "%c: !relax.tensor<[], i1>"
        body = (
            unary("a", "negative", "x")
            + f"%y = relax.if %c : (!relax.tensor<[], i1>) -> {T} {{\n{unary('b', 'negative', 'a')}"
            + f"relax.yield %b : {T}\n}} else {{\nrelax.yield %x : {T}\n}}"
        )
        assert (
            apply_rules([double_negative], function(body, parameters=f"%x: {T}, {condition}")) == 0
        )

    @pytest.mark.parametrize("effect", [True, False])
    def test_an_effect_between(self, effect: bool):
        between = f'%u = relax.call_packed "f"(%x) : ({T}) -> !relax.object\n' if effect else ""
        body = unary("a", "negative", "x") + between + unary("y", "negative", "a")
        assert apply_rules([double_negative], function(body)) == (not effect)

    def test_a_later_effect_is_none_of_its_business(self):
        body = unary("a", "negative", "x") + unary("y", "negative", "a")
        body += f'%u = relax.call_packed "f"(%x) : ({T}) -> !relax.object\n'
        assert apply_rules([double_negative], function(body)) == 1

    def test_a_root_with_an_effect_is_replaced_where_it_stands(self):
        body = f'%y = relax.call_packed "f"(%x) : ({T}) -> {T}\n'
        module = function(body)
        assert rewrite(is_call_packed("f", [x]), lambda root, m: op.tanh(m[x]), module) == 1
        assert names(module) == ["tanh"]

    def test_an_inner_op_with_an_effect_stays(self):
        body = f'%a = relax.call_packed "f"(%x) : ({T}) -> {T}\n' + unary("y", "negative", "a")
        pattern = is_op("negative")(is_call_packed("f", [x]))
        module = function(body)
        assert pattern.find_all(module)
        assert rewrite(pattern, lambda root, m: m[x], module) == 0

    def test_a_cast_that_defines_a_variable_stays(self):
        body = f"%a = relax.match_cast %x : !relax.tensor<*, f32> -> {T}\n" + unary(
            "y", "negative", "a"
        )
        module = function(
            body + f"%z = relax.match_cast %y : {T} -> !relax.tensor<[k], f32>\n",
            parameters=f"%x: !relax.tensor<*, f32>, %v: {T}",
        )
        pattern = is_op("negative")(is_op("match_cast")(x))
        other = next(iter(module.ops)).regions[0].block.args[1]
        assert rewrite(pattern, lambda root, m: other, module) == 1
        assert names(module) == ["match_cast", "match_cast"]
        relax_dialect.verify(module)


def test_several_roots_become_one():
    types = "%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, m], f32>, %v: !relax.tensor<[k, l], f32>"
    text = f"""relax.func @f({types}) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, l], f32>> {{
      %a = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m], f32>
      %e = relax.exp %a : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
      %u = relax.abs %v : (!relax.tensor<[k, l], f32>) -> !relax.tensor<[k, l], f32>
      %b = relax.matmul %x, %u : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, l], f32>) -> !relax.tensor<[n, l], f32>
      %t = relax.tuple %e, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, l], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, l], f32>>
      relax.return %t : tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, l], f32>>
    }}"""
    module = relax_dialect.parse(text)
    rng = np.random.default_rng(0)
    arguments = [rng.normal(size=s).astype(np.float32) for s in ((4, 3), (3, 5), (3, 2))]
    before = interpret.run(module, "f", *arguments)
    left, first, second = wildcard(), wildcard(), wildcard()
    pattern = together(is_op("matmul")(left, first), is_op("matmul")(left, second))

    def combined(root: Value, m: Match) -> object:
        product = op.matmul(m[left], op.concat([m[first], m[second]], axis=1))
        m_size, l_size = (m[w].shape[1] for w in (first, second))  # pyright: ignore
        assert m_size is not None and l_size is not None
        return [
            op.strided_slice(product, axes=[1], begin=[0], end=[m_size]),
            op.strided_slice(product, axes=[1], begin=[m_size], end=[m_size + l_size]),
        ]

    assert rewrite(pattern, combined, module) == 1
    assert names(module).count("matmul") == 1
    relax_dialect.verify(module)
    for old, new in zip(before, interpret.run(module, "f", *arguments), strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-6)


def test_several_roots_are_in_the_order_given():
    body = "".join(unary(name, "exp", operand) for name, operand in zip("abcd", "xwuv"))
    body += (
        binary("e", "add", "a", "b") + binary("g", "add", "c", "d") + binary("y", "add", "e", "g")
    )
    rows = ", ".join(f"%{name}: {T}" for name in "xwuv")
    found: list[list[str | None]] = []

    def see(root: Value, m: Match) -> object:
        found.append([value.name_hint for value in m.roots])
        return [op.tanh(m[x]), op.tanh(m[y])]

    module = function(body, parameters=rows)
    assert rewrite(together(is_op("exp")(x), is_op("exp")(y)), see, module) == 2
    assert found == [["a", "b"], ["c", "d"]]
    module = function(body, parameters=rows)
    calls = partition(together(is_op("exp")(x), is_op("exp")(y)), module)
    assert [[v.name_hint for v in call.operands] for call in calls] == [["x", "w"], ["u", "v"]]


def test_several_roots_of_which_one_needs_the_other_stay():
    body = (
        unary("a", "exp", "x")
        + binary("p", "multiply", "x", "a")
        + binary("y", "multiply", "x", "p")
    )
    shared, first, second = wildcard(), wildcard(), wildcard()
    pattern = together(
        is_op("multiply")(shared, first, in_order=True),
        is_op("multiply")(shared, second, in_order=True),
        one_to_one=False,
    )
    module = function(body)
    assert pattern.find_all(module)
    assert rewrite(pattern, lambda root, m: [m[shared], m[shared]], module) == 0


class Absolute(PatternRule):
    """abs(abs(x)) -> abs(x)."""

    pattern = is_op("abs")(is_op("abs")(x))

    def replace(self, root: Value, match: Match) -> object:
        return op.abs(match[x])


class ExpToTanh(RewritePattern):
    """Somebody else's pattern: exp(x) -> tanh(x)."""

    def match_and_rewrite(self, o: Operation, rewriter: PatternRewriter) -> None:
        if o.name == "relax.exp":
            from relax_dialect.ops.unary import TanhOp

            rewriter.replace(o, TanhOp(o.operands[0]))


def test_a_rule_is_a_rewrite_pattern():
    body = unary("a", "abs", "x") + unary("b", "abs", "a") + unary("c", "negative", "b")
    body += unary("d", "negative", "c") + unary("e", "abs", "d") + unary("r", "exp", "e")
    module = function(dataflow(body))
    applier = GreedyRewritePatternApplier([double_negative, ExpToTanh(), Absolute()])
    assert PatternRewriteWalker(applier).rewrite_module(module)
    assert names(module) == ["abs", "tanh"]
    relax_dialect.verify(module)


def test_the_first_rule_wins():
    first = rule(is_op("exp")(x), name="first")(lambda root, m: op.tanh(m[x]))
    second = rule(is_op("exp")(x), name="second")(lambda root, m: op.abs(m[x]))
    module = function(dataflow(unary("r", "exp", "x")))
    apply_rules([first, second], module)
    assert names(module) == ["tanh"]


def test_the_larger_of_two_matches_wins():
    pattern = is_op("exp")(x).optional(lambda p: is_op("negative")(p))
    module = function(dataflow(unary("a", "exp", "x") + unary("r", "negative", "a")))
    rewrite(pattern, lambda root, m: op.tanh(m[x]), module)
    assert names(module) == ["tanh"]


def test_a_number_stands_for_a_scalar():
    text = """relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
      %y = relax.subtract %x, %x : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.return %y : !relax.tensor<[], f32>
    }"""
    module = relax_dialect.parse(text)
    rewrite(is_op("subtract")(x, x), lambda root, m: 0.0, module)
    assert names(module) == ["constant"]


class TestDeadInputs:
    """Ops that only a replaced match used are erased with it."""

    def test_what_computed_an_input(self):
        text = unary("a", "exp", "x") + unary("b", "tanh", "a") + binary("y", "subtract", "b", "b")
        module = function(text)
        rewrite(is_op("subtract")(y, y), lambda root, m: op.zeros(["n"], "float32"), module)
        assert names(module) == ["shape", "zeros"]
        assert not run(module).any()

    def test_constants_and_shapes(self):
        text = "%s = relax.shape [1, n]\n"
        text += f"%a = relax.reshape %x, %s : ({T}, !relax.shape<[1, n]>) -> !relax.tensor<[1, n], f32>\n"
        text += "%u = relax.shape [n]\n"
        text += (
            f"%y = relax.reshape %a, %u : (!relax.tensor<[1, n], f32>, !relax.shape<[n]>) -> {T}\n"
        )
        reshape = is_op("reshape")
        module = function(text)
        rewrite(reshape(reshape(x, wildcard()), wildcard()), lambda root, m: m[x], module)
        assert names(module) == []

    def test_what_something_else_uses_stays(self):
        text = unary("a", "exp", "x") + unary("b", "tanh", "a") + binary("c", "subtract", "b", "b")
        module = function(text + binary("y", "add", "a", "c"))
        rewrite(is_op("subtract")(y, y), lambda root, m: op.zeros(["n"], "float32"), module)
        assert names(module) == ["exp", "shape", "zeros", "add"]

    def test_an_effect_and_a_variable_that_is_defined_stay(self):
        text = f'%a = relax.call_packed "f"(%x) : ({T}) -> !relax.tensor<*, f32>\n'
        text += "%b = relax.match_cast %a : !relax.tensor<*, f32> -> !relax.tensor<[k], f32>\n"
        text += "%c = relax.sum %b : (!relax.tensor<[k], f32>) -> !relax.tensor<[], f32>\n"
        text += f"%y = relax.add %x, %c : ({T}, !relax.tensor<[], f32>) -> {T}\n"
        module = function(text)
        rewrite(is_op("add")(x, y), lambda root, m: m[x], module)
        assert names(module) == ["call_packed", "match_cast"]

    def test_a_branch_and_what_it_uses(self):
        text = unary("a", "exp", "x") + (
            f"%b = relax.if %c : (!relax.tensor<[], i1>) -> {T} {{\n{unary('d', 'tanh', 'a')}"
            f"relax.yield %d : {T}\n}} else {{\nrelax.yield %x : {T}\n}}\n"
        )
        parameters = f"%x: {T}, %c: !relax.tensor<[], i1>"
        module = function(text + binary("y", "subtract", "b", "b"), parameters=parameters)
        rewrite(is_op("subtract")(y, y), lambda root, m: op.zeros(["n"], "float32"), module)
        assert names(module) == ["shape", "zeros"]


class TestRootUsed:
    """A rewrite that uses its root puts ops after the match, once."""

    @pytest.mark.parametrize("form", FORMS)
    def test_in_every_form(self, form: str):
        module = function(DOUBLE)
        FORMS[form](next(iter(module.ops)))  # pyright: ignore
        assert rewrite(TWICE_NEGATIVE, lambda root, m: op.relu(root), module) == 1
        assert names(module) == ["negative", "negative", "relu", "exp"]
        np.testing.assert_allclose(run(module), np.exp(np.maximum(ARGUMENT, 0)), rtol=1e-6)

    def test_what_it_puts_there_is_no_match_of_it(self):
        module = function(DOUBLE)
        assert rewrite(is_op("negative")(x), lambda root, m: op.negative(root), module) == 2
        assert names(module) == ["negative"] * 4 + ["exp"]
        np.testing.assert_allclose(run(module), np.exp(ARGUMENT), rtol=1e-6)

    def test_other_rules_see_what_it_put_there(self):
        after = rule(is_op("exp")(x))(lambda root, m: op.abs(op.abs(root)))
        module = function(DOUBLE)
        assert apply_rules([after, Absolute()], module) == 2
        assert names(module) == ["negative", "negative", "exp", "abs"]

    def test_in_xdsl_s_driver(self):
        after = rule(is_op("negative")(x))(lambda root, m: op.negative(root))
        module = function(DOUBLE)
        assert PatternRewriteWalker(GreedyRewritePatternApplier([after])).rewrite_module(module)
        assert names(module) == ["negative"] * 4 + ["exp"]

    def test_a_root_with_an_effect(self):
        body = unary("a", "negative", "x") + f'%y = relax.call_packed "f"(%a) : ({{T}}) -> {T}\n'
        body += unary("b", "negative", "a") + binary("z", "add", "y", "b")
        module = function(body, "%z")
        after = rule(is_call_packed("f", [x]))(lambda root, m: op.negative(op.negative(root)))
        assert apply_rules([after, double_negative], module) == 2
        assert names(module) == ["negative", "call_packed", "negative", "add"]
        relax_dialect.verify(module)

    def test_a_symbolic_variable_that_the_root_defines(self):
        body = "%a = relax.match_cast %x : !relax.tensor<*, f32> -> !relax.tensor<[k], f32>\n"
        body += "%b = relax.sum %a : (!relax.tensor<[k], f32>) -> !relax.tensor<[], f32>\n"
        text = f"relax.func @f(%x: !relax.tensor<*, f32>) -> !relax.tensor<[], f32> {{\n{body}relax.return %b : !relax.tensor<[], f32>\n}}"
        module = relax_dialect.parse(text)
        rewrite(
            is_op("match_cast")(x),
            lambda root, m: op.reshape(op.reshape(root, [1, "k"]), ["k"]),
            module,
        )
        assert names(module).count("reshape") == 2
        np.testing.assert_array_equal(run(module), ARGUMENT.sum())

    @pytest.mark.parametrize("form", FORMS)
    def test_several_roots_stand_in_a_row(self, form: str):
        body = unary("a", "exp", "x") + unary("b", "abs", "a") + unary("c", "tanh", "x")
        module = function(dataflow(body + binary("r", "add", "b", "c")))
        FORMS[form](next(iter(module.ops)))  # pyright: ignore
        shared = wildcard()
        pattern = together(is_op("exp")(shared), is_op("tanh")(shared))

        def crossed(root: Value, m: Match) -> object:
            one, two = m.roots
            return [Value(two), op.multiply(one, two)]

        assert rewrite(pattern, crossed, module) == 1
        a, c = np.exp(ARGUMENT), np.tanh(ARGUMENT)
        np.testing.assert_allclose(run(module), np.abs(c) + a * c, rtol=1e-6)

    def test_what_is_computed_from_the_root_is_refused(self):
        module = function(DOUBLE)
        exp = next(o for o in module.walk() if o.name == "relax.exp").results[0]
        with pytest.raises(RewriteError, match=r"found %r, which is computed from what is to be"):
            rewrite(TWICE_NEGATIVE, lambda root, m: op.add(root, exp), module)
        assert str(module) == str(function(DOUBLE))


class TestOutputs:
    """One result of an expression with several may be given, or all of them by the expression."""

    T2 = "!relax.tensor<[4], f32>"
    H = "!relax.tensor<[2], f32>"

    def halves(self) -> ModuleOp:
        split = f"%h, %i = relax.split %x {{sections = 2 : i64, axis = 0 : i64}} : ({self.T2}) -> ({self.H}, {self.H})\n"
        body = split + f"%y = relax.subtract %h, %i : ({self.H}, {self.H}) -> {self.H}\n"
        return relax_dialect.parse(
            f"relax.func @f(%x: {self.T2}) -> {self.H} {{\n{body}relax.return %y : {self.H}\n}}"
        )

    ROW = np.array([1.0, 2.0, 4.0, 8.0], np.float32)

    def test_outputs_share_the_expression(self):
        module = self.halves()

        def swapped(root: Value, m: Match) -> object:
            halves = op.split(op.abs(m[x]), 2, 0)
            return [halves[1], halves[0]]

        assert rewrite(is_op("split")(~is_op("abs")(y) & x), swapped, module) == 1
        assert names(module) == ["abs", "split", "subtract"]
        np.testing.assert_array_equal(run(module, self.ROW), [3.0, 6.0])

    def test_the_expression_stands_for_all(self):
        module = self.halves()
        pattern = is_op("split")(~is_op("abs")(y) & x)
        assert rewrite(pattern, lambda root, m: op.split(op.abs(m[x]), 2, 0), module) == 1
        assert names(module) == ["abs", "split", "subtract"]
        np.testing.assert_array_equal(run(module, self.ROW), [-3.0, -6.0])

    def test_one_output_in_an_expression(self):
        module = function(DOUBLE)

        def normalised(root: Value, m: Match) -> object:
            rows = op.reshape(m[x], [1, "n"])
            ones = op.ones(["n"], "float32")
            normal = op.batch_norm(rows, ones, ones, ones, ones, axis=1, training=False)
            return op.reshape(normal[0], ["n"])

        assert rewrite(is_op("exp")(x), normalised, module) == 1
        assert names(module).count("batch_norm") == 1
        np.testing.assert_allclose(run(module), (ARGUMENT - 1) / np.sqrt(1 + 1e-5) + 1, atol=1e-5)

    def test_an_output_that_there_is_not(self):
        module = self.halves()
        with pytest.raises(RewriteError, match="one of its 2 results, counted from 0, found 2"):
            rewrite(is_op("subtract")(x, y), lambda root, m: op.split(m[x], 2, 0)[2], module)

    def test_too_many_values(self):
        module = self.halves()
        with pytest.raises(RewriteError, match=r"expected 2 values for relax.split .*, found 3"):
            rewrite(is_op("split")(x), lambda root, m: op.batch_norm(*[m[x]] * 5, axis=0), module)


class TestMistakes:
    """Results that a callback may not give; the error says which rule, and where it is written."""

    MODULE = dataflow(unary("a", "negative", "x") + unary("r", "exp", "a"))

    @pytest.mark.parametrize(
        ("callback", "message"),
        [
            (
                lambda root, m: op.sum(m[x]),
                "expected a value of type .* for %r, found .*; return one of",
            ),
            (
                lambda root, m: [m[x], m[x]],
                "expected 1 values for relax.exp .%r., found 2; return a list",
            ),
            (lambda root, m: "text", "expected a value, an expression, .* found 'text'"),
            (
                lambda root, m: 1.0,
                "expected a value of type .*, found the number 1.0; return op.full",
            ),
            (
                lambda root, m: op.add(m[x], op.full([3], 1.0)),
                "relax.full: expected an element type with the number 1.0",
            ),
            (
                lambda root, m: op.reshape(m[x], ["q"]),
                r"expected symbolic variables that are defined \(S1\), found 'q'",
            ),
            (lambda root, m: m[y], "expected a node that took part in the match"),
        ],
    )
    def test_what_a_callback_gives(self, callback: object, message: str):
        module = function(self.MODULE)
        before = str(module)
        with pytest.raises((RewriteError, PatternError), match=message):
            rewrite(is_op("exp")(x), callback, module)  # pyright: ignore[reportArgumentType]
        assert str(module) == before

    def test_a_value_of_another_function(self):
        other = function(self.MODULE)
        foreign = next(o for o in other.walk() if o.name == "relax.negative").results[0]
        module = function(self.MODULE)
        message = r"rule '<lambda>' \(test_rewriting.py:\d+\): .*expected a value visible here"
        with pytest.raises(RewriteError, match=message):
            rewrite(is_op("exp")(x), lambda root, m: op.tanh(foreign), module)

    def test_a_value_defined_later(self):
        module = function(unary("a", "exp", "x") + unary("y", "abs", "a"))
        late = next(o for o in module.walk() if o.name == "relax.abs").results[0]
        with pytest.raises(
            RewriteError, match=r"expected values defined before relax.exp .%a., found %y"
        ):
            rewrite(is_op("exp")(x), lambda root, m: op.tanh(late), module)

    def test_rules_that_undo_one_another(self):
        there = rule(is_op("exp")(x), name="there")(lambda root, m: op.tanh(m[x]))
        back = rule(is_op("tanh")(x), name="back")(lambda root, m: op.exp(m[x]))
        module = function(self.MODULE)
        with pytest.raises(
            RewriteError, match=r"'there' and 'back' still matching|'back' and 'there'"
        ):
            apply_rules([there, back], module)
        relax_dialect.verify(module)

    def test_a_rule_that_matches_its_own_result(self):
        swap = rule(is_op("add")(x, y), name="swap")(lambda root, m: op.add(m[y], m[x]))
        sums = unary("e", "exp", "x") + binary("r", "add", "x", "e") + unary("z", "exp", "r")
        module = function(dataflow(sums))
        with pytest.raises(RewriteError, match="within 50 rewrites, found 'swap' still matching"):
            apply_rules([swap], module, limit=50)

    def test_what_is_no_rule(self):
        with pytest.raises(PatternError, match="expected rules, found"):
            apply_rules([TWICE_NEGATIVE], function(self.MODULE))  # pyright: ignore

    def test_what_is_no_function(self):
        with pytest.raises(PatternError, match=r"expected a relax.func or a module to rewrite"):
            rewrite(TWICE_NEGATIVE, lambda root, m: m[x], 3)  # pyright: ignore


RULES = (
    double_negative,
    Absolute(),
    rule(is_op("add")(x, y), name="swap")(lambda root, m: None),
    rule(is_op("subtract")(x, y))(lambda root, m: op.add(m[x], op.negative(m[y]))),
    rule(is_op("relu")(x))(lambda root, m: op.where(m[x] > 0.0, m[x], m[x] * 0.0)),
)


@examples(24)
@given(programs())
def test_random_programs_mean_the_same(program: Program):
    try:
        before = interpret.run(program.module, "main", *program.arguments)
    except ExecutionError:
        assume(False)
    apply_rules(RULES, program.module)
    relax_dialect.verify(program.module)
    after = interpret.run(program.module, "main", *program.arguments)
    for old, new in zip(before, after, strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-6, atol=1e-6)


def far_pairs(count: int) -> ModuleOp:
    """In an ordered block all inner ops first, then all roots: match i reaches over `count` ops."""
    body = "".join(unary(f"a{i}x", "negative", "x") for i in range(count))
    body += "".join(unary(f"b{i}x", "negative", f"a{i}x") for i in range(count))
    body += "".join(
        binary(f"s{i}x", "add", f"s{i - 1}x" if i else "x", f"b{i}x") for i in range(count)
    )
    return function(body, f"%s{count - 1}x")


@pytest.mark.long
def test_the_work_is_linear_where_matches_reach_far():
    def work(count: int) -> int:
        module = far_pairs(count)
        return effort(lambda: apply_rules([double_negative], module))

    assert names(far_pairs(4)).count("negative") == 8
    module = far_pairs(40)
    before = run(module)
    assert apply_rules([double_negative], module) == 40
    np.testing.assert_array_equal(run(module), before)
    assert work(400) < 2.5 * work(200)


def test_an_effect_that_a_rule_makes_ends_an_epoch():
    """exp becomes a call with an effect; the pair around it is not replaced any more."""
    body = unary("a", "negative", "x") + unary("e", "exp", "x") + unary("y", "negative", "a")
    body += binary("z", "add", "y", "e")
    tanh_first = rule(is_op("add")(x, y), name="noop")(lambda root, m: None)
    noisy = rule(is_op("exp")(x), name="noisy")(
        lambda root, m: op.call_packed("f", [m[x]], root.type)
    )
    module = function(body, "%z")
    apply_rules([tanh_first, noisy], module)
    assert names(module) == ["negative", "call_packed", "negative", "add"]
    assert apply_rules([double_negative], module) == 0


LOOP = """
%i0 = relax.constant dense<0.0> : tensor<f32>
%one = relax.constant dense<1.0> : tensor<f32>
%outer = relax.negative %x : ({T}) -> {T}
%i, %y = relax.while (%count = %i0, %state = %x) : (!relax.tensor<[], f32>, {T}) -> (!relax.tensor<[], f32>, {T}) {
  %n = relax.negative %count : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %nn = relax.negative %n : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %more = relax.less %nn, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
  relax.yield %more : !relax.tensor<[], i1>
} do {
  %next = relax.add %count, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %z = relax.dataflow {
    %a = relax.negative %state : ({T}) -> {T}
    %b = relax.negative %a : ({T}) -> {T}
    %c = relax.negative %outer : ({T}) -> {T}
    %d = relax.exp %b : ({T}) -> {T}
    %e = relax.add %c, %d : ({T}, {T}) -> {T}
    relax.output %e : {T}
  }
  relax.yield %next, %z : !relax.tensor<[], f32>, {T}
}
"""


@pytest.mark.parametrize("form", [None, to_a_normal_form, to_graph_normal_form])
def test_in_the_regions_of_a_loop(form: Callable[..., object] | None):
    """Matches in the condition and in the body are replaced; one that reaches out of the body is found,
    and stays, as what is before the loop is evaluated once for all turns."""
    module = function(LOOP)
    if form is not None:
        form(next(iter(module.ops)))
    before = run(module)
    found = (is_op("negative")(is_op("negative")(wildcard()))).find_all(module)
    assert sorted(match.root.name_hint for match in found) == ["b", "c", "nn"]
    assert len(is_op("exp")(wildcard().has_shape(["n"])).find_all(module)) == 1
    assert apply_rules([double_negative], module) == 2
    relax_dialect.verify(module)
    assert names(module).count("negative") == 2
    np.testing.assert_array_equal(run(module), before)
