"""Functions from outside, prints and assertions in compiled code, compared with the interpreter."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import SANITIZED
from sanitizers import STRICT, run_sanitized

import lowering
from lowering.driver import to_c
from lowering.runtime import loading as runtime
from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret import register_packed, run
from relax_dialect.parsing import parse

TYPES = {
    "S": "!relax.tensor<[], f32>",
    "I": "!relax.tensor<[], i64>",
    "B": "!relax.tensor<[], i1>",
    "V": "!relax.tensor<[n], f32>",
    "M": "!relax.tensor<[n, m], f32>",
    "O": "!relax.object",
}


def program(text: str) -> Any:
    """A module from text in which `V` is a vector, `S` a scalar, and so on."""
    return parse(re.sub(r"(?<![%@\w.\"])[SIBVMO]\b", lambda m: TYPES[m[0]], text))


def build(text: str, **options: Any) -> Any:
    return lowering.compile(program(text), extra_flags=["-O0"], **options)


def logged(text: str, *args: Any) -> tuple[list[Any], list[Any]]:
    """The calls of "log" by the interpreter and by the compiled program; results agree."""
    calls: list[Any] = []

    def log(*values: Any) -> None:
        calls.append([np.array(v).tolist() for v in values])

    register_packed("log", log)
    module = program(text)
    expected = run(module, "main", *(np.copy(a) for a in args))
    by_interpreter = list(calls)
    calls.clear()
    np.testing.assert_allclose(
        lowering.compile(module, extra_flags=["-O0"]).main(*args), expected, rtol=1e-6
    )
    return by_interpreter, calls


RECURSION = """
relax.func private @count(%n: I, %sum: I) -> I {
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %u = relax.call_packed "log"(%n, %sum) : (I, I) -> O
  %go = relax.greater %n, %zero : (I, I) -> B
  %r = relax.if %go : (B) -> I {
    %m = relax.subtract %n, %one : (I, I) -> I
    %s = relax.add %sum, %n : (I, I) -> I
    %v = relax.call_packed "log"(%s) : (I) -> O
    %q = relax.call @count(%m, %s) : (I, I) -> I
    %w = relax.call_packed "log"(%q) : (I) -> O
    relax.yield %q : I
  } else {
    %v = relax.call_packed "log"(%sum) : (I) -> O
    relax.yield %sum : I
  }
  relax.return %r : I
}
relax.func @main(%n: I) -> I {
  %r = relax.call @count(%n, %n) : (I, I) -> I
  %u = relax.call_packed "log"() : () -> O
  relax.return %r : I
}
"""


@pytest.mark.parametrize("n", [0, 1, 4])
def test_effects_happen_once_and_in_order_through_ifs_and_recursion(n: int):
    by_interpreter, compiled = logged(RECURSION, np.array(n))
    assert compiled == by_interpreter
    assert len(compiled) == 3 * n + 3
    assert compiled[0] == [n, n]


@pytest.mark.slow
def test_the_first_document_with_a_declared_result():
    model = build("""
relax.func @main(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, m], f32>) -> O {
  %gv0 = relax.dataflow {
    %lv0 = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> M
    %lv1 = relax.flatten %lv0 : (M) -> !relax.tensor<[m * n], f32>
    relax.output %lv1 : !relax.tensor<[m * n], f32>
  }
  %gv1 = relax.binding_block {
    %u = relax.call_packed "custom_inplace_update"(%gv0) :
      (!relax.tensor<[m * n], f32>) -> !relax.tensor<[m * n], f32>
    relax.output %u : !relax.tensor<[m * n], f32>
  }
  relax.return %gv1 : !relax.tensor<[m * n], f32>
}""")
    random = np.random.default_rng(0)
    x, w = (random.standard_normal(s).astype(np.float32) for s in ((3, 5), (5, 7)))
    seen: list[Any] = []

    def update(values: np.ndarray) -> np.ndarray:
        seen.append(values.copy())
        return values[::-1]  # a view of what is C's, and not contiguous

    register_packed("custom_inplace_update", update)
    np.testing.assert_allclose(model.main(x, w), (x @ w).ravel()[::-1], rtol=1e-5)
    np.testing.assert_allclose(seen[0], (x @ w).ravel(), rtol=1e-5)


def test_arguments_arrive_as_the_interpreter_passes_them():
    text = """
relax.func @main(%x: V, %b: B, %i: i32, %d: index) -> V {
  %s = relax.shape_of %x : (V) -> !relax.shape<[n]>
  %e = relax.shape []
  %t = relax.tuple %x, %s : (V, !relax.shape<[n]>) -> tuple<V, !relax.shape<[n]>>
  %p = relax.tuple %b, %t : (B, tuple<V, !relax.shape<[n]>>) -> tuple<B, tuple<V, !relax.shape<[n]>>>
  %u = relax.call_packed "see"(%p, %e, %i, %d) :
    (tuple<B, tuple<V, !relax.shape<[n]>>>, !relax.shape<[]>, i32, index) -> O
  relax.return %x : V
}"""
    seen: list[Any] = []

    def see(pair: Any, empty: Any, i: Any, d: Any) -> None:
        b, (x, shape) = pair
        assert isinstance(b, np.ndarray)
        assert b.dtype == np.bool_
        assert i.dtype == np.int32
        seen.append((b.item(), x.tolist(), shape, empty, int(i), int(d)))

    register_packed("see", see)
    x = np.array([1.5, 2, -3], np.float32)
    run(program(text), "main", x, np.array(True), np.int32(-7), 12)
    build(text).main(x, np.array(True), -7, 12)
    assert seen[0] == seen[1] == (True, [1.5, 2, -3], (3,), (), -7, 12)


def test_results_may_be_tensors_shapes_and_numbers():
    text = """
relax.func @main(%x: V) -> tuple<!relax.tensor<[?, 2], i64>, !relax.tensor<[k, n], f32>, !relax.tensor<[], i1>> {
  %a = relax.call_packed "tensor"(%x) : (V) -> !relax.tensor<[?, 2], i64>
  %s = relax.call_packed "shape"(%x) : (V) -> !relax.shape<[?, n]>
  %k = relax.match_shape %s [k, n] : (!relax.shape<[?, n]>) -> !relax.shape<[k, n]>
  %z = relax.call_dps_packed "fill"(%k) : (!relax.shape<[k, n]>) -> !relax.tensor<[k, n], f32>
  %c = relax.call_pure_packed "number"(%x) : (V) -> f32
  %b = relax.call_packed "check"(%c) : (f32) -> B
  %t = relax.tuple %a, %z, %b : (!relax.tensor<[?, 2], i64>, !relax.tensor<[k, n], f32>, B) ->
    tuple<!relax.tensor<[?, 2], i64>, !relax.tensor<[k, n], f32>, B>
  relax.return %t : tuple<!relax.tensor<[?, 2], i64>, !relax.tensor<[k, n], f32>, B>
}""".replace("match_shape %s [k, n] : (!relax.shape<[?, n]>) -> !relax.shape<[k, n]>", "MATCH")
    text = text.replace(
        "relax.MATCH", "relax.match_cast %s : !relax.shape<[?, n]> -> !relax.shape<[k, n]>"
    )
    text = text.replace("-> tuple<!relax.tensor<[?, 2], i64>, !relax.tensor<[k, n], f32>, !relax.tensor<[], i1>> {",
                        "-> tuple<!relax.tensor<[?, 2], i64>, !relax.tensor<[?, n], f32>, B> {")  # fmt: skip

    def fill(shape: Any, out: np.ndarray) -> None:
        out[...] = np.arange(out.size).reshape(shape)

    register_packed("tensor", lambda x: np.arange(2 * x.size).reshape(-1, 2))
    register_packed("shape", lambda x: (4, x.size))
    register_packed("fill", fill)
    register_packed("number", lambda x: np.float32(x.sum()))
    register_packed("check", lambda c: np.array(c == 6))
    x = np.array([1, 2, 3], np.float32)
    found, expected = build(text).main(x), run(program(text), "main", x)
    for f, e in zip(found, expected, strict=True):
        np.testing.assert_array_equal(f, e)
        assert f.dtype == e.dtype
    assert found[2]


IDENTITY = """
relax.func @main(%x: V) -> V {
  %y = relax.call_packed "f"(%x) : (V) -> V
  relax.return %y : V
}"""


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x.astype(np.int64), r"'f': result: expected element type f32, found i64"),
        (lambda x: x[None], r"'f': result: expected 1 dimensions, \[\?\], found 2, \[1, 3\]"),
        (
            lambda x: x[1:],
            r'@main: relax\.call_packed "f": result: expected size n = 3 in dimension 0, found 2',
        ),
        (lambda x: None, r"'f': result: expected an array of float32, found a Python NoneType"),
        (lambda x: 1.5, r"'f': result: expected an array of float32, found a Python float"),
        (lambda x: np.array(["a"]), r"'f': result: expected an array of float32, found one of <U1"),
    ],
)
def test_a_wrong_result_is_an_error(function: Callable[..., Any], message: str):
    register_packed("f", function)
    with pytest.raises(RelaxError, match=message):
        build(IDENTITY).main(np.ones(3, np.float32))


def test_constant_sizes_are_checked():
    text = """
relax.func @main(%x: V) -> !relax.tensor<[?, 4], f32> {
  %y = relax.call_packed "f"(%x) : (V) -> !relax.tensor<[?, 4], f32>
  relax.return %y : !relax.tensor<[?, 4], f32>
}"""
    model = build(text)
    register_packed("f", lambda x: np.zeros((x.size, 4), np.float32))
    assert model.main(np.ones(5, np.float32)).shape == (5, 4)
    register_packed("f", lambda x: np.zeros((4, 3), np.float32))
    with pytest.raises(RelaxError, match=r"'f': result: expected size 4 in dimension 1, found 3"):
        model.main(np.ones(5, np.float32))


def test_exceptions_are_raised_again_and_leave_the_model_usable():
    model = build(IDENTITY)

    def fail(x: np.ndarray) -> np.ndarray:
        raise ValueError(f"no {x[0]}")

    register_packed("f", fail)
    with pytest.raises(
        ExecutionError, match=r"^packed function 'f' raised ValueError: no 1\.0$"
    ) as e:
        model.main(np.ones(3, np.float32))
    assert isinstance(e.value.__cause__, ValueError)

    def interrupt(x: np.ndarray) -> np.ndarray:
        raise KeyboardInterrupt

    register_packed("f", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.main(np.ones(3, np.float32))
    register_packed("f", lambda x: -x)
    np.testing.assert_array_equal(model.main(np.ones(3, np.float32)), -np.ones(3))


def test_a_name_that_is_not_registered():
    model = build(IDENTITY.replace('"f"', '"nobody at all"'))
    with pytest.raises(
        ExecutionError, match=r'expected the name of a registered function, found "nobody'
    ):
        model.main(np.ones(3, np.float32))


@pytest.mark.usefixtures("what_is_older_stays")
def test_arguments_are_read_only_and_must_not_be_kept():
    model = build(IDENTITY)
    kept: list[Any] = []

    def keep(x: np.ndarray) -> np.ndarray:
        kept.append(x[1:])
        return np.copy(x)

    register_packed("f", keep)
    with pytest.raises(
        RelaxError, match=r"'f': expected arguments to be used during the call only"
    ):
        model.main(np.ones(3, np.float32))
    kept.clear()

    def write(x: np.ndarray) -> np.ndarray:
        x[0] = 5
        return x

    register_packed("f", write)
    with pytest.raises(ExecutionError, match=r"ValueError: .*read-only"):
        model.main(np.ones(3, np.float32))

    def cycle(x: np.ndarray) -> np.ndarray:
        inner: list[Any] = [x]
        inner.append(inner)
        return x * 2

    register_packed("f", cycle)
    np.testing.assert_array_equal(model.main(np.ones(3, np.float32)), 2 * np.ones(3))


def test_empty_tensors_pass():
    model = build(IDENTITY)
    register_packed("f", lambda x: x + 1)
    assert model.main(np.ones(0, np.float32)).shape == (0,)


def test_python_and_compiled_code_may_call_each_other():
    model = build(IDENTITY)

    def f(x: np.ndarray) -> np.ndarray:
        return x if x[0] > 5 else model.main(x + 1) * 2

    register_packed("f", f)
    np.testing.assert_array_equal(model.main(np.array([3], np.float32)), [6 * 2**3])


def test_threads_have_their_own_results_and_errors():
    model = build(IDENTITY)

    def f(x: np.ndarray) -> np.ndarray:
        if x[0] < 0:
            raise ValueError(f"{x[0]:g}")
        return x + 1

    register_packed("f", f)
    wrong: list[Any] = []

    def work(number: int) -> None:
        for step in range(200):
            x = np.full(50, -number if step % 3 == 0 else number, np.float32)
            try:
                if not np.array_equal(model.main(x), x + 1):
                    wrong.append(x)
            except ExecutionError as error:
                if not str(error).endswith(f": -{number}"):
                    wrong.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(i + 1,)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []


def test_a_function_outlives_its_module():
    main = build(IDENTITY).main
    register_packed("f", lambda x: x + 1)
    gc.collect()
    np.testing.assert_array_equal(main(np.ones(3, np.float32)), 2 * np.ones(3))


@pytest.mark.parametrize(
    "type", ["!relax.tensor<*, f32>", "!relax.tensor<[?]>", "tuple<O, !relax.shape<*>>"]
)
def test_a_result_that_says_too_little_may_not_be_used(type: str):
    text = f"""
relax.func @main(%x: V) -> V {{
  %b = relax.binding_block {{
    %y = relax.call_packed "f"(%x) : (V) -> {type}
    relax.output %y : {type}
  }}
  USE
  relax.return %x : V
}}"""
    unused = text.replace("USE", "")
    register_packed("f", lambda x: None)
    np.testing.assert_array_equal(build(unused).main(np.ones(2, np.float32)), np.ones(2))
    used = text.replace("USE", f'%u = relax.call_packed "g"(%b) : ({type}) -> O')
    with pytest.raises(
        RelaxError, match=r'expected a result of "f" that is a tensor of known rank'
    ):
        to_c(program(used))


# Prints and assertions


@pytest.mark.slow
def test_python_and_compiled_code_print_in_order(tmp_path: Path):
    """To a pipe, where Python keeps back what it prints."""
    text = """
relax.func @main(%x: V) -> V {
  relax.print {format = "1"} : () -> ()
  %u = relax.call_packed "two"(%x) : (V) -> O
  relax.print {format = "3"} : () -> ()
  relax.return %x : V
}"""
    (tmp_path / "p.mlir").write_text(str(program(text)))
    script = f"""
import lowering, numpy
from relax_dialect.interpret import register_packed
from relax_dialect.parsing import load
register_packed("two", lambda x: print("2"))
model = lowering.compile(load({str(tmp_path / "p.mlir")!r}))
print("0")
model.main(numpy.ones(2, numpy.float32))
print("4")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["0", "1", "2", "3", "4"]


PRINT = """
relax.func @main(%x: T) -> S {
  relax.print %x {format = "x = {}, {{done}} 100%"} : (T) -> ()
  %c = relax.constant dense<0.0> : tensor<f32>
  relax.return %c : S
}"""

PRINTED = [
    np.array(1.5, np.float32), np.array(3.0), np.array(1e20, np.float32), np.array(1e-7), np.array(-0.0),
    np.array(123456.78), np.array(0.1, np.float32), np.array(np.nan), np.array(-np.inf),
    np.array(True), np.array(-5), np.array(200, np.uint8),
    np.array([1, 2.5, -3.25], np.float32), np.array([0.1, 0.2, 1 / 3]), np.array([1e-5, 1], np.float32),
    np.array([1e9, 2.5, 3]), np.array([1, np.nan, -np.inf, 22.5], np.float32), np.array([np.nan, np.inf]),
    np.array([1.0, 2.0]), np.array([True, False]), np.array([[1, -20], [300, 4]], np.int32),
    np.arange(12.0, dtype=np.float32).reshape(2, 3, 2) / 4, np.zeros((0, 3), np.float32),
    np.array([1234.5, 1.5]), np.array([999.5, 1.5]), np.ones((1, 1, 1, 2), np.int8), np.array([0.0, -0.0]),
]  # fmt: skip


def test_print_matches_the_interpreter(capfd: pytest.CaptureFixture[str]):
    """numpy is whom both follow."""

    def printing(x: np.ndarray, name: str) -> str:
        element = {"f": "f", "i": "i", "u": "ui", "b": "i"}[x.dtype.kind]
        bits = 1 if x.dtype == bool else 8 * x.dtype.itemsize
        type = f"!relax.tensor<[{', '.join('?' * x.ndim)}], {element}{bits}>"
        return PRINT.replace("T)", f"{type})").replace("@main", f"@{name}")

    named = {f"print{number}": x for number, x in enumerate(PRINTED)}
    module = program("".join(printing(x, name) for name, x in named.items()))
    model = lowering.compile(module, extra_flags=["-O0"])
    for name, x in named.items():
        model[name](x)
        found = capfd.readouterr().out
        assert found == f"x = {x!s}, {{done}} 100%\n"
        run(module, name, x)
        assert capfd.readouterr().out == found


def test_print_of_tuples_and_shapes(capfd: pytest.CaptureFixture[str]):
    text = """
relax.func @main(%x: M) -> S {
  %s = relax.shape_of %x : (M) -> !relax.shape<[n, m]>
  %t = relax.tuple %x, %s : (M, !relax.shape<[n, m]>) -> tuple<M, !relax.shape<[n, m]>>
  relax.print %t, %s : (tuple<M, !relax.shape<[n, m]>>, !relax.shape<[n, m]>) -> ()
  %c = relax.constant dense<0.0> : tensor<f32>
  relax.return %c : S
}"""
    x = np.ones((1, 2), np.float32)
    build(text).main(x)
    compiled = capfd.readouterr().out
    run(program(text), "main", x)
    assert compiled == capfd.readouterr().out == "([[1. 1.]], (1, 2)) (1, 2)\n"


@pytest.mark.parametrize(
    ("attributes", "values", "types"),
    [
        (' {format = "{} is {{not}} below {}"}', ", %x, %y", ", V, V"),
        (' {format = "100% wrong {{}}"}', "", ""),
        ("", ", %x", ", V"),
        ("", "", ""),
    ],
)
def test_an_assertion_fails_as_in_the_interpreter(attributes: str, values: str, types: str):
    text = f"""
relax.func @main(%x: V, %y: V, %c: B) -> V {{
  %z = relax.add %x, %y : (V, V) -> V
  relax.assert_op %c{values}{attributes} : (B{types}) -> ()
  relax.return %z : V
}}"""
    x, y = np.array([1.5, 2], np.float32), np.array([1, 2], np.float32)
    model = build(text)
    np.testing.assert_array_equal(model.main(x, y, np.array(True)), x + y)
    with pytest.raises(RelaxError) as expected:
        run(program(text), "main", x, y, np.array(False))
    with pytest.raises(RelaxError, match=re.escape(str(expected.value)) + "$"):
        model.main(x, y, np.array(False))


def test_long_messages_are_cut():
    text = """
relax.func @main(%x: V, %c: B) -> V {
  relax.assert_op %c, %x : (B, V) -> ()
  relax.return %x : V
}"""
    with pytest.raises(RelaxError, match=r"assertion failed \[  0\.    0\.5   1\.  ") as error:
        build(text).main(np.arange(1000, dtype=np.float32) / 2 + 0, np.array(False))
    assert len(str(error.value)) == 511


# In place

INPLACE = """
func.func private @double(%A: tensor<?xf32> {relax.dims = ["n"]})
    -> (tensor<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %C = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%A : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.addf %a, %a : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  func.return %C : tensor<?xf32>
}
func.func private @transpose(%A: tensor<?x?xf32> {relax.dims = ["n", "n"]})
    -> (tensor<?x?xf32> {relax.dims = ["n", "n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %n) : tensor<?x?xf32>
  %C = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%A : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  func.return %C : tensor<?x?xf32>
}
"""

OWNED = (
    INPLACE
    + """
relax.func @main(%x: V) -> V {
  %y = relax.exp %x : (V) -> V
  %z = relax.call_tir_inplace @double(%y) {inplace_indices = array<i64: 0>} : (V) -> V
  relax.return %z : V
}"""
)

PARAMETER = (
    INPLACE
    + """
relax.func @main(%x: V) -> tuple<V, V> {
  %z = relax.call_tir_inplace @double(%x) {inplace_indices = array<i64: 0>} : (V) -> V
  %w = relax.call_tir_inplace @double(%z) {inplace_indices = array<i64: 0>} : (V) -> V
  %t = relax.tuple %w, %w : (V, V) -> tuple<V, V>
  relax.return %t : tuple<V, V>
}"""
)

SOME_IN_PLACE = """
func.func private @parts(%A: tensor<?xf32> {relax.dims = ["n"]})
    -> (tensor<?xf32> {relax.dims = ["n"]}, tensor<?xf32> {relax.dims = ["n"]}) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%A : tensor<?xf32>) {
  ^bb0(%a: f32):
    %p = arith.addf %a, %a : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  func.return %A, %0 : tensor<?xf32>, tensor<?xf32>
}
relax.func @main(%x: V) -> tuple<V, V, V> {
  %t = relax.dataflow {
    %y = relax.exp %x : (V) -> V
    %c, %d = relax.call_tir_inplace @parts(%y) {inplace_indices = array<i64: -1, 0>} : (V) -> (V, V)
    %u = relax.tuple %y, %c, %d : (V, V, V) -> tuple<V, V, V>
    relax.output %u : tuple<V, V, V>
  }
  relax.return %t : tuple<V, V, V>
}"""

PERMUTED = (
    INPLACE
    + """
relax.func @main(%x: Q) -> Q {
  %y = relax.exp %x : (Q) -> Q
  %z = relax.call_tir_inplace @transpose(%y) {inplace_indices = array<i64: 0>} : (Q) -> Q
  relax.return %z : Q
}"""
).replace("Q", "!relax.tensor<[n, n], f32>")


def allocations(text: str) -> int:
    """How many buffers `main` allocates."""
    lowered = str(lowering.lower(program(text)))
    return lowered[lowered.index("@main") :].split("func.return")[0].count("memref.alloc(")


def test_some_results_in_place_in_a_dataflow_block():
    """Results for -1 are allocated, and the argument, which is returned too, is not changed."""
    x = np.array([0, 1, 2], np.float32)
    expected = np.exp(x), np.exp(x), 2 * np.exp(x)
    interpreted = run(program(SOME_IN_PLACE), "main", x)
    np.testing.assert_allclose(interpreted, expected, rtol=1e-6)
    np.testing.assert_allclose(build(SOME_IN_PLACE).main(x), expected, rtol=1e-6)


def test_a_result_is_written_over_a_buffer_of_the_function():
    x = np.array([0, 1, 2], np.float32)
    assert allocations(OWNED) == 1
    np.testing.assert_allclose(build(OWNED).main(x), 2 * np.exp(x), rtol=1e-6)


def test_a_callers_array_is_never_changed():
    x = np.array([0, 1, 2], np.float32)
    before = x.copy()
    assert allocations(PARAMETER) == 2  # one for %z, over which %w is written, one for its copy
    for found in build(PARAMETER).main(x):
        np.testing.assert_array_equal(found, 4 * before)
    np.testing.assert_array_equal(x, before)


@pytest.mark.slow
def test_what_permutes_is_not_done_in_place():
    x = np.arange(9, dtype=np.float32).reshape(3, 3) / 9
    assert allocations(PERMUTED) == 2
    np.testing.assert_allclose(build(PERMUTED).main(x), np.exp(x).T, rtol=1e-6)


# Functions in C

C_FUNCTION = """
#include <stdlib.h>
#include "model.h"

int my_f(void *context, const DLTensor *const *args, int count, DLTensor *result);

/* 2 * x, in memory that lives until the next call; fails for a negative first element. */
int my_f(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    static float values[100];
    static int64_t shape[1];
    const float *x = args[0]->data;
    (void)context;
    if (count != 1 || args[0]->shape[0] > 100)
        return 7;
    if (args[0]->shape[0] > 0 && x[0] < 0)
        return 3;
    shape[0] = args[0]->shape[0];
    for (int64_t i = 0; i < shape[0]; ++i)
        values[i] = 2 * x[i];
    *result = *args[0];
    result->data = values;
    result->shape = shape;
    return 0;
}
"""

TWICE = """
relax.func @main(%x: V) -> V {
  %a = relax.exp %x : (V) -> V
  %b = relax.call_packed "f"(%x) : (V) -> V
  %c = relax.call_packed "f"(%b) : (V) -> V
  relax.print %c : (V) -> ()
  %d = relax.add %a, %c : (V, V) -> V
  relax.return %d : V
}"""


def test_a_function_in_c(tmp_path: Path):
    (tmp_path / "f.c").write_text(C_FUNCTION)
    model = build(TWICE, packed={"f": "my_f"}, link=[tmp_path / "f.c"], directory=tmp_path / "out")
    x = np.array([1, 2], np.float32)
    np.testing.assert_allclose(model.main(x), np.exp(x) + 4 * x, rtol=1e-6)
    with pytest.raises(RelaxError, match="packed function 'f' failed with code 3"):
        model.main(-x)
    with pytest.raises(RelaxError, match="packed function 'f' failed with code 7"):
        model.main(np.ones(101, np.float32))


@pytest.mark.parametrize("kind", ["o", "so"])
def test_relax_compile_links(kind: str, tmp_path: Path):
    """A program compiled with an object file or a shared object, loaded without the registry."""
    from lowering.tools.relax_compile import main

    (tmp_path / "p.mlir").write_text(str(program(TWICE)))
    (tmp_path / "f.c").write_text(C_FUNCTION)
    source = to_c(program(TWICE), "model", packed={"f": "my_f"})
    source.write(tmp_path)
    flags = ["-c"] if kind == "o" else ["-shared"]
    subprocess.run(
        ["cc", *flags, "-fPIC", "-I", str(tmp_path), str(tmp_path / "f.c"), "-o", f"f.{kind}"],
        cwd=tmp_path, check=True,
    )  # fmt: skip
    arguments = [str(tmp_path / "p.mlir"), "-o", str(tmp_path / "out"), "--name", "model"]
    assert main([*arguments, "--packed", "f=my_f", "--link", str(tmp_path / f"f.{kind}")]) == 0
    assert source.packed == ()
    model = runtime.load(tmp_path / "out" / "model.so", source.entries)
    x = np.array([1, 2], np.float32)
    np.testing.assert_allclose(model.main(x), np.exp(x) + 4 * x, rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--packed", "f"], "--packed f: expected a name and a C symbol, as in f=my_f"),
        (["--packed", "g=my_f"], r'expected one that the module calls \(f\), found "g"'),
        (["--packed", "f=my-f"], "expected the name of a C function, found 'my-f'"),
        (["--packed", "f=arg0"], "whose name the emitted file does not use itself, found arg0"),
        (["--packed", "f=allocate"], "whose name the emitted file does not use itself"),
        (["--link", "none.o"], "--link none.o: expected a file to link with, found none"),
        (
            ["--link", __file__],
            r"test_packed.py: expected a file that the linker reads, .c, .o, .a or",
        ),
    ],
)
def test_mistakes_of_the_command_line(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    from lowering.tools.relax_compile import main

    (tmp_path / "p.mlir").write_text(str(program(TWICE)))
    assert main([str(tmp_path / "p.mlir"), "-o", str(tmp_path), *options]) == 1
    assert re.search(message, capsys.readouterr().err)


MIXED = (
    TWICE.replace("main", "both")
    .replace("@both(%x: V)", "@both(%x: V, %ok: B)")
    .replace(
        "  %d =",
        """  %s = relax.shape_of %c : (V) -> !relax.shape<[n]>
  %o = relax.call_packed "see"(%s, %c) : (!relax.shape<[n]>, V) -> O
  %p = relax.call_dps_packed "fill"(%c) : (V) -> !relax.tensor<[2, n], f32>
  %q = relax.call_packed "give"(%p) : (!relax.tensor<[2, n], f32>) -> !relax.tensor<[?, 2], i64>
  relax.print %p, %q : (!relax.tensor<[2, n], f32>, !relax.tensor<[?, 2], i64>) -> ()
  relax.assert_op %ok, %c {format = "not {}"} : (B, V) -> ()
  %d =""",
    )
)

DRIVER = r"""
#include <stdio.h>
#include <string.h>
#include "model.h"

int my_f(void *context, const DLTensor *const *args, int count, DLTensor *result);
static float twice[8];
static int64_t twice_shape[1];

int my_f(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    (void)context;
    (void)count;
    const float *x = args[0]->data;
    if (args[0]->shape[0] > 8)
        return 7;
    twice_shape[0] = args[0]->shape[0];
    for (int64_t i = 0; i < twice_shape[0]; ++i)
        twice[i] = 2 * x[i];
    *result = *args[0];
    result->data = twice;
    result->shape = twice_shape;
    return 0;
}

static int see(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    (void)result;
    printf("%s %d %lld %d\n", (const char *)context, count,
        (long long)((const int64_t *)args[0]->data)[0], (int)args[1]->ndim);
    return 0;
}

static int fill(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    (void)context;
    (void)count;
    const int64_t n = args[0]->shape[0];
    for (int64_t i = 0; i < 2 * n; ++i)
        ((float *)result->data)[i] = (float)i / 2;
    return 0;
}

static int mode;
static int64_t numbers[] = {1, 2, 3, 4, 5, 6};
static int64_t number_shape[] = {3, 2};

static int give(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    (void)context;
    (void)args;
    (void)count;
    if (mode == 1)
        return 0;
    if (mode == 2)
        return 5;
    result->data = numbers;
    result->ndim = mode == 3 ? 1 : 2;
    result->shape = number_shape;
    result->dtype.code = kDLInt;
    result->dtype.bits = mode == 4 ? 32 : 64;
    number_shape[1] = mode == 5 ? 1 : 2;
    return 0;
}

int main(void)
{
    float data[9] = {1, 2, 3};
    bool holds = true;
    int64_t shape[] = {3};
    DLTensor x = {.data = data, .ndim = 1, .shape = shape};
    x.device.device_type = kDLCPU;
    x.dtype.code = kDLFloat;
    x.dtype.bits = 32;
    x.dtype.lanes = 1;
    DLTensor b = x;
    b.data = &holds;
    b.ndim = 0;
    b.dtype.code = kDLBool;
    b.dtype.bits = 8;
    DLTensor y = {.data = NULL};
    printf("%d %s\n", model_both(&x, &b, &y), model_last_error());
    printf("%d %s\n", model_register("nothing", see, NULL), model_last_error());
    if (model_register("see", see, "seen") != 0 || model_register("fill", fill, NULL) != 0
        || model_register("@packed_give", give, NULL) != 0)
        return 1;
    for (mode = 0; mode < 7; ++mode) {
        holds = mode != 6;
        const int status = model_both(&x, &b, &y);
        printf("%d %s\n", status, status == 0 ? "" : model_last_error());
        model_release(&y);
    }
    shape[0] = 9;
    printf("%d %s\n", model_both(&x, &b, &y) != 0, model_last_error());
    return 0;
}
"""

EXPECTED = r"""[ 4.  8. 12.]
-1 packed function 'see' is not registered: call model_register first
-1 model_register: expected one of see, fill, give, found nothing
"""

RUN = """[ 4.  8. 12.]
seen 2 3 1
"""

SHOWN = """[[0.  0.5 1. ]
 [1.5 2.  2.5]] [[1 2]
 [3 4]
 [5 6]]
"""

GIVEN = "-1 packed function 'give'"


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED)
def test_functions_in_c_under_the_sanitizers(cc: str, tmp_path: Path):
    source = to_c(program(MIXED), "model", packed={"f": "my_f"})
    source.write(tmp_path)
    for level in ("-O0", "-O3"):
        command = [cc, *STRICT, level, "-c", "model.c", "-o", "model.o"]
        subprocess.run(command, cwd=tmp_path, check=True)
    assert run_sanitized(cc, tmp_path, DRIVER) == (
        EXPECTED
        + f"{RUN}{SHOWN}0 \n"
        + f"{RUN}{GIVEN}: result: expected a tensor, found none: the function must fill it in\n"
        + f"{RUN}{GIVEN} failed with code 5\n"
        + f"{RUN}{GIVEN}: result: expected 2 dimensions, [?, 2], found 1, [3]\n"
        + f"{RUN}{GIVEN}: result: expected element type i64, found i32; convert the array with astype\n"
        + f"{RUN}{GIVEN}: result: expected size 2 in dimension 1, found 1\n"
        + f"{RUN}{SHOWN}-1 @both: relax.assert_op: not [ 4.  8. 12.]\n"
        + "1 packed function 'f' failed with code 7\n"
    )


def test_the_file_says_nothing_of_packed_functions_without_any():
    source = to_c(
        program("relax.func @register(%x: V) -> V {\n  relax.return %x : V\n}"), cpu="generic"
    )
    assert "packed" not in source.c + source.h
    assert [e.c_name for e in source.entries] == ["model_register"]


def packed_named(name: str) -> Any:
    return parse(
        f"""relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {{
          %0 = relax.call_packed "{name}"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
          relax.return %0 : !relax.tensor<[n], f32>
        }}"""
    )


def test_names_that_open_and_end_comments():
    text = lowering.to_c(packed_named("/* and */ and /*/"))
    for source in (text.c, text.h):
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", source)
        comments = re.findall(r"/\*(.*?)\*/", bare, re.DOTALL)
        assert comments and not any("/*" in comment for comment in comments)
        assert "*/" not in re.sub(r"/\*.*?\*/", "", bare, flags=re.DOTALL)


def test_a_name_that_no_literal_holds_is_refused():
    with pytest.raises(RelaxError, match=r"expected names and messages of at most 4095 bytes"):
        lowering.to_c(packed_named("a" * 5000))
