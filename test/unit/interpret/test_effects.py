"""Effects in the order of the program, and calls of functions from outside."""

import numpy as np
import pytest

from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret import run
from relax_dialect.rewrites.algebra.cse import eliminate_common_subexpressions

from .programs import numbers, packed, parse, run_text, spell


def test_effects_happen_once_and_in_the_order_of_the_program(capsys: pytest.CaptureFixture[str]):
    text = spell("""
relax.func private @show(%x: S) -> S {
  relax.print %x {format = "show {}"} : (S) -> ()
  relax.return %x : S
}
relax.func @main(%x: S, %c: B) -> S {
  relax.print %x {format = "x = {}, {{done}}"} : (S) -> ()
  %y = relax.dataflow {
    %1 = relax.add %x, %x : (S, S) -> S
    relax.output %1 : S
  }
  %z = relax.if %c : (B) -> S {
    %1 = relax.call @show(%y) : (S) -> S
    relax.yield %1 : S
  } else {
    relax.print {format = "not taken"} : () -> ()
    relax.yield %x : S
  }
  %w = relax.binding_block {
    relax.print %x, %y : (S, S) -> ()
    %1 = relax.call @show(%z) : (S) -> S
    relax.output %1 : S
  }
  relax.return %w : S
}""")
    run_text(text, np.float32(1.5), np.array(True))
    assert capsys.readouterr().out.splitlines() == [
        "x = 1.5, {done}",
        "show 3.0",
        "1.5 3.0",
        "show 3.0",
    ]
    run_text(text, np.float32(1.5), np.array(False))
    assert capsys.readouterr().out.splitlines() == [
        "x = 1.5, {done}",
        "not taken",
        "1.5 3.0",
        "show 1.5",
    ]


def test_print_shows_values_as_numpy_does(capsys: pytest.CaptureFixture[str]):
    text = spell(
        """
relax.func @main(%x: V) -> S {
  %s = relax.shape_of %x : (V) -> !relax.shape<[n]>
  %t = relax.tuple %x, %s : (V, !relax.shape<[n]>) -> P
  relax.print %t {format = "{}"} : (P) -> ()
  %c = relax.constant dense<0.0> : tensor<f32>
  relax.return %c : S
}""",
        P="tuple<V, !relax.shape<[n]>>",
    )
    x = np.array([1, 2.5], np.float32)
    run_text(text, x)
    assert capsys.readouterr().out == f"({x}, (2))\n"


ASSERT = spell("""
relax.func @main(%x: S, %y: S) -> S {
  %c = relax.less %x, %y : (S, S) -> B
  relax.assert_op %c, %x, %y {format = "{} is not below {}"} : (B, S, S) -> ()
  relax.assert_op %c : (B) -> ()
  %u = relax.call_packed "after"(%x) : (S) -> O
  relax.return %x : S
}""")


def test_an_assertion_stops_the_program():
    with packed(after=lambda x: None) as calls:
        assert run_text(ASSERT, np.float32(1), np.float32(2)) == 1
        assert len(calls) == 1
        with pytest.raises(
            ExecutionError, match=r"^@main: relax\.assert_op: 2\.0 is not below 1\.0$"
        ):
            run_text(ASSERT, np.float32(2), np.float32(1))
        assert len(calls) == 1


def test_an_assertion_without_a_format_says_so():
    text = spell("""
relax.func @main(%c: B) -> B {
  relax.assert_op %c, %c : (B, B) -> ()
  relax.return %c : B
}""")
    assert run_text(text, np.array(True))
    with pytest.raises(RelaxError, match=r"relax\.assert_op: assertion failed False$"):
        run_text(text, np.array(False))


def test_pure_functions_from_outside_may_stand_in_dataflow():
    text = spell("""
relax.func @main(%x: V) -> V {
  %r = relax.dataflow {
    %2 = relax.exp %1 : (V) -> V
    %1 = relax.call_pure_packed "cube"(%x) : (V) -> V
    relax.output %2 : V
  }
  relax.return %r : V
}""")
    x = numbers((3,))
    with packed(cube=lambda x: x**3) as calls:
        np.testing.assert_allclose(run_text(text, x), np.exp(x**3), rtol=1e-5)
    assert len(calls) == 1
    with (
        packed(cube=lambda x: x[:2]),
        pytest.raises(ExecutionError, match='"cube": result: expected size n = 3'),
    ):
        run_text(text, x)


DPS = spell("""
relax.func @main(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[m, 2 * n], f32> {
  %r = relax.call_dps_packed "fill"(%x) :
    (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m, 2 * n], f32>
  relax.return %r : !relax.tensor<[m, 2 * n], f32>
}""")


def test_a_function_in_destination_passing_style_gets_its_result_last():
    def fill(x: np.ndarray, out: np.ndarray) -> None:
        assert out.shape == (3, 4)
        assert np.isnan(out).all()  # memory not yet written
        out[:, :2], out[:, 2:] = x.T, -x.T

    x = numbers((2, 3))
    with packed(fill=fill):
        np.testing.assert_array_equal(run_text(DPS, x), np.concatenate([x.T, -x.T], axis=1))


INPLACE = spell("""
func.func private @swap_and_double(%A: tensor<?xf32> {relax.dims = ["n"]},
                                   %B: tensor<?xf32> {relax.dims = ["n"]})
    -> (tensor<?xf32> {relax.dims = ["n"]}, tensor<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %C = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%A : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.addf %a, %a : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  func.return %B, %C : tensor<?xf32>, tensor<?xf32>
}
relax.func @main(%x: V, %y: V) -> tuple<V, V> {
  %p, %q = relax.call_tir_inplace @swap_and_double(%x, %y) {inplace_indices = array<i64: 0, 1>} :
    (V, V) -> (V, V)
  %t = relax.tuple %p, %q : (V, V) -> tuple<V, V>
  relax.return %t : tuple<V, V>
}
relax.func @constant(%x: !relax.tensor<[2], f32>) -> O {
  %c = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %p, %q = relax.call_tir_inplace @swap_and_double(%c, %x) {inplace_indices = array<i64: 0, 1>} : C
  relax.return %q : !relax.tensor<[2], f32>
}""").replace(
    " : C\n",
    " : (!relax.tensor<[2], f32>, !relax.tensor<[2], f32>) -> "
    "(!relax.tensor<[2], f32>, !relax.tensor<[2], f32>)\n",
)


def test_a_call_in_place_is_seen_by_nobody_else():
    x, y = numbers((5,)), numbers((5,), seed=1)
    old_x, old_y = x.copy(), y.copy()
    p, q = run_text(INPLACE, x, y)
    np.testing.assert_array_equal(p, old_y)
    np.testing.assert_array_equal(q, 2 * old_x)
    np.testing.assert_array_equal(x, old_x)
    np.testing.assert_array_equal(y, old_y)


def test_a_constant_is_not_written():
    x = numbers((2,))
    for _ in range(2):
        np.testing.assert_array_equal(run_text(INPLACE, x, entry="constant"), [2, 4])


def test_a_call_in_place_leaves_equal_values_alone():
    """Merging %b with %a, which is overwritten, does not change what %b is."""
    text = spell(
        INPLACE
        + """
relax.func @twins(%x: V) -> tuple<V, V> {
  %a = relax.exp %x : (V) -> V
  %b = relax.exp %x : (V) -> V
  %p, %q = relax.call_tir_inplace @swap_and_double(%a, %x) {inplace_indices = array<i64: 0, 1>} :
    (V, V) -> (V, V)
  %t = relax.tuple %q, %b : (V, V) -> tuple<V, V>
  relax.return %t : tuple<V, V>
}"""
    )
    x = numbers((3,))
    module = parse(text)
    expected = run(module, "twins", x)
    eliminate_common_subexpressions(module)
    assert str(module).count("relax.exp") == 1
    np.testing.assert_array_equal(run(module, "twins", x), expected)
    np.testing.assert_allclose(expected, [2 * np.exp(x), np.exp(x)], rtol=1e-6)


@pytest.mark.parametrize("op", ["call_packed", "call_pure_packed", "call_dps_packed"])
def test_a_function_from_outside_does_not_write_to_its_arguments(op: str):
    def write(x: np.ndarray, *_: np.ndarray) -> np.ndarray:
        assert not x.flags.writeable
        x[0] = 1
        return x

    text = spell(f"""
relax.func @main(%x: V) -> V {{
  %y = relax.{op} "write"(%x) : (V) -> V
  relax.return %y : V
}}""")
    x = np.zeros(3, np.float32)
    with packed(write=write), pytest.raises(ExecutionError, match="read-only"):
        run_text(text, x)
    assert not x.any()


@pytest.mark.parametrize("op", ["call_packed", "call_pure_packed", "call_dps_packed"])
def test_a_name_that_is_not_registered(op: str):
    text = spell(f"""
relax.func @main(%x: S) -> S {{
  %r = relax.{op} "nobody"(%x) : (S) -> S
  relax.return %r : S
}}""")
    with pytest.raises(
        ExecutionError,
        match=rf'^@main: relax\.{op} \(%r\): expected the name of a registered function, found "nobody"; ',
    ):
        run_text(text, np.float32(1))


def test_the_nearest_registered_name_is_told_on_one_line():
    text = """
relax.func @main(%x: tensor<f32>) -> tensor<f32> {
  %r = relax.call_packed "wrote\\0Athem" (%x) : (tensor<f32>) -> tensor<f32>
  relax.return %r : tensor<f32>
}"""
    with packed(**{"wrote\nthey": lambda x: x}), pytest.raises(ExecutionError) as caught:
        run_text(text, np.float32(1))
    assert r'found "wrote\nthem"; the nearest is "wrote\nthey"; register' in str(caught.value)


def test_a_result_of_unknown_element_type_is_refused_where_it_is_allocated():
    text = spell("""
relax.func @main(%x: S) -> !relax.object {
  %y = relax.call_dps_packed "f"(%x) : (S) -> !relax.tensor<[2]>
  relax.return %y : !relax.tensor<[2]>
}""")
    with (
        pytest.raises(RelaxError, match="expected a result of known element type"),
        packed(f=print),
    ):
        run_text(text, np.float32(1))
