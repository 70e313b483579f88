"""The search: backtracking leaves no trace, parts are solved once, and depth takes no recursion."""

from __future__ import annotations

import pytest
from effort import effort
from xdsl.ir import SSAValue

from relax_dialect import parse
from relax_dialect.dpl import (
    Pattern,
    PatternLimitError,
    dominates,
    extract,
    is_constant,
    is_input,
    is_op,
    is_tuple,
    repeat,
    together,
    wildcard,
)
from relax_dialect.dpl.analysis import analyse
from relax_dialect.dpl.machine import Machine
from relax_dialect.ops.base import OperatorOp

relu, tanh, add, sub = is_op("relu"), is_op("tanh"), is_op("add"), is_op("subtract")


def values(*lines: str) -> dict[str, SSAValue]:
    """The values of a function, by name; `T` stands for a type of four elements."""
    text = "relax.func @f(%a: T, %b: T) -> T {\n" + "\n".join(lines) + "\nrelax.return %b : T\n}"
    func = next(iter(parse(text.replace("T", "!relax.tensor<[4], f32>")).ops))
    block = func.regions[0].block
    found = [*block.args, *(result for op in block.ops for result in op.results)]
    return {value.name_hint or "": value for value in found}


def steps(pattern: Pattern, value: SSAValue) -> int:
    machine = Machine(pattern)
    machine.solve(value)
    return machine.steps


class TestBacktracking:
    def test_the_base_of_a_repetition_is_tied_to_what_stands_beside_it(self):
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

    @pytest.mark.parametrize("make", [shared, repeated, dominated, labelled])
    def test_analysis_is_not_quadratic(self, make):
        small, large = make(100), make(400)
        assert effort(lambda: analyse(large)) < 6 * effort(lambda: analyse(small))


class TestDepth:
    COUNT = 3_000
    """Three times as deep as Python recurses."""

    def program(self) -> SSAValue:
        lines, last = ["%c = relax.constant dense<1.0> : tensor<4xf32>"], "a"
        for number in range(self.COUNT):
            lines.append(f"%v{number}x = relax.add %{last}, %c : (T, T) -> T")
            last = f"v{number}x"
        return values(*lines)[last]

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
