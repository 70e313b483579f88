"""Objects in compiled programs, compared with the interpreter: made, passed on, chosen, kept and released."""

from __future__ import annotations

import gc
import re
import weakref
from typing import Any

import numpy as np
import pytest

import lowering
from lowering.runtime import objects
from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret import register_packed, run
from relax_dialect.parsing import parse

pytestmark = pytest.mark.usefixtures("unoptimised")

TYPES = {
    "V": "!relax.tensor<[n], f32>",
    "B": "!relax.tensor<[], i1>",
    "O": "!relax.object",
    "T": "tuple<!relax.object, tuple<!relax.tensor<[n], f32>, !relax.object>>",
}


def program(text: str) -> Any:
    """A module from text in which `O` is an object, `V` a vector, and so on."""
    return parse(re.sub(r"(?<![%@\w.\"])[VBOT]\b", lambda m: TYPES[m[0]], text))


def build(text: str, **options: Any) -> Any:
    return lowering.compile(program(text), extra_flags=["-O0"], **options)


class Cache:
    """Something that only functions from outside look into."""

    def __init__(self, *values: Any):
        self.values = [np.copy(v) for v in values]


@pytest.fixture(autouse=True)
def nothing_is_kept(what_is_older_stays: None):
    yield
    gc.collect()
    assert objects._KEPT == {}  # pyright: ignore[reportPrivateUsage]


@pytest.mark.slow
def test_the_example_of_the_first_document():
    text = """
relax.func @relax_func(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, m], f32>) -> O {
  %gv0 = relax.dataflow {
    %lv0 = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m], f32>
    %lv1 = relax.flatten %lv0 : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m * n], f32>
    relax.output %lv1 : !relax.tensor<[m * n], f32>
  }
  %gv1 = relax.binding_block {
    %u = relax.call_packed "custom_inplace_update"(%gv0) : (!relax.tensor<[m * n], f32>) -> O
    relax.output %u : O
  }
  relax.return %gv1 : O
}"""
    register_packed("custom_inplace_update", Cache)
    x, w = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((3, 2), np.float32)
    for result in (run(program(text), "relax_func", x, w), build(text).relax_func(x, w)):
        assert isinstance(result, Cache)
        np.testing.assert_array_equal(result.values[0], (x @ w).ravel())
    register_packed("custom_inplace_update", lambda x: None)
    assert build(text).relax_func(x, w) is None


PASSED = """
relax.func private @through(%o: O, %t: T) -> T {
  %f = relax.tuple_get_item %t {index = 1 : i64} : (T) -> tuple<V, O>
  %v = relax.tuple_get_item %f {index = 0 : i64} : (tuple<V, O>) -> V
  %g = relax.tuple %v, %o : (V, O) -> tuple<V, O>
  %r = relax.tuple %o, %g : (O, tuple<V, O>) -> T
  relax.return %r : T
}
relax.func @main(%c: B, %x: V, %a: O, %io: O) -> T {
  %b = relax.call_packed "cache"(%x, %a) : (V, O) -> O
  %r = relax.if %c : (B) -> O {
    %u = relax.call_packed "see"(%b) : (O) -> O
    relax.yield %b : O
  } else {
    relax.yield %a : O
  }
  %f = relax.tuple %x, %b : (V, O) -> tuple<V, O>
  %t = relax.tuple %a, %f : (O, tuple<V, O>) -> T
  %s = relax.call @through(%r, %t) : (O, T) -> T
  relax.return %s : T
}"""


@pytest.mark.slow
@pytest.mark.parametrize("way", [True, False])
def test_objects_go_through_branches_tuples_and_calls(way: bool):
    made: list[Any] = []

    def cache(x: Any, a: Any) -> Cache:
        made.append(Cache(x))
        return made[-1]

    register_packed("cache", cache)
    register_packed("see", made.append)
    x, given = np.ones(3, np.float32), Cache()
    for execute in (lambda *args: run(program(PASSED), "main", *args), build(PASSED).main):
        made.clear()
        first, (vector, second) = execute(np.array(way), x, given, None)
        assert first is second is (made[0] if way else given)
        assert len(made) == 1 + way
        np.testing.assert_array_equal(vector, x)


def test_python_keeps_an_object_as_long_as_c_holds_it():
    model = build("relax.func @same(%a: O, %b: O) -> O {\n  relax.return %a : O\n}")
    value = Cache()
    alive = weakref.ref(value)
    result = model.same(value, 5)
    del value
    assert alive() is result
    del result
    assert alive() is None
    assert model.same(None, 1) is None


def test_an_error_releases_what_is_held():
    def fail(*args: Any) -> None:
        raise ValueError("no")

    register_packed("cache", lambda x, a: Cache(x))
    register_packed("see", fail)
    model = build(PASSED)
    for _ in range(3):
        with pytest.raises(ExecutionError, match="packed function 'see' raised ValueError: no"):
            model.main(np.array(True), np.ones(2, np.float32), Cache(), None)


def test_two_models_share_objects():
    register_packed("cache", lambda x, a: Cache(x))
    first = build("relax.func @make(%x: V, %a: O) -> O {\n"
                  '  %b = relax.call_packed "cache"(%x, %a) : (V, O) -> O\n  relax.return %b : O\n}',
                  name="first")  # fmt: skip
    second = build("relax.func @pass(%a: O) -> tuple<O, O> {\n"
                   "  %t = relax.tuple %a, %a : (O, O) -> tuple<O, O>\n"
                   "  relax.return %t : tuple<O, O>\n}", name="second")  # fmt: skip
    made = first.make(np.ones(2, np.float32), None)
    assert second["pass"](made) == (made, made)
    del first
    assert second["pass"](made)[0] is made


def test_objects_cannot_be_printed_in_c():
    text = """
relax.func @main(%a: O) -> O {
  relax.print %a : (O) -> ()
  relax.return %a : O
}"""
    with pytest.raises(RelaxError, match=r"@main: relax\.print: expected .* found an object"):
        build(text)


LOOP = """
relax.func @main(%n: I, %o: O) -> O {
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %i, %r = relax.while (%k = %n, %c = %o) : (I, O) -> (I, O) {
    %go = relax.greater %k, %zero : (I, I) -> B
    relax.yield %go : B
  } do {
    %m = relax.subtract %k, %one : (I, I) -> I
    %d = relax.call_packed "next"(%c, %k) : (O, I) -> O
    relax.yield %m, %d : I, O
  }
  relax.return %r : O
}""".replace("I", "!relax.tensor<[], i64>")


def test_objects_go_through_loops():
    module = program(LOOP)
    register_packed("next", lambda c, k: (c, int(k)))
    model = lowering.compile(module, extra_flags=["-O0"])
    for turns, expected in ((2, (("x", 2), 1)), (0, "x")):
        assert run(module, "main", np.array(turns), "x") == expected
        assert model.main(np.array(turns), "x") == expected

    def fail_last(c: Any, k: Any) -> Any:
        if int(k) == 1:
            raise ValueError("no")
        return Cache(c)

    register_packed("next", fail_last)
    with pytest.raises(ExecutionError, match="ValueError: no"):
        model.main(np.array(3), "x")
