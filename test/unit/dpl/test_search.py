"""The search: backtracking leaves no trace, parts are solved once, and depth takes no recursion."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from effort import effort
from optional import LONG, needs
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from relax_dialect import parse
from relax_dialect.dpl import (
    K_ELEMWISE,
    FusionPattern,
    Pattern,
    PatternLimitError,
    apply_rules,
    dominates,
    extract,
    has_attr,
    is_constant,
    is_input,
    is_op,
    is_tuple,
    repeat,
    rewrite,
    rule,
    together,
    wildcard,
)
from relax_dialect.dpl.rewriter import rewriting
from relax_dialect.dpl.search import match_rules as search_steps
from relax_dialect.dpl.search.matcher import Machine
from relax_dialect.dpl.search.pattern_analysis import analyse
from relax_dialect.dpl.syntax.attribute_comparison import has_attribute
from relax_dialect.dpl.syntax.patterns import Dominates
from relax_dialect.ops.base import OperatorOp
from relax_dialect.rewrites.partition.fuse_ops_by_pattern import fuse_ops_by_pattern
from relax_dialect.transform.regions import functions

relu, tanh, add, sub = is_op("relu"), is_op("tanh"), is_op("add"), is_op("subtract")


def module_of(lines: Sequence[str], result: str = "b") -> ModuleOp:
    """A module of a function; `T` stands for a type of four elements."""
    body = "\n".join(lines)
    text = f"relax.func @f(%a: T, %b: T) -> T {{\n{body}\nrelax.return %{result} : T\n}}"
    return parse(text.replace("T", "!relax.tensor<[4], f32>"))


def values(*lines: str) -> dict[str, SSAValue]:
    """The values of a function, by name; `T` stands for a type of four elements."""
    block = next(iter(module_of(lines).ops)).regions[0].block
    found = [*block.args, *(result for op in block.ops for result in op.results)]
    return {value.name_hint or "": value for value in found}


def steps(pattern: Pattern, value: SSAValue) -> int:
    machine = Machine(pattern)
    machine.solve(value)
    return machine.steps


class TestBacktracking:
    def test_the_base_of_a_repetition_is_tied_to_what_stands_next_to_it(self):
        """The most turns match first; but the base must be what the other argument is."""
        v = values(
            "%p = relax.relu %a : (T) -> T",
            "%q = relax.relu %p : (T) -> T",
            "%r = relax.subtract %q, %p : (T, T) -> T",
        )
        x = wildcard()
        found = sub(repeat(x, lambda p: relu(p)), x).extract(v["r"])
        assert found is not None and found[x].value is v["p"]

    def test_turns_share_what_is_made_outside_of_wrap(self):
        v = values(
            "%t = relax.tanh %b : (T) -> T",
            "%u = relax.tanh %t : (T) -> T",
            "%p = relax.subtract %a, %u : (T, T) -> T",
            "%q = relax.subtract %p, %t : (T, T) -> T",
        )
        x = wildcard()
        pattern = repeat(is_input(), lambda p: sub(p, tanh(x) | x), at_least=2)
        found = pattern.extract(v["q"])  # not b for x, which suits the last op alone
        assert found is not None and found[x].value is v["t"]
        free = repeat(is_input(), lambda p: sub(p, tanh(y := wildcard()) | y), at_least=2)
        assert free.match(v["q"])

    def test_a_node_made_in_wrap_is_new_in_each_turn(self):
        v = values(
            "%p = relax.subtract %a, %b : (T, T) -> T",
            "%q = relax.subtract %p, %a : (T, T) -> T",
        )
        assert repeat(is_input(), lambda p: sub(p, is_input()), at_least=2).match(v["q"])
        one = is_input()
        assert not repeat(is_input(), lambda p: sub(p, one), at_least=2).match(v["q"])

    def test_a_shape_that_is_asked_for_ties_the_node_that_has_it(self):
        v = values(
            "%s = relax.sum %a : (T) -> !relax.tensor<[], f32>",
            "%c = relax.constant dense<1.0> : tensor<f32>",
            "%t = relax.tuple %s, %c : (!relax.tensor<[], f32>, !relax.tensor<[], f32>)"
            " -> tuple<!relax.tensor<[], f32>, !relax.tensor<[], f32>>",
        )
        x = wildcard()
        found = is_tuple([is_op("sum")(x) | x, is_constant().same_shape_as(x)]).extract(v["t"])
        assert found is not None and found[x].value is v["s"]

    def test_the_number_of_turns_belongs_to_an_answer(self):
        """%4 cannot be reached with one turn left, but with two."""
        lines, last = [], "a"
        for number in range(1, 7):
            lines.append(f"%v{number}x = relax.relu %{last} : (T) -> T")
            last = f"v{number}x"
        pattern = repeat(is_input(), lambda p: relu(p) | relu(relu(p)), at_most=3)
        assert pattern.match(values(*lines)["v6x"])

    def test_an_alternative_that_failed_binds_nothing(self):
        v = values("%p = relax.relu %a : (T) -> T", "%q = relax.subtract %p, %b : (T, T) -> T")
        x, y = wildcard(), wildcard()
        found = sub(relu(x & tanh(y)) | wildcard(), wildcard()).extract(v["q"])
        assert found is not None and x not in found and y not in found

    def test_what_is_refused_is_asked_when_all_is_bound(self):
        v = values(
            "%p = relax.subtract %a, %b : (T, T) -> T", "%q = relax.subtract %a, %a : (T, T) -> T"
        )
        x = wildcard()
        assert sub(~x, x).match(v["p"])  # ~x stands before x
        assert not sub(~x, x).match(v["q"])

    def test_a_path_may_refuse_what_is_bound_later(self):
        v = values(
            "%e = relax.exp %a : (T) -> T",
            "%p = relax.relu %e : (T) -> T",
            "%s = relax.add %p, %e : (T, T) -> T",
            "%q = relax.subtract %s, %b : (T, T) -> T",
        )
        x = wildcard()
        assert sub(dominates(is_op("exp")(wildcard()), ~x, add), x).match(v["q"])
        assert not sub(dominates(is_op("exp")(wildcard()), x, add), x).match(v["q"])

    def test_a_user_that_leads_nowhere_leads_not_to_the_child(self):
        lines = [
            "%e = relax.exp %a : (T) -> T",
            "%p = relax.relu %e : (T) -> T",
            "%q = relax.add %p, %e : (T, T) -> T",
        ]
        pattern = dominates(is_op("exp")(wildcard()), wildcard(), add)
        assert pattern.match(values(*lines)["q"])
        assert not pattern.match(values(*lines, "%d = relax.tanh %e : (T) -> T")["q"])
        unused = ["%d = relax.tanh %e : (T) -> T", "%n = relax.let %d : (T) -> T"]
        assert not pattern.match(values(*lines, *unused)["q"])

    def test_results_of_one_op_are_one_to_a_pattern_of_the_op(self):
        short = "!relax.tensor<[2], f32>"
        v = values(
            f"%l, %r = relax.split %a {{sections = 2 : i64}} : (T) -> ({short}, {short})",
            f"%q = relax.subtract %l, %r : ({short}, {short}) -> {short}",
        )
        for split in (
            is_op("split")(wildcard()),
            is_op("split").named("s"),
            is_op("split") | is_op("topk"),
        ):
            assert sub(split, split).match(v["q"])
            assert sub(split[0], split[1]).match(v["q"])
            assert not sub(split[1], split[0]).match(v["q"])
        assert not sub(x := wildcard(), x).match(v["q"])

    def test_a_variable_and_the_value_bound_to_it_are_told_apart(self):
        """One answer must not be taken for the other, although both are one value."""
        v = values(
            "%p = relax.relu %a : (T) -> T",
            "%n = relax.let %p : (T) -> T",
            "%q = relax.subtract %p, %n : (T, T) -> T",
            "%r = relax.subtract %n, %p : (T, T) -> T",
        )
        from relax_dialect.dpl import is_var

        def variable() -> Pattern:
            return is_var("n") | is_constant()

        assert sub(wildcard(), variable()).match(v["q"]) and sub(variable(), wildcard()).match(
            v["r"]
        )
        one = variable()
        memo: dict[object, object] = {}
        assert Machine(one, memo).solve(v["n"]) is not None
        assert Machine(one, memo).solve(v["p"]) is None

    def test_a_further_root_is_found_at_any_distance(self):
        lines = ["%h = relax.relu %a : (T) -> T", "%p = relax.tanh %h : (T) -> T"]
        last = "h"
        for number in range(6):
            lines.append(f"%w{number}x = relax.exp %{last} : (T) -> T")
            last = f"w{number}x"
        lines.append(f"%q = relax.negative %{last} : (T) -> T")
        v = values(*lines)
        x = relu(wildcard())
        far = repeat(x, lambda p: is_op("exp")(p))
        assert together(tanh(x), is_op("negative")(far)).match(v["p"])
        chain = x >> is_op("exp") ^ is_op("exp")
        assert not together(tanh(x), chain).match(v["p"])  # h has another user
        assert together(tanh(x), x ^ is_op("exp") ^ is_op("exp")).match(v["p"])

    def test_a_further_root_may_use_another_result(self):
        short = "!relax.tensor<[2], f32>"
        v = values(
            f"%l, %r = relax.split %a {{sections = 2 : i64}} : (T) -> ({short}, {short})",
            f"%p = relax.relu %l : ({short}) -> {short}",
            f"%q = relax.tanh %r : ({short}) -> {short}",
        )
        split = is_op("split")(wildcard())
        found = together(relu(split[0]), tanh(split[1])).extract(v["p"])
        assert found is not None and [root.name_hint for root in found.roots] == ["p", "q"]

    def test_a_further_root_may_use_one_of_two_shared_nodes(self):
        v = values(
            "%p = relax.subtract %a, %b : (T, T) -> T",
            "%q = relax.tanh %a : (T) -> T",
            "%u = relax.exp %a : (T) -> T",
        )
        x, y = is_input(), is_input()
        assert together(sub(x, y), tanh(x) | relu(y)).match(v["p"])
        assert not together(sub(x, y), tanh(y) | relu(x)).match(v["p"])

    def test_chains_of_users_read_from_left_to_right(self):
        v = values(
            "%p = relax.relu %a : (T) -> T",
            "%q = relax.tanh %p : (T) -> T",
            "%r = relax.exp %q : (T) -> T",
        )
        exp = is_op("exp")
        for pattern in (
            relu >> tanh >> exp,
            relu ^ tanh >> exp,
            relu ^ (tanh ^ exp),
            relu >> (tanh ^ exp),
        ):
            assert pattern.match(v["r"]), pattern
        assert not (relu >> exp).match(v["r"])
        assert not (tanh >> relu >> exp).match(v["r"])


def shared(count: int) -> Pattern:
    x = wildcard()
    pattern: Pattern = x
    for number in range(count):
        pattern = add(pattern | relu(pattern), x if number % 2 else wildcard())
    return pattern


def repeated(count: int) -> Pattern:
    pattern = wildcard()
    for _ in range(count):
        pattern = repeat(pattern, lambda p: relu(p))
    return pattern


def dominated(count: int) -> Pattern:
    pattern, path = wildcard(), relu | tanh
    for _ in range(count):
        pattern = dominates(pattern, path, add(wildcard(), wildcard()))
    return pattern


def labelled(count: int) -> Pattern:
    pattern = wildcard()
    for number in range(count):
        pattern = add(pattern.named(f"n{number}"), wildcard())
    return pattern


class TestCost:
    def chain(self, count: int) -> SSAValue:
        lines, last = [], "a"
        for number in range(count):
            lines.append(f"%v{number}x = relax.relu %{last} : (T) -> T")
            last = f"v{number}x"
        return values(*lines)[last]

    @pytest.mark.parametrize(
        "nested",
        [
            lambda p: relu(p) | relu(relu(p)) | relu(relu(relu(p))),
            lambda p: p.optional(lambda q: relu(q)).optional(lambda q: relu(q)),
            lambda p: repeat(p, lambda q: relu(q), at_most=3),
        ],
        ids=["alternation", "optional", "repetition"],
    )
    def test_nested_choices_are_polynomial(self, nested):
        """Without a shared node a part is solved once for each value: not three ways at each level."""
        counts = []
        for size in (10, 20, 40):
            pattern = tanh(is_input())  # what all choices lead to is not there
            for _ in range(size):
                pattern = nested(pattern)
            counts.append(steps(pattern, self.chain(size)))
        assert counts[1] < 5 * counts[0] and counts[2] < 5 * counts[1]

    def test_a_nested_repetition_is_polynomial(self):
        counts = []
        for size in (10, 20, 40):
            pattern = repeat(tanh(is_input()), lambda p: repeat(relu(p), lambda q: relu(q)))
            counts.append(steps(pattern, self.chain(size)))
        assert counts[1] < 5 * counts[0] and counts[2] < 5 * counts[1]

    def test_arguments_that_may_be_swapped_are_polynomial(self):
        counts = []
        for size in (8, 16, 32):
            lines, last = [], "a"
            for number in range(size):
                lines.append(f"%t{number}x = relax.relu %{last} : (T) -> T")
                lines.append(f"%v{number}x = relax.add %{last}, %t{number}x : (T, T) -> T")
                last = f"v{number}x"
            pattern = tanh(wildcard())
            for _ in range(size):
                pattern = add(pattern, relu(wildcard()))
            counts.append(steps(pattern, values(*lines)[last]))
        assert counts[1] < 5 * counts[0] and counts[2] < 5 * counts[1]

    def test_a_shared_node_in_every_choice_meets_the_limit(self):
        """Each choice looks right until the last field: one of x and y for each of many fields."""
        count = 30
        fields = "%a, " * (2 * count) + "%b"
        types = ", ".join(["T"] * (2 * count + 1))
        tuple_value = values(f"%t = relax.tuple {fields} : ({types}) -> tuple<{types}>")["t"]
        x, y = ([wildcard() for _ in range(count)] for _ in range(2))
        chosen = [x[i] | y[i] for i in range(count)]
        pattern = is_tuple([*chosen, *[x[i] | y[i] for i in range(count)], x[0]]).named("clauses")
        with pytest.raises(PatternLimitError) as error:
            extract(pattern, tuple_value, max_steps=5000)
        assert "clauses=tuple((* | *), (* | *)" in str(error.value)
        assert "refused within 5000 steps" in str(error.value)
        assert "use a node once" in str(error.value)
        few = is_tuple([*chosen[:5], *[wildcard() for _ in range(55)], x[0]])
        assert few.match(tuple_value)

    @pytest.mark.long
    def test_the_whole_pattern_is_found_at_many_roots_in_linear_work(self):
        """A memo that is shared while the program stays: each op is looked at once."""
        pattern = repeat(is_input(), lambda p: relu(p))
        counts = []
        for size in (100, 200, 400):
            value, memo, total = self.chain(size), {}, 0
            op = value.owner
            while isinstance(op, OperatorOp):
                machine = Machine(pattern, memo)
                assert machine.solve(op.results[0]) is not None
                total += machine.steps
                op = op.operands[0].owner
            counts.append(total)
        assert counts[1] < 2.5 * counts[0] and counts[2] < 2.5 * counts[1]

    @pytest.mark.long
    @pytest.mark.parametrize("make", [shared, repeated, dominated, labelled])
    def test_analysis_is_not_quadratic(self, make):
        small, large = make(100), make(400)
        assert effort(lambda: analyse(large)) < 6 * effort(lambda: analyse(small))


def elementwise() -> Pattern:
    return has_attr(wildcard(), "TOpPattern", K_ELEMWISE)


def epilogue() -> Pattern:
    """A subtraction, and everything elementwise after it."""
    return dominates(sub(wildcard(), wildcard()), elementwise(), elementwise())


class TestCostOfDominates:
    def lines(self, count: int, first: str = "subtract") -> tuple[list[str], str]:
        """An op of two arguments, and `count` elementwise ones after it."""
        lines, last = [f"%h = relax.{first} %a, %b : (T, T) -> T"], "h"
        for number in range(count):
            lines.append(f"%v{number}x = relax.relu %{last} : (T) -> T")
            last = f"v{number}x"
        return lines, last

    def roots(self, count: int, first: str = "subtract") -> list[SSAValue]:
        lines, _ = self.lines(count, first)
        return [v for name, v in values(*lines).items() if name.startswith("v")]

    def all_steps(self, roots: Sequence[SSAValue], found: bool) -> int:
        """The steps of a search at each root, the last one first, as the drivers do it."""
        pattern, memo, total = epilogue(), {}, 0
        for root in reversed(roots):
            machine = Machine(pattern, memo)
            assert (machine.solve(root) is not None) is found
            total += machine.steps
        return total

    def test_without_a_parent_each_op_is_looked_at_once(self):
        counts = [self.all_steps(self.roots(size, "maximum"), found=False) for size in (100, 400)]
        assert counts[1] < 5 * counts[0]

    def test_one_parent_far_above_costs_two_steps_for_each_op_between(self):
        """Up to the parent and down again; what the path matches at an op is asked once."""
        size = 200
        assert self.all_steps(self.roots(size), found=True) < size * size + 40 * size

    def test_a_path_is_asked_once_by_a_rewrite_that_declines(self, monkeypatch):
        asked = 0

        def counted(*args):
            nonlocal asked
            asked += 1
            return has_attribute(*args)

        monkeypatch.setattr(search_steps, "has_attribute", counted)
        seen: list[int] = []

        def decline(root, match):
            seen.append(len(match.ops()))

        size = 60
        assert rewrite(epilogue(), decline, module_of(*self.lines(size))) == 0
        assert seen == list(range(size + 1, 1, -1))
        assert asked <= 2 * size  # once as the path, once as the child

    @pytest.mark.long
    def test_a_rewrite_that_declines_is_linear(self, monkeypatch):
        monkeypatch.setattr(rewriting, "PATIENCE", 0)
        monkeypatch.setattr(rewriting, "PATIENCE_FOR_EACH", 8)

        def declining(size: int) -> int:
            module = module_of(*self.lines(size))
            return effort(lambda: rewrite(epilogue(), lambda root, match: None, module))

        assert declining(400) < 2.5 * declining(200)

    def test_a_rewrite_that_declines_long_is_asked_about_other_regions(self, monkeypatch):
        """Past the limit nothing inside a region is asked about, but what stands next to it is."""
        lines, last = self.lines(40)
        lines.insert(0, "%o = relax.subtract %b, %a : (T, T) -> T")
        lines.insert(1, "%r = relax.tanh %o : (T) -> T")
        lines.append(f"%s = relax.subtract %r, %{last} : (T, T) -> T")
        asked: list[str | None] = []

        def decline(root, match):
            asked.append(root.name)

        assert rewrite(epilogue(), decline, module_of(lines, "s")) == 0
        everything = len(asked)
        assert everything >= 41
        monkeypatch.setattr(rewriting, "PATIENCE", 60)
        monkeypatch.setattr(rewriting, "PATIENCE_FOR_EACH", 0)
        asked.clear()
        assert rewrite(epilogue(), decline, module_of(lines, "s")) == 0
        assert len(asked) < 5 and "r" in asked

    @pytest.mark.long
    def test_the_largest_match_is_taken_in_linear_work(self):
        counts = []
        for size in (100, 400):
            module, table = module_of(*self.lines(size)), [FusionPattern("mine.all", epilogue())]
            counts.append(effort(lambda m=module, t=table: fuse_ops_by_pattern(m, t)))
            assert len(functions(module)) == 2
        assert counts[1] < 5 * counts[0]

    def test_a_parent_near_by_is_found_before_what_is_above_is_looked_at(self):
        lines, last = self.lines(200)
        lines.append("%c = relax.constant dense<1.0> : tensor<4xf32>")
        lines.append(f"%n = relax.add %{last}, %c : (T, T) -> T")
        pattern = dominates(is_constant(), relu, add)
        assert pattern.match(values(*lines)["n"])
        assert steps(pattern, values(*lines)["n"]) < 20

    def test_a_path_inside_a_choice_is_bound_with_it(self):
        """Each node of the path is given, in the order of the search, also when it is asked again."""
        lines, last = self.lines(3)
        v = values(*lines, f"%q = relax.add %{last}, %{last} : (T, T) -> T")
        inner = wildcard()
        path = has_attr(inner, "TOpPattern", K_ELEMWISE)
        whole = dominates(sub(wildcard(), wildcard()), path, relu)
        pattern, memo = add(whole, whole), {}
        for _ in range(2):
            found = Machine(pattern, memo).solve(v["q"])
            assert found is not None
            assert [value.name_hint for node, value in found if node is path] == ["v0x", "v1x"]
            assert [value.name_hint for node, value in found if node is inner] == ["v0x", "v1x"]

    def test_a_path_that_is_the_child_too_must_be_one_value(self):
        v = values(*self.lines(2)[0])
        one = elementwise()
        pattern = Dominates(sub(wildcard(), wildcard()), one, one)
        assert pattern.match(v["v0x"])  # nothing in between
        assert not pattern.match(v["v1x"])

    def test_what_is_remembered_is_dropped_when_the_program_changes(self):
        """The sum is asked first and refused, for exp has a user elsewhere until the second rule."""
        lines = [
            "%e = relax.exp %a : (T) -> T",
            "%d = relax.tanh %e : (T) -> T",
            "%p = relax.relu %e : (T) -> T",
            "%s = relax.add %p, %e : (T, T) -> T",
            "%r = relax.subtract %d, %s : (T, T) -> T",
        ]
        x, y = wildcard(), wildcard()
        whole = dominates(is_op("exp")(x), relu, add)
        other = tanh(is_op("exp")(y))
        module = module_of(lines, "r")
        rules = [
            rule(whole)(lambda root, match: match[x]),
            rule(other, outside_uses=True)(lambda root, match: match[y]),
        ]
        assert apply_rules(rules, module) == 2
        assert [op.name for op in module.walk()][2:] == ["relax.subtract", "relax.return"]


class TestDepth:
    COUNT = 3_000
    """Three times as deep as Python recurses."""

    def program(self) -> SSAValue:
        lines, last = ["%c = relax.constant dense<1.0> : tensor<4xf32>"], "a"
        for number in range(self.COUNT):
            lines.append(f"%v{number}x = relax.add %{last}, %c : (T, T) -> T")
            last = f"v{number}x"
        return values(*lines)[last]

    @needs(LONG)
    def test_deep_patterns_of_deep_programs(self):
        value = self.program()
        for swapped in (False, True):
            pattern: Pattern = is_input()
            for _ in range(self.COUNT):
                args = (is_constant(), pattern) if swapped else (pattern, is_constant())
                pattern = add(*args)
            assert pattern.match(value)
            assert not add(pattern, wildcard()).match(value)
            assert len(str(pattern)) < 300
        chosen: Pattern = is_input()
        for _ in range(self.COUNT):
            chosen = chosen.optional(lambda p: add(p, is_constant()))
        assert chosen.match(value)
        assert repeat(is_input(), lambda p: add(p, is_constant()), self.COUNT, self.COUNT).match(
            value
        )
        assert not repeat(is_input(), lambda p: add(p, is_constant()), self.COUNT + 1).match(value)
        assert dominates(is_input(), add, add).match(value)

    def test_many_alternatives_of_an_operator(self):
        callee = relu
        for _ in range(self.COUNT):
            callee = callee | tanh
        value = values("%p = relax.exp %a : (T) -> T")["p"]
        assert not callee(wildcard()).match(value)
        assert (callee | is_op("exp"))(wildcard()).match(value)
