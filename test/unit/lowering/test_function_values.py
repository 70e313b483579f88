"""Function values that meet the outside of compiled programs: returned, passed in, kept, called."""

from __future__ import annotations

import gc
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import SANITIZED
from sanitizers import run_sanitized

import lowering
from lowering.driver import to_c
from lowering.pipeline import lower
from lowering.runtime import objects
from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret import register_packed, run
from relax_dialect.parsing import parse

TYPES = {
    "E": "!relax.func<(V) -> V, impure>",
    "F": "!relax.func<(V) -> V>",
    "H": "!relax.func<(F) -> F>",
    "M": "!relax.func<[k, m] (tuple<N, !relax.shape<[m]>>, f32, O) -> "
    "tuple<!relax.tensor<[k], f32>, !relax.shape<[k, m]>, f32, O>>",
    "N": "!relax.tensor<[k], f32>",
    "V": "!relax.tensor<[3], f32>",
    "W": "!relax.tensor<[n], f32>",
    "G": "!relax.func<(W) -> W>",
    "I": "!relax.tensor<[], i64>",
    "B": "!relax.tensor<[], i1>",
    "O": "!relax.object",
}

PROGRAM = """
relax.func @make_n(%x: W) -> G {
  %log = relax.log %x : (W) -> W
  %f = relax.closure (%y: W) -> W {
    %s = relax.add %y, %log : (W, W) -> W
    relax.return %s : W
  }
  relax.return %f : G
}
relax.func private @call_wide(%f: !relax.func<(W) -> !relax.object>, %x: W) -> !relax.object {
  %y = relax.call_closure %f, %x : (!relax.func<(W) -> !relax.object>, W) -> !relax.object
  relax.return %y : !relax.object
}
relax.func @wide_result(%f: G, %x: W) -> !relax.object {
  %y = relax.call @call_wide(%f, %x) : (G, W) -> !relax.object
  relax.return %y : !relax.object
}
relax.func @wide_argument(%f: !relax.func<(!relax.object) -> !relax.object>, %x: W) -> !relax.object {
  %y = relax.call @call_wide(%f, %x) : (!relax.func<(!relax.object) -> !relax.object>, W) -> !relax.object
  relax.return %y : !relax.object
}
relax.func @apply_n(%f: G, %x: W) -> W {
  %y = relax.call_closure %f, %x : (G, W) -> W
  relax.return %y : W
}
relax.func @make(%x: V) -> F {
  %log = relax.log %x : (V) -> V
  %f = relax.closure (%y: V) -> V {
    %s = relax.add %y, %log : (V, V) -> V
    relax.return %s : V
  }
  relax.return %f : F
}
relax.func @apply(%f: F, %x: V) -> V {
  %y = relax.call_closure %f, %x : (F, V) -> V
  relax.return %y : V
}
relax.func @compose(%f: F, %g: F) -> F {
  %h = relax.closure (%y: V) -> V {
    %a = relax.call_closure %f, %y : (F, V) -> V
    %b = relax.call_closure %g, %a : (F, V) -> V
    relax.return %b : V
  }
  relax.return %h : F
}
relax.func @twice(%x: V) -> H {
  %h = relax.closure (%f: F) -> F {
    %g = relax.call @compose(%f, %f) : (F, F) -> F
    relax.return %g : F
  }
  relax.return %h : H
}
relax.func @pick(%c: B, %f: F, %x: V) -> tuple<F, tuple<V, F>> {
  %g = relax.if %c : (B) -> F {
    %m = relax.call @make(%x) : (V) -> F
    relax.yield %m : F
  } else {
    relax.yield %f : F
  }
  %y = relax.call_closure %g, %x : (F, V) -> V
  %u = relax.tuple %y, %g : (V, F) -> tuple<V, F>
  %t = relax.tuple %g, %u : (F, tuple<V, F>) -> tuple<F, tuple<V, F>>
  relax.return %t : tuple<F, tuple<V, F>>
}
relax.func private @nest(%i: I, %f: F) -> F {
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %go = relax.greater %i, %zero : (I, I) -> B
  %r = relax.if %go : (B) -> F {
    %g = relax.closure (%y: V) -> V {
      %a = relax.call_closure %f, %y : (F, V) -> V
      %b = relax.add %a, %a : (V, V) -> V
      relax.return %b : V
    }
    %m = relax.subtract %i, %one : (I, I) -> I
    %q = relax.call @nest(%m, %g) : (I, F) -> F
    relax.yield %q : F
  } else {
    relax.yield %f : F
  }
  relax.return %r : F
}
relax.func @power(%i: I, %x: V) -> V {
  %f = relax.call @make(%x) : (V) -> F
  %g = relax.call @nest(%i, %f) : (I, F) -> F
  %y = relax.call_closure %g, %x : (F, V) -> V
  relax.return %y : V
}
relax.func @outside(%x: V) -> tuple<V, O> {
  %f = relax.call @make(%x) : (V) -> F
  %g = relax.call_packed "change"(%f) : (F) -> F
  %o = relax.match_cast %g : F -> O
  %h = relax.match_cast %o : O -> F
  %y = relax.call_closure %h, %x : (F, V) -> V
  %t = relax.tuple %y, %o : (V, O) -> tuple<V, O>
  relax.return %t : tuple<V, O>
}
relax.func @mixed(%s: f32) -> M {
  %f = relax.closure [k, m] (%t: tuple<N, !relax.shape<[m]>>, %a: f32, %o: O) -> tuple<N, !relax.shape<[k, m]>, f32, O> {
    %v = relax.tuple_get_item %t {index = 0 : i64} : (tuple<N, !relax.shape<[m]>>) -> N
    %z = relax.negative %v : (N) -> N
    %d = relax.shape [k, m]
    %b = arith.addf %a, %s : f32
    %r = relax.tuple %z, %d, %b, %o : (N, !relax.shape<[k, m]>, f32, O) -> tuple<N, !relax.shape<[k, m]>, f32, O>
    relax.return %r : tuple<N, !relax.shape<[k, m]>, f32, O>
  }
  relax.return %f : M
}
relax.func @log(%x: V) -> O {
  %f = relax.closure (%y: V, %z: V) -> V {
    relax.return %y : V
  }
  relax.return %f : !relax.func<(V, V) -> V>
}
relax.func @given(%o: O, %x: V) -> V {
  %f = relax.match_cast %o : O -> F
  %y = relax.call_closure %f, %x : (F, V) -> V
  relax.return %y : V
}
relax.func private @choose(%c: B, %x: W) -> O {
  %r = relax.if %c : (B) -> O {
    %f = relax.closure (%y: W) -> W {
      %z = relax.add %x, %y : (W, W) -> W
      relax.return %z : W
    }
    relax.yield %f : G
  } else {
    %f = relax.closure [k] (%y: N) -> N impure {
      %z = relax.call_packed "note"(%y) : (N) -> N
      relax.return %z : N
    }
    relax.yield %f : !relax.func<[k] (N) -> N, impure>
  }
  relax.return %r : O
}
relax.func @chosen(%c: B, %x: W) -> tuple<W, O> {
  %o = relax.call @choose(%c, %x) : (B, W) -> O
  %t = relax.tuple %o, %x : (O, W) -> tuple<O, W>
  %p = relax.tuple_get_item %t {index = 0 : i64} : (tuple<O, W>) -> O
  %f = relax.match_cast %p : O -> !relax.func<(W) -> W, impure>
  %y = relax.call_closure %f, %x : (!relax.func<(W) -> W, impure>, W) -> W
  %r = relax.tuple %y, %o : (W, O) -> tuple<W, O>
  relax.return %r : tuple<W, O>
}
relax.func @grown(%x: W) -> W {
  %l = relax.call @make_n(%x) : (W) -> O
  %n = relax.constant dense<3> : tensor<i64>
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %w:2 = relax.while (%i = %n, %v = %l) : (I, O) -> (I, O) {
    %more = relax.greater %i, %zero : (I, I) -> B
    relax.yield %more : B
  } do {
    %j = relax.subtract %i, %one : (I, I) -> I
    %p = relax.match_cast %v : O -> G
    %q = relax.closure (%y: W) -> W {
      %a = relax.call_closure %p, %y : (G, W) -> W
      %b = relax.add %a, %a : (W, W) -> W
      relax.return %b : W
    }
    relax.yield %j, %q : I, G
  }
  %g = relax.match_cast %w#1 : O -> G
  %s = relax.call_closure %g, %x : (G, W) -> W
  relax.return %s : W
}
relax.func @hidden(%x: V) -> V {
  %e = relax.call @effects() : () -> O
  %p = relax.match_cast %e : O -> F
  %y = relax.call_closure %p, %x : (F, V) -> V
  relax.return %y : V
}
relax.func private @effects() -> O {
  %f = relax.closure (%y: V) -> V impure {
    %z = relax.call_packed "note"(%y) : (V) -> V
    relax.return %z : V
  }
  relax.return %f : E
}
relax.func @later(%x: V) -> V {
  %f = relax.dataflow {
    %log = relax.log %x : (V) -> V
    %g = relax.closure (%y: V) -> V impure {
      %a = relax.call_packed "note"(%y) : (V) -> V
      %b = relax.add %a, %log : (V, V) -> V
      %c = relax.call_packed "note"(%b) : (V) -> V
      relax.return %c : V
    }
    relax.output %g : E
  }
  %u = relax.call_packed "note"(%x) : (V) -> V
  %z = relax.binding_block {
    %v = relax.call_closure %f, %u : (E, V) -> V
    %w = relax.call_closure %f, %v : (E, V) -> V
    relax.output %w : V
  }
  relax.return %z : V
}
"""


def spell(text: str) -> str:
    for _ in range(4):
        text = re.sub(r"(?<![%@\w.\"!])[EFGHMNVWIBO]\b", lambda m: TYPES[m[0]], text)
    return text


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    """The program compiled, and one whose functions are interpreted."""
    module = parse(spell(PROGRAM))

    class Interpreted:
        def __getattr__(self, name: str) -> Any:
            return lambda *args: run(module, name, *args)

    return lowering.compile(module, extra_flags=["-O0"]), Interpreted()


@pytest.fixture(autouse=True)
def nothing_is_kept(what_is_older_stays: None):
    yield
    gc.collect()
    assert objects._KEPT == {}  # pyright: ignore[reportPrivateUsage]


X = np.array([1, 2, 3], np.float32)
ADDED = X + np.log(X)


def near(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.slow
def test_a_function_is_returned_called_and_handed_back_in(both: tuple[Any, Any]):
    for model in both:
        f, g = model.make(X.copy()), model.make(X * 2)
        near(f(X), ADDED)
        near(model.apply(g, X), X + np.log(2 * X))
        near(model.apply(f, X), ADDED)
        near(model.apply(lambda x: x * 7, X), X * 7)
        near(model.compose(f, lambda x: -x)(X), -ADDED)


@pytest.mark.slow
def test_functions_take_and_give_functions(both: tuple[Any, Any]):
    for model in both:
        twice = model.twice(X)
        near(twice(model.make(X))(X), X + 2 * np.log(X))
        near(twice(twice(lambda x: 2 * x))(X), 16 * X)


def test_functions_in_tuples_and_branches(both: tuple[Any, Any]):
    for model in both:
        f, (y, g) = model.pick(np.array(True), abs, X)
        near(y, ADDED)
        near(f(X), g(X))
        f, (y, g) = model.pick(np.array(False), abs, -X)
        near(y, X)
        assert f is g is abs


def test_recursion_through_closures(both: tuple[Any, Any]):
    for model in both:
        near(model.power(np.array(5), X), 32 * ADDED)


def test_functions_from_outside_take_and_give_functions(both: tuple[Any, Any]):
    register_packed("change", lambda f: lambda x: f(x) + 1)
    for model in both:
        y, g = model.outside(X)
        near(y, ADDED + 1)
        near(g(X), ADDED + 1)
    register_packed("change", lambda f: f)
    near(both[0].outside(X)[0], ADDED)


def test_tuples_shapes_scalars_and_objects(both: tuple[Any, Any]):
    thing = object()
    for model in both:
        f = model.mixed(np.float32(0.5))
        v, shape, s, o = f((X, (7,)), np.float32(2), thing)
        near(v, -X)
        assert (shape, float(s), o is thing) == ((3, 7), 2.5, True)


def test_functions_that_are_objects(both: tuple[Any, Any]):
    """A closure passes where an object is declared, and is called once it is cast to what it is."""
    register_packed("note", lambda x: x + 1)
    for model in both:
        near(model.given(model.make(X), X), ADDED)
        added, f = model.chosen(np.array(True), X)
        near(added, 2 * X)
        near(model.given(f, 5 * X), 6 * X)
        near(model.grown(X), 8 * ADDED)
        noted, _ = model.chosen(np.array(False), X)
        near(noted, X + 1)


@pytest.mark.parametrize("form", ["", "relax-to-basic-block-normal-form", "relax-to-a-normal-form"])
def test_effects_of_a_closure_from_a_dataflow_block_happen_when_it_is_called(
    form: str, both: tuple[Any, Any]
):
    log = np.log(X)
    noted: list[Any] = []
    register_packed("note", lambda x: (noted.append(x.copy()), x)[1])
    models = (
        [lambda x: run(lower(parse(spell(PROGRAM)), [form]), "later", x)]
        if form
        else [m.later for m in both]
    )
    for later in models:
        noted.clear()
        near(later(X), X + 2 * log)
        near(noted, [X, X, X + log, X + log, X + 2 * log])


def test_python_keeps_what_c_holds(both: tuple[Any, Any]):
    f = both[0].compose(lambda x: x + 1, both[0].make(X))
    gc.collect()
    assert len(objects._KEPT) == 1  # pyright: ignore[reportPrivateUsage]
    near(f(X), ADDED + 1)


def fail(x: np.ndarray) -> np.ndarray:
    raise ValueError("no")


CLOSURE = "relax.closure (%f)"
CALL = "relax.call_closure (%y)"
MISTAKES: list[tuple[Any, str]] = [
    (lambda m: m.apply(5, X), "@apply: argument 'f': expected a function, found a Python int; pass a closure or a "
     "Python callable"),
    (lambda m: m.apply_n(m.make_n(X), X[:2]), f"@make_n: {CLOSURE}: argument 'y': expected size n = 3 in dimension 0, "
     "found 2"),
    (lambda m: m.apply_n(lambda x: x[:1], X), f"@apply_n: {CALL}: result: expected size n = 3 in dimension 0, found 1"),
    (lambda m: m.make(X)(np.ones(3)), f"@make: {CLOSURE}: argument 'y': expected element type f32, found f64; convert "
     "the array with astype"),
    (lambda m: m.apply(lambda x: x.astype("f8"), X), f"@apply: {CALL}: result: expected element type f32, found f64; "
     "convert the array with astype"),
    (lambda m: m.apply(fail, X), f"@apply: {CALL}: the function called raised ValueError: no"),
    (lambda m: m.given(m.log(X), X), f"@log: {CLOSURE}: expected 2 arguments ('y', 'z'), found 1"),
    (lambda m: m.given(5, X), "@given: relax.match_cast (%f): expected a function, found another object; pass a closure "
     "or a Python callable"),
    (lambda m: m.given(None, X), "@given: relax.match_cast (%f): expected a function, found nothing; pass a closure or a "
     "Python callable"),
    (lambda m: m.make(X)(), f"@make: {CLOSURE}: expected 1 arguments ('y'), found 0"),
    (lambda m: m.mixed(np.float32(0))(5, np.float32(1), 1), f"@mixed: {CLOSURE}: argument 't': expected a tuple of 2 "
     "fields, found a Python int"),
    (lambda m: m.mixed(np.float32(0))((X, [3]), np.float32(1), 1), f"@mixed: {CLOSURE}: argument 't', field 1: expected a "
     "shape, as a tuple of ints, found a Python list"),
    (lambda m: m.twice(X)(5), "@twice: relax.closure (%h): argument 'f': expected a function, found a Python int; pass a "
     "closure or a Python callable"),
    (lambda m: m.hidden(X), "@hidden: relax.match_cast (%p): expected a function without effects, found one that may "
     "have some; write 'impure' in its type"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes_are_told_in_the_same_words(number: int, both: tuple[Any, Any]):
    call, message = MISTAKES[number]
    for model in both:
        with pytest.raises(ExecutionError) as error:
            call(model)
        assert str(error.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.make(X)(5), r"^@make: relax.closure \(%f\): argument 'y': expected"),
        (lambda m: m.apply(lambda x: 5, X), r"^@apply: relax.call_closure \(%y\): result: expected an array"),
    ],
)  # fmt: skip
def test_python_alone_knows_these_mistakes(call: Any, message: str, both: tuple[Any, Any]):
    for model in both:
        with pytest.raises(RelaxError, match=message):
            call(model)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wide_result", "result: expected a tensor, by the type that the function was passed with, found an object"),
        ("wide_argument", "argument 0: expected an object, by the type that the function was passed with, found a tensor"),
    ],
)  # fmt: skip
def test_a_python_function_called_by_a_wider_type_is_refused(
    name: str, message: str, both: tuple[Any, Any]
):
    compiled, interpreted = both
    near(getattr(interpreted, name)(lambda x: x + 1, X), X + 1)
    with pytest.raises(
        ExecutionError,
        match=rf"^@call_wide: relax.call_closure \(%y\): {message}; call it by the same",
    ):
        getattr(compiled, name)(lambda x: x + 1, X)


@pytest.mark.slow
def test_two_models_share_functions(both: tuple[Any, Any]):
    other = lowering.compile(parse(spell(PROGRAM)), "other", extra_flags=["-O0"])
    f = other.compose(both[0].make(X), other.make(X))
    del other
    gc.collect()
    near(both[0].apply(f, X), X + 2 * np.log(X))


DRIVER = r"""
#include <stdio.h>
#include "model.h"

static int released;

static void release(void *data)
{
    (void)data;
    ++released;
}

/* Gives its argument twice over, in memory of the model's. */
static int doubled(void *data, const DLTensor *const *args, int count, DLTensor *results)
{
    (void)data;
    if (count != 1)
        return 9;
    if (results->data == NULL) {
        *results = *args[0];
        if (model_allocate(results) != 0)
            return 8;
    }
    for (int64_t i = 0; i < args[0]->shape[0]; ++i)
        ((float *)results->data)[i] = 2 * ((const float *)args[0]->data)[i];
    return 0;
}

static int change(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    relax_object f = *(relax_object *)args[0]->data;
    (void)count;
    if (context != NULL)
        return 5;
    *(relax_object *)result->data = model_object_retain(f);
    return 0;
}

static float x[] = {1, 2, 3}, place[3];
static int64_t three[] = {3};

static DLTensor vector(float *data)
{
    DLTensor t = {0};
    t.data = data;
    t.device.device_type = kDLCPU;
    t.ndim = 1;
    t.dtype.code = kDLFloat;
    t.dtype.bits = 32;
    t.dtype.lanes = 1;
    t.shape = three;
    return t;
}

static void show(const char *what, int code, DLTensor *t)
{
    const float *v = t->data;
    if (code != 0)
        printf("%s: %d %s\n", what, code, model_last_error());
    else
        printf("%s: %.2f %.2f %.2f\n", what, (double)v[0], (double)v[1], (double)v[2]);
}

int main(void)
{
    relax_object f = NULL, g = NULL, h = NULL, k = NULL;
    const DLTensor input = vector(x);
    const DLTensor *args[] = {&input, &input};
    DLTensor out = {0}, given = vector(place);
    printf("%d %d\n", RELAX_ABI_VERSION, model_abi_version());
    model_make(&input, &f);
    relax_object own = model_closure_new(doubled, NULL, release);
    model_compose(f, own, &g);
    model_object_release(own);
    int code = model_call_closure(g, args, 1, &out);
    show("g", code, &out);
    model_release(&out);
    show("in place", model_call_closure(g, args, 1, &given), &given);
    show("apply", model_apply(g, &input, &out), &out);
    model_release(&out);
    /* twice(g), which gives a function through a place for an object */
    model_twice(&input, &h);
    DLTensor passed = {.data = &g, .dtype = {kDLOpaqueHandle, 64, 1}};
    DLTensor taken = {.data = &k, .dtype = {kDLOpaqueHandle, 64, 1}};
    const DLTensor *one[] = {&passed};
    code = model_call_closure(h, one, 1, &taken);
    code = code != 0 ? code : model_call_closure(k, args, 1, &out);
    show("twice", code, &out);
    model_release(&out);
    printf("released %d\n", released);
    show("count", model_call_closure(f, args, 2, &out), &out);
    show("null", model_call_closure(NULL, args, 1, &out), &out);
    show("no function", model_apply(NULL, &input, &out), &out);
    relax_object thing = model_object_new(NULL, release);
    show("thing", model_apply(thing, &input, &out), &out);
    model_object_release(thing);
    show("no place", model_call_closure(h, one, 1, &out), &out);
    show("failing", model_apply(own = model_closure_new(doubled, NULL, NULL), &input, &out), &out);
    model_release(&out);
    model_object_release(own);
    relax_object o = NULL;
    model_register("change", change, NULL);
    show("outside", model_outside(&input, &out, &o), &out);
    model_release(&out);
    model_object_release(o);
    o = NULL;
    model_register("change", change, &o);
    show("failing", model_outside(&input, &out, &o), &out);
    model_object_release(f);
    model_object_release(g);
    model_object_release(h);
    model_object_release(k);
    printf("released %d\n", released);
    return 0;
}
"""

PRINTED = """2 2
g: 2.00 5.39 8.20
in place: 2.00 5.39 8.20
apply: 2.00 5.39 8.20
twice: 4.00 12.16 18.59
released 0
count: -1 @make: relax.closure (%f): expected 1 arguments ('y'), found 2
null: -1 model_call_closure: expected a function, found nothing; pass a closure or a Python callable
no function: -1 @apply: argument 'f': expected a function, found nothing; pass a closure or a Python callable
thing: -1 @apply: argument 'f': expected a function, found another object; pass a closure or a Python callable
no place: -1 @twice: relax.closure (%h): result 0: expected a pointer for an object, found NULL
failing: 2.00 4.00 6.00
outside: 1.00 2.69 4.10
failing: -1 packed function 'change' failed with code 5
released 2
"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED)
def test_function_values_in_c_leak_nothing(cc: str, tmp_path: Path):
    to_c(parse(spell(PROGRAM)), "model").write(tmp_path)
    assert run_sanitized(cc, tmp_path, DRIVER) == PRINTED
