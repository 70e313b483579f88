"""Loops against numpy: interpreted, through the normal forms, and compiled, all functions in one module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED, package
from tvm_target import unoptimised

import lowering
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, op, var
from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.loops import WhileOp
from relax_dialect.parsing import parse

N, F, B = "!relax.tensor<[], i64>", "!relax.tensor<[], f32>", "!relax.tensor<[], i1>"
V, U = "!relax.tensor<[n], f32>", "!relax.tensor<[?], f32>"
FUNC = "!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>>"
K = "!relax.tensor<[k], f32>"

TEXT = f"""
// two functions change places in every turn
relax.func @closures(%x: {V}, %end: {N}) -> {V} {{
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %half = relax.constant dense<0.5> : tensor<f32>
  %f0 = relax.closure [k] (%a: {K}) -> {K} {{
    %b = relax.multiply %a, %half : ({K}, {F}) -> {K}
    relax.return %b : {K}
  }}
  %g0 = relax.closure [k] (%a: {K}) -> {K} {{
    %b = relax.negative %a : ({K}) -> {K}
    relax.return %b : {K}
  }}
  %i, %y, %f, %g = relax.while (%k = %zero, %s = %x, %p = %f0, %q = %g0) : ({N}, {V}, {FUNC}, {FUNC}) -> ({N}, {V}, {FUNC}, {FUNC}) {{
    %more = relax.less %k, %end : ({N}, {N}) -> {B}
    relax.yield %more : {B}
  }} do {{
    %next = relax.add %k, %one : ({N}, {N}) -> {N}
    %t = relax.call_closure %p, %s : ({FUNC}, {V}) -> {V}
    relax.yield %next, %t, %q, %p : {N}, {V}, {FUNC}, {FUNC}
  }}
  relax.return %y : {V}
}}

// a shape that grows, and a tuple that is taken apart and put together
relax.func @shapes(%x: {V}, %end: !relax.shape<[m]>) -> tuple<!relax.shape<[?]>, !relax.tensor<[?], f32>> {{
  %s0 = relax.shape [0]
  %t0 = relax.tuple %x, %x : ({V}, {V}) -> tuple<{V}, {V}>
  %s, %t = relax.while (%a = %s0, %b = %t0) : (!relax.shape<[0]>, tuple<{V}, {V}>) -> (!relax.shape<[?]>, tuple<{V}, {V}>) {{
    %c = relax.match_cast %a : !relax.shape<[?]> -> !relax.shape<[k]>
    %l = relax.shape_to_tensor %c : (!relax.shape<[k]>) -> !relax.tensor<[1], i64>
    %r = relax.shape_to_tensor %end : (!relax.shape<[m]>) -> !relax.tensor<[1], i64>
    %less = relax.less %l, %r : (!relax.tensor<[1], i64>, !relax.tensor<[1], i64>) -> !relax.tensor<[1], i1>
    %more = relax.squeeze %less : (!relax.tensor<[1], i1>) -> {B}
    relax.yield %more : {B}
  }} do {{
    %c = relax.match_cast %a : !relax.shape<[?]> -> !relax.shape<[k]>
    %next = relax.shape [k + 2]
    %p = relax.tuple_get_item %b {{index = 0 : i64}} : (tuple<{V}, {V}>) -> {V}
    %q = relax.tuple_get_item %b {{index = 1 : i64}} : (tuple<{V}, {V}>) -> {V}
    %sum = relax.add %p, %q : ({V}, {V}) -> {V}
    %d = relax.tuple %q, %sum : ({V}, {V}) -> tuple<{V}, {V}>
    relax.yield %next, %d : !relax.shape<[k + 2]>, tuple<{V}, {V}>
  }}
  %f = relax.tuple_get_item %t {{index = 1 : i64}} : (tuple<{V}, {V}>) -> {V}
  %out = relax.tuple %s, %f : (!relax.shape<[?]>, {V}) -> tuple<!relax.shape<[?]>, {V}>
  relax.return %out : tuple<!relax.shape<[?]>, {V}>
}}

// values that change places, pass as they are, and come from outside of the loop
relax.func @places(%x: {V}, %y: {V}, %end: {N}) -> tuple<{V}, {V}, {V}, {V}> {{
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %own = relax.negative %x : ({V}) -> {V}
  %i, %p, %q, %r, %s = relax.while (%k = %zero, %a = %x, %b = %y, %c = %own, %d = %own) : ({N}, {V}, {V}, {V}, {V}) -> ({N}, {V}, {V}, {V}, {V}) {{
    %more = relax.less %k, %end : ({N}, {N}) -> {B}
    relax.yield %more : {B}
  }} do {{
    %next = relax.add %k, %one : ({N}, {N}) -> {N}
    relax.yield %next, %b, %a, %own, %a : {N}, {V}, {V}, {V}, {V}
  }}
  %t = relax.tuple %p, %q, %r, %s : ({V}, {V}, {V}, {V}) -> tuple<{V}, {V}, {V}, {V}>
  relax.return %t : tuple<{V}, {V}, {V}, {V}>
}}

// a check that fails in the third turn
relax.func @failing(%x: {V}, %end: {N}) -> {U} {{
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %i, %y = relax.while (%k = %zero, %s = %x) : ({N}, {V}) -> ({N}, {U}) {{
    %more = relax.less %k, %end : ({N}, {N}) -> {B}
    relax.yield %more : {B}
  }} do {{
    %three = relax.constant dense<2> : tensor<i64>
    %ok = relax.not_equal %k, %three : ({N}, {N}) -> {B}
    relax.assert_op %ok {{format = "the third turn"}} : ({B}) -> ()
    %next = relax.add %k, %one : ({N}, {N}) -> {N}
    %c = relax.match_cast %s : {U} -> !relax.tensor<[m], f32>
    %t = relax.concat %c, %x {{axis = 0 : i64}} : (!relax.tensor<[m], f32>, {V}) -> !relax.tensor<[m + n], f32>
    relax.yield %next, %t : {N}, !relax.tensor<[m + n], f32>
  }}
  relax.return %y : {U}
}}
"""


def build() -> BlockBuilder:
    bb = BlockBuilder(parse(TEXT))
    number, index = TensorType([], "f32"), TensorType([], "i64")
    vector, sized = TensorType(["n"], "f32"), TensorType(["m"], "f32")

    a, x, end = var("a", shape=["n", "n"]), var("x", vector), var("end", index)
    with bb.function("power", [a, x, end]):  # power iteration: a dominant eigenvector
        zero = bb.emit(end - end, "i")
        _, y = bb.while_(
            lambda i, y: i < end,
            lambda i, y: (i + 1, (z := bb.emit(op.matmul(a, y))) / op.sqrt(op.sum(z * z))),
            zero,
            x,
        )
        bb.emit_func_output(y)

    x = var("x", number)
    with bb.function("newton", [x]):  # the square root
        (y,) = bb.while_(
            lambda y: op.abs(y * y - x) > 1e-3 * op.maximum(x, bb.emit(x * 0.0 + 1.0)),
            lambda y: (y + x / y) * 0.5,
            bb.emit(x * 0.0 + 1.0, "y"),
        )
        bb.emit_func_output(y)

    logits, end = var("logits", shape=["v", "v"]), var("end", index)
    start = var("start", shape=[1], dtype="i64")
    with bb.function("greedy", [logits, start, end]):  # tokens until one that says stop
        zero = bb.emit(end - end, "i")
        _, tokens, _ = bb.while_(
            lambda i, tokens, last: op.logical_and(i < end, op.max(last) > 0),
            lambda i, tokens, last: (
                i + 1,
                op.concat(
                    [
                        bb.match_cast(tokens, TensorType(["m"], "i64")),
                        token := bb.emit(op.argmax(op.take(logits, last, axis=0), axis=1)),
                    ],
                    axis=0,
                ),
                token,
            ),
            zero,
            start,
            start,
        )
        bb.emit_func_output(tokens)

    end = var("end", index)
    with bb.function("fibonacci", [end]):
        zero = bb.emit(end - end, "i")
        _, a_, _ = bb.while_(
            lambda i, a, b: i < end,
            lambda i, a, b: (i + 1, b, a + b),
            zero,
            zero,
            bb.emit(zero + 1),
        )
        bb.emit_func_output(a_)

    x, end = var("x", vector), var("end", index)
    with bb.function("grow", [x, end]):
        zero = bb.emit(end - end, "i")
        _, y = bb.while_(
            lambda i, y: i < end,
            lambda i, y: (i + 1, op.concat([bb.match_cast(y, sized), x * 2.0], axis=0)),
            zero,
            x,
        )
        bb.emit_func_output(y)

    x, end = var("x", vector), var("end", index)
    with bb.function("nested", [x, end]):  # an if in a while in an if in a while
        zero = bb.emit(end - end, "i")

        def inner(i: Any, y: Any) -> Any:
            def turn(j: Any, z: Any) -> Any:
                odd = bb.emit(op.equal(op.mod(j, bb.emit(zero + 2)), bb.emit(zero + 1)))
                return j + 1, bb.if_(odd, lambda: z * 2.0, lambda: z + x)

            return bb.while_(lambda j, z: j < i, turn, zero, y)[1]

        def outer(i: Any, y: Any) -> Any:
            return i + 1, bb.if_(i > 1, lambda: inner(i, y), lambda: y - 1.0)

        bb.emit_func_output(bb.while_(lambda i, y: i < end, outer, zero, x)[1])
    return bb


@pytest.fixture(scope="module")
def module():
    return build().get()


@pytest.fixture(scope="module")
def executions(module) -> list[Callable[..., Any]]:
    """The ways to run a function of the module."""
    forms = [
        lowering.lower(parse(str(module)), names, verify_each=True)
        for names in (
            ("relax-to-graph-normal-form",),
            ("relax-to-basic-block-normal-form", "relax-check-basic-block-normal-form"),
            ("relax-to-basic-block-normal-form", "relax-to-a-normal-form", "relax-normalize"),
            ("relax-propagate-shapes", "relax-cse", "relax-canonicalize-bindings", "relax-dce"),
            ("relax-lambda-lift", "relax-defunctionalize"),
            ("relax-while-to-recursion",),
        )
    ]
    compiled = lowering.compile(parse(str(module)), extra_flags=UNOPTIMISED)

    def run(each: Any) -> Callable[..., Any]:
        return lambda name, *args: interpret.run(each, name, *args, check_types=True)

    script = tvmscript.loads(tvmscript.dump(module))  # where loops are recursion too
    return [*map(run, (module, *forms, script)), lambda name, *args: getattr(compiled, name)(*args)]


def vector(n: int) -> np.ndarray:
    return np.linspace(-1, 1, n, dtype=np.float32)


def power(a: np.ndarray, x: np.ndarray, end: int) -> np.ndarray:
    for _ in range(end):
        x = a @ x
        x = x / np.sqrt(np.sum(x * x))
    return x


def greedy(logits: np.ndarray, start: np.ndarray, end: int) -> np.ndarray:
    tokens = [start[0]]
    while len(tokens) <= end and tokens[-1] > 0:
        tokens.append(np.argmax(logits[tokens[-1]]))
    return np.array(tokens)


def fibonacci(end: int) -> np.ndarray:
    a, b = 0, 1
    for _ in range(end):
        a, b = b, a + b
    return np.array(a)


def nested(x: np.ndarray, end: int) -> np.ndarray:
    y = x
    for i in range(end):
        if i > 1:
            for j in range(i):
                y = y * 2 if j % 2 == 1 else y + x
        else:
            y = y - 1
    return y


def closures(x: np.ndarray, end: int) -> np.ndarray:
    for i in range(end):
        x = x * np.float32(0.5) if i % 2 == 0 else -x
    return x


def shapes(x: np.ndarray, m: int) -> Any:
    size, a, b = 0, x, x
    while size < m:
        size, a, b = size + 2, b, a + b
    return (size,), b


def places(x: np.ndarray, y: np.ndarray, end: int) -> Any:
    a, b, d = x, y, -x
    for _ in range(end):
        a, b, d = b, a, a
    return a, b, -x, d


NEXT = np.random.default_rng(1).standard_normal((9, 9)).astype(np.float32)
CYCLE = np.eye(9, dtype=np.float32)[[0, 2, 3, 1, 5, 6, 7, 8, 0]]
CASES = [
    *(("power", (np.abs(NEXT[:n, :n]), vector(n) + 2, end)) for n, end in ((1, 0), (3, 1), (9, 7))),
    *(("newton", (np.float32(x),)) for x in (1.0, 2.0, 1e4)),
    *(("greedy", (rows, np.array([4]), end)) for rows in (NEXT, CYCLE) for end in (0, 1, 20)),
    *(("fibonacci", (end,)) for end in (0, 1, 50)),
    *(("grow", (vector(n), end)) for n in (0, 1, 3) for end in (0, 1, 4)),
    *(("nested", (vector(n), end)) for n, end in ((0, 3), (1, 1), (3, 0), (3, 5))),
    *(("closures", (vector(n), end)) for n, end in ((0, 3), (3, 0), (3, 1), (3, 4))),
    *(("shapes", (vector(3), (m,))) for m in (0, 1, 5)),
    *(("places", (vector(n), vector(n) + 3, end)) for n, end in ((0, 2), (3, 0), (3, 1), (3, 4))),
]
ORACLES: dict[str, Callable[..., Any]] = {
    "power": power,
    "newton": np.sqrt,
    "greedy": greedy,
    "fibonacci": fibonacci,
    "grow": lambda x, end: np.concatenate([x, *[x * 2] * end]),
    "nested": nested,
    "closures": closures,
    "shapes": lambda x, m: shapes(x, m[0]),
    "places": places,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ORACLES)
def test_loops_compute_what_numpy_does(executions, name):
    for function, arguments in CASES:
        if function == name:
            expected = ORACLES[name](*arguments)
            given = [np.array(a) if isinstance(a, int) else a for a in arguments]
            for run in executions:
                _compare(run(name, *given), expected)


def _compare(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for f, e in zip(found, expected):
            _compare(f, e)
        return
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-5)


@pytest.mark.slow
def test_a_check_in_a_turn_fails_alike(executions):
    for run in executions:
        _compare(run("failing", vector(2), np.array(2)), np.tile(vector(2), 3))
        with pytest.raises(RelaxError, match=r"@failing(_loop)?: relax\.assert_op: the third turn"):
            run("failing", vector(2), np.array(3))


def test_the_state_is_as_wide_as_all_turns_need(module):
    loops = {
        f.sym_name.data: [str(t) for t in op.result_types]
        for f in module.ops
        for op in f.walk()
        if isinstance(op, WhileOp)
    }
    assert loops["grow"] == [N, U]
    assert loops["fibonacci"] == [N, N, N]
    assert loops["power"] == [N, V]


@pytest.mark.parametrize("is_told", [False, True])
def test_types_that_are_known_beforehand(is_told: bool):
    """The body is called until the types of the state fit: once where they are told."""
    bb, turns = BlockBuilder(), 0
    x, end = var("x", shape=["n"], dtype="f32"), var("end", TensorType([], "i64"))

    def longer(i: Any, y: Any) -> Any:
        nonlocal turns
        turns += 1
        return i + 1, op.concat([bb.match_cast(y, TensorType(["m"], "f32")), x], axis=0)

    with bb.function("main", [x, end]):
        told = [TensorType([], "i64"), TensorType(["?"], "f32")] if is_told else []
        found = bb.while_(lambda i, y: i < end, longer, bb.emit(end - end), x, at_least=told)
        bb.emit_func_output(found[1])
    assert turns == 2 - is_told
    bb.get().verify()


@pytest.mark.slow
def test_loops_run_in_tvm_as_recursion(module):
    tvm = package("tvm")
    plain = lowering.lower(parse(str(module)), ["relax-lambda-lift", "relax-defunctionalize"])
    script = tvm.script.from_source(tvmscript.dump(plain))
    machine = tvm.relax.VirtualMachine(tvm.compile(script, unoptimised()), tvm.cpu())

    def given(value: Any) -> Any:
        is_shape = isinstance(value, tuple)
        return tvm.runtime.ShapeTuple(value) if is_shape else tvm.runtime.tensor(np.array(value))

    def arrays(found: Any) -> Any:
        if hasattr(found, "numpy"):
            return found.numpy()
        return tuple(found if isinstance(found, tvm.runtime.ShapeTuple) else map(arrays, found))

    for name, arguments in CASES:
        if not any(np.ndim(a) and 0 in np.shape(a) for a in arguments):
            _compare(arrays(machine[name](*map(given, arguments))), ORACLES[name](*arguments))
