"""`T.prim_func` read and written: what it becomes, what it computes, and TVM's own functions both ways."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import GenericOp

import lowering
from relax_dialect import interpret, te
from relax_dialect.frontends.tvmscript import ScriptError, dump, loads
from relax_dialect.frontends.tvmscript.prim_funcs import UnwritablePrimFunc, read, write


def prim_func(text: str) -> func.FuncOp:
    (definition,) = ast.parse(f"@T.prim_func(private=True, s_tir=True)\n{text}").body
    assert isinstance(definition, ast.FunctionDef)
    found = read(definition)
    found.verify()
    return found


def run(function: func.FuncOp, *arrays: Any) -> Any:
    return interpret.run(ModuleOp([function.clone()]), function.sym_name.data, *arrays)


def back(function: func.FuncOp) -> func.FuncOp:
    """A function that was written and is read again."""
    return prim_func("\n".join(write(function)[1:]))


SOFTMAX = """
def softmax(var_x: T.handle, y: T.Buffer((n, T.int64(4)), "float32")):
    T.func_attr({"tirx.noalias": True})
    n = T.int64()
    x = T.match_buffer(var_x, (n, T.int64(4)))
    with T.sblock("root"):
        most = T.sblock_alloc_buffer((n,))
        total = T.sblock_alloc_buffer((n,))
        for i, k in T.grid(n, T.int64(4)):
            with T.sblock("most"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                T.reads(x[v_i, v_k])
                T.writes(most[v_i])
                with T.init():
                    most[v_i] = T.float32(-340282346638528859811704183484516925440.0)
                most[v_i] = T.max(most[v_i], x[v_i, v_k])
        for i in range(n):
            for k in T.serial(T.int64(4)):
                with T.sblock("total"):
                    v_i = T.axis.spatial(n, i)
                    v_k = T.axis.reduce(T.int64(4), k)
                    with T.init():
                        total[v_i] = T.float32(0)
                    total[v_i] = total[v_i] + T.exp(x[v_i, v_k] - most[v_i])
        for i, j in T.grid(n, T.int64(4)):
            with T.sblock("y"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.sblock_attr({"axis": 1})
                y[v_i, v_j] = T.exp(x[v_i, v_j] - most[v_i]) / total[v_i] * T.float32(0.1)
"""


def test_blocks_become_generics_and_come_back():
    function = prim_func(SOFTMAX)
    generics = [op for op in function.walk() if isinstance(op, GenericOp)]
    kinds = [[i.data.value for i in op.iterator_types] for op in generics]
    assert kinds == [["parallel", "reduction"]] * 2 + [["parallel"] * 2]
    x = np.random.default_rng(0).standard_normal((3, 4), np.float32)
    powers = np.exp(x - x.max(1, keepdims=True))
    expected = powers / powers.sum(1, keepdims=True) * np.float32(0.1)
    np.testing.assert_allclose(run(function, x), expected, rtol=1e-6)
    lines = write(function)
    assert lines[1] == "def softmax(var_x: T.handle, var_y: T.handle):"
    assert '            T.sblock_attr({"axis": 1})' in [line.replace("'", '"') for line in lines]
    assert "T.float32(0.1)" in lines[-1]
    assert str(back(function)) == str(function)


LOOPS = """
def sort(x: T.Buffer((n,), "float32"), y: T.Buffer((n,), "float32"), count: T.Buffer((1,), "int32")):
    count[0] = 0
    for i in range(n):
        y[i] = x[i]
    for i in T.parallel(n):
        for j in range(n - i - 1):
            if y[j] > y[j + 1]:
                t: T.let[T.float32] = y[j]
                y[j] = y[j + 1]
                y[j + 1] = t
                count[0] += 1
            else:
                y[j] = T.if_then_else(j > 0, y[j] + y[j - 1] * T.float32(0), y[j])
    while count[0] > 10:
        count[0] = count[0] - 10
"""


def test_other_loops_and_branches_become_scf():
    """A swap by way of a variable, a guarded read of what is written, a loop with a condition."""
    function = prim_func(LOOPS)
    names = {op.name for op in function.walk()}
    assert {"scf.for", "scf.if", "scf.while"} <= names
    x = np.float32([5, 4, 3, 2, 1, 0, 7])
    for each in (function, back(function)):
        y, count = run(each, x)
        assert y.tolist() == sorted(x)
        assert count.tolist() == [5]


SPLIT = """
def split(x: T.Buffer((10, 3), "float32"), y: T.Buffer((10,), "float32")):
    for i0, i1, k in T.grid(3, 4, 3):
        with T.block("y"):
            v_i = T.axis.spatial(10, i0 * 4 + i1)
            v_k = T.axis.reduce(3, k)
            T.where(i0 * 4 + i1 < 10)
            with T.init():
                y[v_i] = T.float32(1)
            y[v_i] = y[v_i] + x[v_i, v_k]
"""


def test_scheduled_loops_are_read():
    x = np.arange(30, dtype=np.float32).reshape(10, 3)
    function = prim_func(SPLIT)
    np.testing.assert_array_equal(run(function, x), x.sum(1) + 1)
    np.testing.assert_array_equal(run(back(function), x), x.sum(1) + 1)


def expressions() -> list[func.FuncOp]:
    n, m = te.var("n"), te.var("m")
    x, i = te.placeholder((n, m), name="x"), te.placeholder((n,), "int64", name="i")
    u = te.placeholder((n,), "uint8", name="u")
    k = te.reduce_axis((0, m), name="k")

    def most(a: Any, b: Any) -> Any:
        keep = a[1] >= b[1]
        return te.select(keep, a[0], b[0]), te.select(keep, a[1], b[1])

    argmax = te.comm_reducer(most, lambda j, v: (-1, te.min_value(v)), name="argmax")
    found = te.compute(
        (n,), lambda a: argmax((k.astype("i64"), x[a, k]), axis=k), name=["at", "most"]
    )
    sums = te.compute((n, m), lambda a, b: te.scan(te.sum, x[a, b], axis=b), name="sums")
    framed = te.pad(x, (n + 2, m + 1), (1, 0), -1.0, name="framed")
    flat = te.reshape(x, (n * m,), name="lambda")
    turned = te.assemble((n, m), [te.part(x, (0, 0), (0, m - 1), (n, m), (1, -1))], name="turned")
    odd = te.compute((n,), lambda a: (i[a] - 3) // 2 % 5 + u[a].astype("i64") // 3, name="odd")
    size = te.compute(
        (n,),
        lambda a: te.cast(a % 3 * m // 2, "f32") + te.erfc(te.expm1(x[a, 0])) // 0.5,
        name="size",
    )
    outputs = {"found": [x, *found], "sums": [x, sums], "framed": [x, framed], "flat": [x, flat],
               "turned": [x, turned], "odd": [i, u, odd], "size": [x, size]}  # fmt: skip
    return [te.create_prim_func(tensors, name) for name, tensors in outputs.items()]


@pytest.mark.parametrize("function", expressions(), ids=lambda f: f.sym_name.data)
def test_written_functions_mean_the_same(function: func.FuncOp):
    random = np.random.default_rng(1)
    kinds = {
        "f32": lambda: random.standard_normal((3, 4), np.float32),
        "i64": lambda: random.integers(-9, 9, 3),
        "ui8": lambda: random.integers(0, 255, 3).astype("u1"),
    }
    types = [str(type.get_element_type()) for type in function.function_type.inputs]  # pyright: ignore
    arrays = [kinds[dtype]() for dtype in types]
    again = back(function)
    expected, found = run(function, *arrays), run(again, *arrays)
    for a, b in zip(
        *([v] if isinstance(v, np.ndarray) else v for v in (expected, found)), strict=True
    ):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        ("y[0] = x[missing]", "5:18", "the name 'missing' is not known here"),
        ("y[0] = T.unheard(x[0])", "5:16", "unknown function in T.unheard(x[0])"),
        ("y[0] = x[0]; T.evaluate(T.call_packed('f', x))", "5:22", "no statement of a kernel"),
        ("for i in x.rows(4): y[i] = x[i]", "5:18", "no loop of ours"),
        ("y[0, 0] = x[0]", "5:9", "expected 1 indices, found 2"),
        (
            "for i in range(4):\n            with T.sblock('b'):\n                "
            "x[0], = T.axis.remap('S', [i])\n                y[0] = 1.0",
            "7:17",
            "expected the name of an axis",
        ),
        (
            "y[0] = T.Select(not x[0], 1.0, 2.0)",
            "5:29",
            "expected a value of type i1, found one of type f32",
        ),
        ("y[0] = T.Select(x[0] and True, 1.0, 2.0)", "5:25", "expected a value of type i1"),
        ("y[0] = x[0] * 10**10**10", "5:23", "expected a small power of an integer"),
        ("y[0] = x[0] in x", "5:16", "no scalar expression: x[0] in x"),
        ("z: int = 1; y[0] = z", "5:12", "expected T.let or a type like T.int32, found int"),
        (
            "z = T.alloc_buffer((1,), dtype=x); y[0] = z[0]",
            "5:13",
            "expected a shape and an element type",
        ),
        (
            "z = T.alloc_buffer((1,), foo=3); y[0] = z[0]",
            "5:13",
            "expected arguments of a buffer, found 'foo'",
        ),
        (
            "z = T.alloc_buffer((1,), shape=2, shape=3)",
            "5:13",
            "expected each argument once, found 'shape'",
        ),
        (
            "z = T.match_buffer(x[0:2], (3,)); y[0] = z[2]",
            "5:30",
            "expected a range of 3 elements, found 0:2",
        ),
        (
            "@T.inline\n        def g(i): y[i] = x[i]",
            "6:9",
            "no statement of a kernel: def g: a macro",
        ),
        ("z = 1", "4:5", "expected a function that writes to a parameter, found none"),
    ],
)
def test_what_cannot_be_read_is_told(line: str, place: str, reason: str):
    text = f"""@I.ir_module
class Module:
    @T.prim_func
    def f(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        {line}
"""
    with pytest.raises(ScriptError) as error:
        loads(text)
    assert f":{place}: error: {reason}" in str(error.value)


def in_place(body: str, word: str = "call_tir_inplace(cls.f, (x, y), [1, 0]") -> str:
    given = "(4,), 'float32'"
    return f"""@I.ir_module
class Module:
    @T.prim_func
    def f(x: T.Buffer({given}), y: T.Buffer({given})):
        for i in range(4):
            {body}
    @R.function
    def main(x: R.Tensor({given}), y: R.Tensor({given})):
        cls = Module
        r = R.{word}, out_ty=[R.Tensor({given}), R.Tensor({given})])
        return r
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y[i] += x[i]; x[i] = y[i] * 2.0", (6, 12)),
        ("x[i] = x[i] + 2.0; y[i] = x[i]", (3, 3)),
        ("y[i] = x[i]; x[i] = 3.0", (1, 3)),
        ("if i > 9: y[i] = x[i]; x[i] = 3.0", (5, 1)),
    ],
)
def test_parameters_written_in_place_start_with_what_is_passed(
    body: str, expected: tuple[int, int]
):
    module = loads(in_place(body))
    arrays = np.ones(4, np.float32), np.full(4, 5, np.float32)
    for each in (module, loads(dump(module))):
        results = interpret.run(each, "main", *arrays)
        np.testing.assert_array_equal(results, np.repeat(expected, 4).reshape(2, 4))


def test_numbers_that_are_no_sizes_are_tensors_of_rank_0():
    given = "(4,), 'float32'"
    module = loads(f"""@I.ir_module
class Module:
    @T.prim_func
    def f(x: T.Buffer({given}), scale: T.float32, flag: T.bool, n: T.int64, y: T.Buffer({given})):
        for i in range(4):
            with T.sblock("y"):
                v = T.axis.spatial(4, i)
                y[v] = T.if_then_else(flag, x[v] * scale, T.Cast("float32", n))
    @R.function
    def main(x: R.Tensor({given}), scale: T.float32, n: T.int64):
        cls = Module
        a = R.call_tir(cls.f, (x, scale, T.bool(True), n), out_ty=R.Tensor({given}))
        b = R.call_tir(cls.f, (a, T.float32(0.5), T.bool(False), n), out_ty=R.Tensor({given}))
        return (a, b)
""")
    x = np.ones(4, np.float32)
    compiled = lowering.compile(module, "numbers", extra_flags=UNOPTIMISED).main
    for found in (interpret.run(module, "main", x, 3.0, 7), compiled(x, 3.0, 7)):
        np.testing.assert_array_equal(found, np.repeat([3, 7], 4).reshape(2, 4))


def test_indices_in_place_count_numbers_among_the_arguments():
    given = "(4,), 'int64'"
    module = loads(f"""@I.ir_module
class Module:
    @T.prim_func
    def f(p: T.int64, x: T.Buffer({given})):
        for i in range(4):
            x[i] = x[i] + p
    @R.function
    def main(p: T.int64, x: R.Tensor({given})):
        r = R.call_tir_inplace(Module.f, (p, x), [1], out_ty=R.Tensor({given}))
        return r
""")
    found = interpret.run(module, "main", 3, np.arange(4))
    np.testing.assert_array_equal(found, [3, 4, 5, 6])


def test_results_in_place_and_new_ones_in_a_dataflow_block():
    """-1 is the next parameter behind the arguments; the argument that is written keeps its value."""
    given = "(4,), 'float32'"
    module = loads(f"""@I.ir_module
class Module:
    @T.prim_func
    def f(x: T.Buffer({given}), y: T.Buffer({given}), z: T.Buffer({given})):
        for i in range(4):
            z[i] = x[i] + y[i]
            y[i] = y[i] * 2.0
    @R.function
    def main(x: R.Tensor({given}), y: R.Tensor({given})):
        cls = Module
        with R.dataflow():
            a = R.exp(y)
            r = R.call_tir_inplace(cls.f, (x, a), [-1, 1], out_ty=[R.Tensor({given}), R.Tensor({given})])
            s = (a, r[0], r[1])
            R.output(s)
        return s
""")
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    for each in (module, loads(dump(module))):
        found = interpret.run(each, "main", x, y)
        np.testing.assert_array_equal(found, np.repeat([1, 2, 2], 4).reshape(3, 4))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            in_place("y[i] = y[i] + x[i]", "call_tir(cls.f, x"),
            "expected f to write its results anew, found that it reads one first",
        ),
        (
            in_place("y[i] = x[i]", "call_tir_inplace(cls.f, (x, y), [0]"),
            "expected inplace_indices of the parameters that f writes, [y], found [0]",
        ),
    ],
)
def test_calls_that_give_a_result_no_contents_are_refused(text: str, reason: str):
    with pytest.raises(ScriptError) as error:
        loads(text)
    assert reason in str(error.value)


def test_what_tir_has_no_words_for_is_refused():
    x = te.placeholder((4,), "int64", name="x")
    power = te.compute((4,), lambda i: te.power(x[i], x[i]), name="power")
    with pytest.raises(
        UnwritablePrimFunc, match=r"@f: no T\.prim_func says it; TIR has no power of integers"
    ):
        write(te.create_prim_func([x, power], "f"))


STRIDED = {
    'x: T.Buffer((3, 4), "float32", strides=(4, 1))': "x",
    'x: T.Buffer((3, 4), "float32", strides=("s0", "s1"))': "x",
    'var_x: T.handle': "x = T.match_buffer(var_x, (3, 4), strides=[s0, s1])",
    'x: T.Buffer((3, 4), "float32")': "c = T.alloc_buffer((3, 4), strides=(40, 1))",
    'x: T.Buffer((3, 4), "float32"), ': "c = T.Buffer((3, 4), data=x.data, strides=[T.int64(1), 3])",
}  # fmt: skip


@pytest.mark.parametrize("parameter", STRIDED)
def test_strides_of_rows_without_gaps_of_memory_of_its_own_and_of_views(parameter):
    lines = STRIDED[parameter]
    is_view, is_own = "data=" in lines, "alloc" in lines
    read_from = "c" if is_view or is_own else "x"
    copied = "for i, j in T.grid(3, 4):\n        c[i, j] = x[i, j]\n    " if is_own else ""
    function = prim_func(
        f'def f({parameter.rstrip(", ")}, y: T.Buffer((3, 4), "float32")):\n    {lines if lines != "x" else "pass"}\n    '
        f"{copied}for i, j in T.grid(3, 4):\n        y[i, j] = {read_from}[i, j] + T.float32(1)\n"
    )
    x = np.arange(12, dtype="float32").reshape(3, 4)
    wanted = x.reshape(4, 3).T if is_view else x
    np.testing.assert_array_equal(run(function, x), wanted + 1)


PARAMETERS = {
    'x: T.Buffer((4,)), x: T.Buffer((4,))': "expected each parameter once, found a second 'x'",
    'x: T.Buffer((3, 4), "float32", None, [8, 1])': "expected the stride 4 of rows without gaps, found 8",
    'x: T.Buffer((4,), "float32", strides=[4, 1])': "expected 1 strides, found 2",
    'x: T.Buffer((4,), "float32", elem_offset=4)': "expected the offset 0, found 4",
}  # fmt: skip


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_parameters_that_relax_passes_otherwise_are_refused(parameters: str):
    text = f"@T.prim_func\ndef f({parameters}, y: T.Buffer((4,))):\n    y[0] = 1.0\n"
    with pytest.raises(ScriptError) as error:
        loads(text)
    assert PARAMETERS[parameters] in str(error.value)


def test_strides_with_gaps_are_refused():
    text = '@T.prim_func\ndef f(x: T.Buffer((3, 4), "float32", strides=(8, 1)), y: T.Buffer((3, 4), "float32")):\n    y[0, 0] = x[0, 0]\n'
    with pytest.raises(ScriptError, match=r"2:47: error: expected the stride 4 of rows without"):
        loads(text)


def test_sizes_by_choice_and_the_largest_numbers_of_floats():
    function = prim_func(
        'def f(x: T.Buffer((n,), "float16"), y: T.Buffer((T.if_then_else(n > 2, n, 2),), "float16"), '
        'z: T.Buffer((m,), "float16"), w: T.Buffer((T.if_then_else(n == 1, m, n),), "float16")):\n'
        "    for i in range(T.if_then_else(n > 2, n, 2)):\n"
        '        y[i] = T.if_then_else(i < n, x[T.min(i, n - 1)], T.min_value("float16"))\n'
        "    for i in range(T.if_then_else(n == 1, m, n)):\n        w[i] = z[0]\n"
    )
    for n, m in ((1, 3), (3, 1), (3, 3)):
        x, z = np.ones(n, "float16"), np.zeros(m, "float16")
        y, w = run(function, x, z)
        wanted = np.append(x, np.full(max(0, 2 - n), np.finfo("float16").min))
        np.testing.assert_array_equal(y, wanted.astype("float16"))
        assert w.shape == (max(n, m),)


def test_conversions_and_products_of_booleans_are_written_as_they_were():
    function = prim_func(
        'def f(x: T.Buffer((3,), "int8"), y: T.Buffer((3,), "bool"), z: T.Buffer((3,), "bool"), '
        'w: T.Buffer((3,), "bool")):\n    for i in range(3):\n        with T.sblock("z"):\n'
        "            v = T.axis.spatial(3, i)\n"
        '            z[v] = T.Cast("bool", x[v]) * y[v]\n            w[v] = x[v] != T.int8(0) and y[v]\n'
    )
    text = "\n".join(write(back(function)))
    assert 'T.Cast("bool", x[v_ax0]) * y[v_ax0]' in text and "x[v_ax0] != T.int8(0) and y" in text
    x, y = np.array([2, 0, 3], "int8"), np.array([True, True, False])
    np.testing.assert_array_equal(run(function, x, y), [[True, False, False]] * 2)


def computed(lines: str, x: np.ndarray, y: np.ndarray, dtype: str) -> np.ndarray:
    """What statements store in `z`, of the type given and as many elements as `x` has."""
    body = "".join(f"    {line}\n" for line in lines.strip().splitlines())
    function = prim_func(
        f'def f(x: T.Buffer((n,), "{x.dtype}"), y: T.Buffer((n,), "{y.dtype}"), '
        f'z: T.Buffer((n,), "{dtype}")):\n{body}'
    )
    found = run(function, x, y)
    np.testing.assert_array_equal(run(back(function), x, y), found)
    return found


MIXED: dict[str, tuple[str, str, str, list[float]]] = {
    # what is computed of x and y, their types, what it is stored as, and what it is for 100 and -3
    "x[i] + y[i]": ("uint32", "int32", "int64", [97]),
    "y[i] + x[i]": ("uint32", "int32", "int64", [97]),
    "T.Cast('int64', y[i] - x[i])": ("uint32", "int32", "int64", [2**32 - 103]),
    "y[i] < x[i]": ("uint32", "int32", "bool", [False]),
    "x[i] * 2": ("int8", "int8", "int32", [200]),
    "x[i] * y[i]": ("int8", "int16", "int32", [-300]),
    "x[i] * T.int8(2)": ("int8", "int8", "int32", [-56]),
    "x[i] << 2": ("int8", "int8", "int32", [-112]),
    "y[i] * x[i]": ("float32", "int32", "float32", [-300]),
    "y[i] * 0.5": ("float32", "int32", "float32", [-1.5]),
    "y[i] * 0.5 ": ("float32", "int32", "int32", [-1]),
    "x[i] + y[i] ": ("float64", "float16", "float64", [97]),
    "x[i] * 0.001": ("float16", "int8", "float32", [np.float32(100) * np.float32(0.001)]),
    "T.max(x[i], y[i])": ("int8", "float32", "float32", [100]),
    "T.if_then_else(i == 0, y[i], 0.25)": ("int8", "int8", "float32", [-3]),
    "x[i] + (i + 50)": ("int8", "int8", "int64", [150]),
    "x[i] * (i + 1.5) + n": ("float32", "int8", "float32", [151]),
    "-1 < y[i] < 2": ("int8", "int8", "bool", [False]),
    "T.Cast('uint32', T.int32(-1))": ("int8", "int8", "uint32", [2**32 - 1]),
    "T.Cast('int32', T.float32(-1.5))": ("int8", "int8", "int32", [-1]),
    "T.int64(2**40) * 3 / 2.0": ("int8", "int8", "float32", [1.5 * 2**40]),
}  # fmt: skip


@pytest.mark.parametrize("expression", MIXED)
def test_operands_of_two_types_meet_in_the_type_that_tvm_gives_them(expression: str):
    of_x, of_y, dtype, wanted = MIXED[expression]
    x, y = np.array([100], of_x), np.array([-3], of_y)
    loop = f"for i in range(n):\n    z[i] = {expression}"
    block = "for j in range(n):\n    with T.sblock('z'):\n        i = T.axis.spatial(n, j)\n        z[i] = "
    for lines in (loop, block + expression):
        assert computed(lines, x, y, dtype).tolist() == np.array(wanted, dtype).tolist()


def test_counters_of_int32_and_int64_meet_an_unsigned_number_in_other_types():
    x = np.array([3], "uint32")
    for extent, wanted in (("1", 2**32 - 2), ("T.int64(1)", -2)):
        loop = f"for i in range({extent}):\n    z[i] = T.Cast('int64', x[i] - (i + 5))"
        assert computed(loop, x, x, "int64").tolist() == [wanted]


SCALARS = {
    "declared": "s: T.float32\ns = 0.0\nfor i in range(n):\n    s = s + x[i]\n    z[i] = s",
    "declared with a value": "s: T.float32 = 0\nfor i in range(n):\n    s += x[i]\n    z[i] = s",
    "declared by a call": "s = T.local_scalar('float32')\ns = 0\nfor i in range(n):\n    s += x[i]\n    z[i] = s",
    "a buffer of one element": (
        "s = T.alloc_buffer((1,))\ns = T.float32(0)\nfor i in range(n):\n    s = s[0] + x[i]\n    z[i] = s[0]"
    ),
    "a vector": (
        "s: T.float32[2]\ns[1] = 0.0\nfor i in range(n):\n    s[1] += x[i]\n    z[i] = T.bind(s[1])"
    ),
    "two at once": "s, t = 0.0, 1\nfor i in range(n):\n    s += x[i] * t\n    z[i] = s",
}


@pytest.mark.parametrize("name", SCALARS)
def test_scalars_are_variables_and_buffers_of_one_element_are_stored_to_by_name(name: str):
    x = np.float32([1, 2, 4])
    assert computed(SCALARS[name], x, x, "float32").tolist() == [1, 3, 7]


def test_a_scalar_has_the_type_that_it_is_declared_with():
    x = np.float32([1.75])
    lines = "for i in range(n):\n    s: T.int32 = x[i]\n    z[i] = s"
    assert computed(lines, x, x, "float32").tolist() == [1]


GUARDED = {
    "z[i] = T.Select(i > 0 and x[i - 1] > 1.0, x[i], 0.0)": [0, 0, 4],
    "z[i] = T.Select(T.Or(i == 0, x[i - 1] > 1.0), x[i], 0.0)": [1, 0, 4],
    "z[i] = z[i - 1] + x[i] if i > 0 else x[i]": [1, 3, 7],
    "k: T.int64 = i\nz[i] = 0.0\nwhile k < n and x[k] < 3.0:\n    z[i] += 1.0\n    k += 1": [
        2,
        1,
        0,
    ],
}


@pytest.mark.parametrize("line", GUARDED)
def test_what_a_condition_guards_is_not_read_where_that_does_not_hold(line: str):
    x = np.float32([1, 2, 4])
    lines = "".join(f"\n    {each}" for each in line.splitlines())
    assert computed(f"for i in range(n):{lines}", x, x, "float32").tolist() == GUARDED[line]


def test_a_body_that_does_nothing_has_its_last_tensor_as_result():
    """`T.evaluate(0)`, as tests of graph passes have it: TVM leaves the elements undefined."""
    found = prim_func(
        'def f(x: T.Buffer((n,), "float32"), y: T.Buffer((n, 2), "float32")):\n    T.evaluate(0)\n'
    )
    np.testing.assert_array_equal(run(found, np.ones(3, "float32")), np.zeros((3, 2), "float32"))
