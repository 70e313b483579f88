"""Equality up to names: what does not count, what does, and the first difference."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from effort import effort
from mutations import OF_OPS, move_op
from rewrites.big_functions import SHAPES
from rewrites.random_functions import random_module
from rewrites.structure import structure
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    Float32Type,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Operation

from relax_dialect import assert_structural_equal, parse, structural_equal, structural_hash
from relax_dialect.ir.walk import walk_ops
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.blocks import DataflowOp
from relax_dialect.ops.core import ConstantOp, FuncOp
from relax_dialect.ops.graph import GraphOp
from relax_dialect.rewrites.forms.to_graph_normal_form import to_graph_normal_form
from relax_dialect.structural import StructuralDifference
from relax_dialect.transform.regions import reorder


def equal(a: Operation, b: Operation) -> bool:
    """Whether two programs are equal: in both directions, and then with one hash."""
    result = structural_equal(a, b)
    assert structural_equal(b, a) is result
    if result:
        assert structural_hash(a) == structural_hash(b)
    return result


def shuffled(module: ModuleOp, rng: random.Random) -> ModuleOp:
    """A clone whose graph regions are in another order of the text, and whose values have other names."""
    copy = module.clone()
    for op in walk_ops(copy):
        for result in op.results:
            result.name_hint = f"v{rng.randrange(99)}"
        if isinstance(op, GraphOp | DataflowOp):
            *ops, last = op.body.block.ops
            reorder(op.body.block, [*rng.sample(ops, len(ops)), last])
    return copy


MODULES = [random_module(random.Random(i), graph=i % 2 == 0, effects=i % 3 == 0) for i in range(30)]


@pytest.mark.slow
def test_clones_other_names_and_other_orders_of_graphs_are_equal():
    for seed, module in enumerate(MODULES):
        assert equal(module, module.clone())
        assert equal(shuffled(module, random.Random(seed)), module)


@pytest.mark.slow
def test_one_change_of_meaning_differs():
    """Exactly where the ops, taken in the order of the text, differ in more than names."""
    for module in MODULES[:8]:
        before = structure(module)
        for number, mutation in enumerate(dict.fromkeys(OF_OPS)):
            copy = module.clone()
            mutation([op for op in walk_ops(copy) if op is not copy], random.Random(number))
            same = structure(copy) == before
            if same or mutation is not move_op:  # within a graph a move changes nothing
                assert equal(module, copy) is same, mutation.__name__


def graph(text: str) -> ModuleOp:
    """A function of one graph; T is a row of n numbers."""
    module = f"""relax.func @f(%x: T, %y: T) -> T {{
      %g = relax.graph {{
        {text}
      }}
      relax.return %g : T
    }}"""
    return parse(re.sub(r"\bT\b", "!relax.tensor<[n], f32>", module))


def unary(name: str, op: str, operand: str) -> str:
    return f"%{name} = relax.{op} %{operand} : (T) -> T\n"


def binary(name: str, op: str, a: str, b: str) -> str:
    return f"%{name} = relax.{op} %{a}, %{b} : (T, T) -> T\n"


END = binary("s", "add", "a", "b") + "relax.output %s : T"
A, B = unary("a", "exp", "x"), unary("b", "exp", "x")


def test_what_is_shared_counts():
    """Two nodes that compute the same are not one node used twice."""
    twice = graph(A + B + END)
    assert not equal(graph(A + END.replace("%b", "%a")), twice)
    assert equal(twice, graph(END.replace("relax.output", B + A + "relax.output")))


def test_identical_nodes_are_told_apart_by_their_users():
    """Two equal nodes that are passed out, and two dead users of one of them, or of each."""
    own = A + B + unary("d", "tanh", "a") + unary("e", "tanh", "b") + END
    swapped = unary("e", "tanh", "b") + B + unary("d", "tanh", "a") + A + END
    first = A + B + unary("d", "tanh", "a") + unary("e", "tanh", "a") + END
    second = A + B + unary("d", "tanh", "b") + unary("e", "tanh", "b") + END
    assert equal(graph(own), graph(swapped))
    assert not equal(graph(own), graph(first))
    assert not equal(graph(first), graph(second))  # the operands of the sum have an order


SIBLINGS = """
relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.object) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.object {
    %a = relax.match_cast %x : !relax.object -> !relax.tensor<[FIRST], f32>
    %s = relax.shape [FIRST * 2 + 1]
    %t = relax.tuple %a, %s : (!relax.tensor<[FIRST], f32>, !relax.shape<[FIRST * 2 + 1]>) -> tuple<!relax.tensor<[FIRST], f32>, !relax.shape<[FIRST * 2 + 1]>>
    relax.yield %t : tuple<!relax.tensor<[FIRST], f32>, !relax.shape<[FIRST * 2 + 1]>>
  } else {
    %a = relax.match_cast %x : !relax.object -> !relax.tensor<[SECOND, THIRD], f32>
    relax.yield %a : !relax.tensor<[SECOND, THIRD], f32>
  }
  relax.return %r : !relax.object
}
"""


def siblings(first: str, second: str, third: str) -> ModuleOp:
    text = SIBLINGS.replace("FIRST", first).replace("SECOND", second)
    return parse(text.replace("THIRD", third))


def test_symbolic_variables_correspond_within_their_scopes():
    assert equal(siblings("n", "n", "m"), siblings("k", "m", "k"))
    assert equal(siblings("n", "n", "m"), siblings("a", "b", "c"))
    assert not equal(siblings("n", "n", "m"), siblings("n", "m", "m"))
    assert not equal(siblings("n", "m", "m"), siblings("n", "n", "m"))


MODULE = """
relax.func private @first(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.call @second(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func private @second(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.call @first(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %z = relax.exp %y : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}
relax.func private @unused(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.call @first(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
"""


def test_variables_that_sizes_are_solved_for_correspond():
    """They are whole sizes nowhere; a closure solves for its own with those around it."""
    text = """
    relax.func @f(%x: !relax.tensor<[FACTOR * H], f32>, %y: !relax.tensor<[H + K], f32>) -> !relax.object {
      %f = relax.closure [Z] (%z: !relax.tensor<[2 * Z + OTHER], f32>) -> !relax.object {
        relax.return %z : !relax.tensor<[2 * Z + OTHER], f32>
      }
      relax.return %f : !relax.func<[Z] (!relax.tensor<[2 * Z + OTHER], f32>) -> !relax.object>
    }"""

    def program(factor: int, other: str, h: str, k: str, z: str) -> ModuleOp:
        own = text.replace("FACTOR", str(factor)).replace("OTHER", other)
        return parse(own.replace("H", h).replace("K", k).replace("Z", z))

    one = program(4, "H", "h", "k", "z")
    for names in (("q", "a", "b"), ("k", "h", "w")):
        other = program(4, "H", *names)
        assert structural_equal(one, other) and structural_hash(one) == structural_hash(other)
    assert not structural_equal(one, program(2, "H", "h", "k", "z"))
    assert not structural_equal(one, program(4, "K", "h", "k", "z"))


def test_private_functions_have_no_name_and_functions_no_order():
    other = parse(
        MODULE.replace("@first", "@f").replace("@second", "@g").replace("@unused", "@first")
    )
    last = other.body.block.last_op
    assert last is not None
    last.detach()
    other.body.block.insert_op_before(last, next(iter(other.ops)))
    assert equal(parse(MODULE), other)
    assert not equal(parse(MODULE), parse(MODULE.replace("call @first(%x)", "call @second(%x)", 1)))
    assert not equal(parse(MODULE), parse(MODULE.replace("@main", "@other")))
    assert not equal(parse(MODULE), parse(MODULE.replace("private @unused", "@unused")))


def test_two_functions_of_other_names_are_equal():
    text = """relax.func @NAME(%x: !relax.object) -> !relax.object {
      %y = relax.call @NAME(%x) : (!relax.object) -> !relax.object
      relax.return %y : !relax.object
    }"""
    f, g = (next(iter(parse(text.replace("NAME", name)).ops)) for name in "fg")
    assert equal(f, g)


def constant(values: list[float]) -> Operation:
    type = TensorType(Float32Type(), [len(values)])
    return ConstantOp(DenseIntOrFPElementsAttr.from_list(type, values))


def test_attributes_are_compared_by_value():
    splat = ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(Float32Type(), [4]), [0.0]))
    assert equal(constant([1.0, np.nan]), constant([1.0, np.nan]))
    assert equal(constant([0.0] * 4), splat)
    assert not equal(constant([0.0] * 4), constant([-0.0] * 4))
    assert not equal(constant([0.0] * 4), constant([0.0] * 3))


def test_big_weights_cost_no_more_steps():
    def work(size: int) -> int:
        data = np.arange(size, dtype=np.float32).tobytes()
        type = TensorType(Float32Type(), [size])
        a, b = (ConstantOp(DenseIntOrFPElementsAttr(type, BytesAttr(bytes(data)))) for _ in "ab")
        return effort(lambda: equal(a, b))

    assert work(1_000_000) < 1.5 * work(1000)


def test_blocks_and_what_they_use_from_outside():
    def block() -> object:
        func = next(iter(graph(A + B + END).ops))
        return next(iter(func.regions[0].block.ops)).regions[0]

    a, b = block(), block()
    assert structural_equal(a, a) and not structural_equal(a, b)  # pyright: ignore
    assert structural_equal(a, b, map_free_vars=True)  # pyright: ignore
    assert structural_hash(a) == structural_hash(b)  # pyright: ignore


DIFFERENCES = {
    "another op": (
        "relax.exp",
        "relax.tanh",
        "@second: relax.exp (%z) and @second: relax.tanh (%z): ",
    ),
    "another operand": ("relax.exp %y", "relax.exp %x", "expected %y, found %x"),
    "another function": ("@main", "@other", "expected a function @"),
    "another type": ("[n]", "[4]", "@main and @main: expected function_type = "),
}


@pytest.mark.parametrize(("old", "new", "message"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_the_first_difference_is_told(old: str, new: str, message: str):
    with pytest.raises(StructuralDifference) as error:
        assert_structural_equal(parse(MODULE), parse(MODULE.replace(old, new)))
    assert message in str(error.value)


A_NORMAL_FORM = """
relax.func @ANormalF(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %v1 = relax.multiply %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %v2 = relax.add %v1, %y : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %v2 : !relax.tensor<[n], f32>
}
"""


def test_the_two_forms_of_the_document_become_each_other():
    """`add(mul(x, x), y)` as a graph, in any order of its text, and as bindings."""
    nodes = binary("2", "add", "1", "y") + binary("1", "multiply", "x", "x")
    graph_form = next(
        iter(graph(nodes.replace("%2", "%t").replace("%1", "%u") + "relax.output %t : T").ops)
    )
    bindings = next(iter(parse(A_NORMAL_FORM).ops))
    assert isinstance(graph_form, FuncOp) and isinstance(bindings, FuncOp)
    assert not equal(graph_form, bindings)
    converted = bindings.clone()
    to_graph_normal_form(converted)
    assert equal(converted, graph_form)
    to_a_normal_form(graph_form)
    assert equal(graph_form, bindings)


@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES)
def test_cost_is_linear(shape: str):
    make, size = SHAPES[shape]

    def work(n: int) -> int:
        one, other = make(n), make(n)
        return effort(lambda: equal(one, other))

    small = max(size // 128, 25)
    assert work(4 * small) < 5 * work(small)
