"""Functions, tuples, shapes, and symbolic variables: what they bind, what they check."""

import numpy as np
import pytest

from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret import interpreter, run
from relax_dialect.interpret.core import call_function

from .programs import numbers, parse, run_text

IDENTITY = """
relax.func @main(%x: !relax.tensor<[n, 64], f32>, %y: !relax.tensor<[n, m, n + m]>,
                 %s: !relax.shape<[m]>) -> !relax.tensor<[n, 64], f32> {
  relax.return %x : !relax.tensor<[n, 64], f32>
}
"""


def _arguments(**changed):
    given = {"x": numbers((2, 64)), "y": numbers((2, 3, 5), np.int8), "s": (3,)}
    return tuple((given | changed).values())


def test_arguments_that_fit():
    x, y, s = _arguments()
    assert run_text(IDENTITY, x, y, s) is x


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x": numbers((2, 63))}, "'x': expected size 64 in dimension 1, found 63"),
        ({"x": numbers((4, 64))}, "'y': expected size n = 4 in dimension 0, found 2"),
        ({"y": numbers((2, 3, 4))}, r"'y': expected size m \+ n = 5 in dimension 2, found 4"),
        ({"s": (4,)}, "'s': expected size m = 3 in dimension 0, found 4"),
        ({"s": (3, 3)}, r"'s': expected 1 dimensions, \[m\], found 2, \[3, 3\]"),
        ({"s": [3]}, "'s': expected a shape, as a tuple of ints, found a Python list"),
        ({"s": (-3,)}, r"'s': expected sizes of at least 0, found \[-3\]"),
        ({"x": numbers((2, 64), np.float64)}, "'x': expected element type f32, found f64"),
        ({"x": numbers((64,))}, r"'x': expected 2 dimensions, \[n, 64\], found 1, \[64\]"),
        ({"x": [[1.0]]}, "'x': expected an array of type .*, found a Python list; .*asarray"),
    ],
)
def test_arguments_that_do_not_fit(changed, message):
    with pytest.raises(ExecutionError, match=f"^@main: argument {message}"):
        run_text(IDENTITY, *_arguments(**changed))


def test_number_of_arguments_and_entry_name():
    module = parse(IDENTITY)
    with pytest.raises(RelaxError, match=r"@main: expected 3 arguments \('x', 'y', 's'\), found 1"):
        run(module, "main", numbers((2, 64)))
    with pytest.raises(RelaxError, match=r"function of the module \(@main\), found @mian"):
        run(module, "mian")


def test_tuples():
    short, long = "!relax.tensor<[n], f32>", "!relax.tensor<[n + 1], f32>"
    inner = f"tuple<{long}>"
    text = f"""
    relax.func @main(%t: tuple<{short}, {inner}>) -> tuple<{long}, {short}> {{
      %a = relax.tuple_get_item %t {{index = 0 : i64}} : (tuple<{short}, {inner}>) -> {short}
      %u = relax.tuple_get_item %t {{index = 1 : i64}} : (tuple<{short}, {inner}>) -> {inner}
      %b = relax.tuple_get_item %u {{index = 0 : i64}} : ({inner}) -> {long}
      %r = relax.tuple %b, %a : ({long}, {short}) -> tuple<{long}, {short}>
      relax.return %r : tuple<{long}, {short}>
    }}
    """
    x, y = numbers((4,)), numbers((5,))
    first, second = run_text(text, (x, (y,)))
    assert first is y and second is x
    where = "@main: argument 't', field 1, field 0"
    with pytest.raises(ExecutionError, match=f"{where}: expected size n \\+ 1 = 5 .* found 4"):
        run_text(text, (x, (x,)))
    with pytest.raises(ExecutionError, match="'t': expected a tuple of 2 fields, found 1"):
        run_text(text, (x,))
    with pytest.raises(ExecutionError, match="'t': expected a tuple of 2 fields, found an array"):
        run_text(text, x)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>", np.array([[1, 2], [3, 4]], "f4")),
        ("dense<7> : tensor<2x3xi8>", np.full((2, 3), 7, np.int8)),
        ("dense<[true, false, true]> : tensor<3xi1>", np.array([True, False, True])),
        ("dense<-1.5> : tensor<f64>", np.array(-1.5)),
        ("dense<0.5> : tensor<0x4xf16>", np.zeros((0, 4), np.float16)),
        ("dense<[200, 3]> : tensor<2xui8>", np.array([200, 3], np.uint8)),
    ],
)
def test_constants(text, expected):
    sizes, dtype = text.split("<")[-1][:-1].rpartition("x")[::2]
    type = f"!relax.tensor<[{sizes.replace('x', ', ')}], {dtype}>"
    result = run_text(
        f"relax.func @main() -> {type} {{\n %c = relax.constant {text}\n"
        f" relax.return %c : {type}\n}}"
    )
    assert result.dtype == expected.dtype and result.flags.writeable
    np.testing.assert_array_equal(result, expected)


def test_shapes():
    given, computed = "!relax.shape<[n, m]>", "!relax.shape<[n * m, n floordiv 2, max(n, m)]>"
    text = f"""
    relax.func @main(%x: !relax.tensor<[n, m], f32>) -> tuple<{given}, {computed}> {{
      %s = relax.shape_of %x : (!relax.tensor<[n, m], f32>) -> {given}
      %t = relax.shape [n * m, n floordiv 2, max(n, m)]
      %r = relax.tuple %s, %t : ({given}, {computed}) -> tuple<{given}, {computed}>
      relax.return %r : tuple<{given}, {computed}>
    }}
    """
    assert run_text(text, numbers((5, 3))) == ((5, 3), (15, 2, 5))
    assert run_text(text, numbers((0, 3))) == ((0, 3), (0, 0, 3))


def test_a_negative_size_is_refused():
    text = """
    relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.object {
      %s = relax.shape [n - 4]
      relax.return %s : !relax.shape<[n - 4]>
    }
    """
    assert run_text(text, numbers((5,))) == (1,)
    with pytest.raises(ExecutionError, match=r"@main: relax.shape \(%s\): .* found -1$"):
        run_text(text, numbers((3,)))


MATCH = """
relax.func @main(%x: !relax.tensor<*>, %s: !relax.shape<*>, %y: !relax.tensor<[k], f32>)
    -> !relax.shape<*> {
  %a = relax.match_cast %x : !relax.tensor<*> -> !relax.tensor<[n, m, n], f32>
  %t = relax.match_shape %s [k, p, n + p] : (!relax.shape<*>) -> !relax.shape<[k, p, n + p]>
  %b = relax.match_shape %a [n, 4, n] :
    (!relax.tensor<[n, m, n], f32>) -> !relax.tensor<[n, 4, n], f32>
  %r = relax.shape [n, m, p, k]
  %q = relax.match_cast %r : !relax.shape<[n, m, p, k]> -> !relax.shape<*>
  relax.return %q : !relax.shape<*>
}
"""


def test_matches_bind_variables():
    result = run_text(MATCH, numbers((2, 4, 2)), (5, 1, 3), numbers((5,)))
    assert result == (2, 4, 1, 5)


@pytest.mark.parametrize(
    ("x", "s", "message"),
    [
        ((2, 4, 3), (5, 1, 3), r"match_cast \(%a\): expected size n = 2 in dimension 2, found 3"),
        ((2, 4), (5, 1, 3), r"match_cast \(%a\): expected 3 dimensions, \[n, m, n\], found 2"),
        ((2, 4, 2), (6, 1, 3), r"match_shape \(%t\): expected size k = 5 in dimension 0, found 6"),
        ((2, 4, 2), (5, 1, 4), r"match_shape \(%t\): expected size n \+ p = 3 .* found 4"),
        ((2, 3, 2), (5, 1, 3), r"match_shape \(%b\): expected size 4 in dimension 1, found 3"),
    ],
)
def test_matches_check(x, s, message):
    with pytest.raises(ExecutionError, match=f"^@main: relax.{message}"):
        run_text(MATCH, numbers(x), s, numbers((5,)))


def test_match_cast_checks_the_element_type():
    with pytest.raises(ExecutionError, match=r"match_cast \(%a\): expected element type f32"):
        run_text(MATCH, numbers((2, 4, 2), np.int32), (5, 1, 3), numbers((5,)))


def test_the_boundary_to_builtin_tensors():
    text = """
    relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], f32> {
      %t = relax.to_builtin %x : (!relax.tensor<[n, 4], f32>) -> tensor<?x4xf32>
      %y = relax.from_builtin %t : (tensor<?x4xf32>) -> !relax.tensor<[?, 4], f32>
      relax.return %y : !relax.tensor<[?, 4], f32>
    }
    """
    x = numbers((3, 4))
    assert run_text(text, x) is x


def test_an_interpreter_runs_again_after_an_error():
    machine = interpreter(parse(MATCH))
    main = machine.get_op_for_symbol("main")
    with pytest.raises(ExecutionError):
        call_function(machine, main, (numbers((2, 3, 2)), (5, 1, 3), numbers((5,))))
    good = (numbers((2, 4, 2)), (5, 1, 3), numbers((5,)))
    assert call_function(machine, main, good) == (2, 4, 1, 5)


WATCHED = """
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %z = relax.graph {
    %b = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %a = relax.call_tir @twice(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %unused = relax.sin %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %b : !relax.tensor<[n], f32>
  }
  relax.return %z : !relax.tensor<[n], f32>
}
func.func private @twice(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  %y = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}
"""


def test_who_watches_is_told_what_every_op_gave():
    told = {}
    module = parse(WATCHED)
    x = np.float32([0, 1])
    found = run(
        module, "main", x, check_types=True, watch=lambda op, values: told.update({op: values})
    )
    named = {op.name: values for op, values in told.items() if values}
    assert {"relax.call_tir", "linalg.add", "relax.exp"} <= set(named)
    assert all(op in [*module.walk()] for op in told)
    assert "relax.sin" not in named  # nobody needs it
    np.testing.assert_array_equal(named["relax.call_tir"][0], 2 * x)
    np.testing.assert_array_equal(named["relax.exp"][0], found)
