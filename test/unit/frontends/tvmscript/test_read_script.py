"""TVMScript read: whole modules, their parts, constants beside them."""

from __future__ import annotations

import base64
import json
import struct
from functools import partial

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from lowering.tools.inputs.program import parse_program
from lowering.tools.relax_translate import main as relax_translate
from relax_dialect import assert_structural_equal, interpret, parse
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript import ScriptError, dump, load, loads
from relax_dialect.frontends.tvmscript.script.metadata import MAGIC

PRINTED = """\
# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

n = TypeVar("n")
@I.ir_module
class Module:
    @R.function(private=True)
    def twice(x: R.Tensor((n,), dtype="float32")) -> R.Tensor(("n * 2",), dtype="float32"):
        gv: R.Tensor((n * 2,), dtype="float32") = R.concat((x, x), axis=0)
        return gv

    @R.function
    def main(x: R.Tensor((n, 4), dtype="float32"), c: R.Tensor((), dtype="bool"), s: R.Shape(["m"]), k: T.int64,
             o: R.Any) -> R.Tuple(R.Tensor((n, 4), dtype="float32"), R.Tensor(("n * 8",), dtype="float32")):
        m = T.int64()
        R.func_attr({"num_input": 1, "global_symbol": "main", "words": ["a", {"b": 1.5, "c": True}]})
        cls = Module
        with R.dataflow():
            lv: R.Tensor((n, 4), dtype="float32") = R.nn.relu(x)
            lv1: R.Tuple(R.Tensor((n, 2), dtype="float32"), R.Tensor((n, 2), dtype="float32")) = R.split(
                lv, indices_or_sections=2, axis=1)
            lv2: R.Tensor((n, 2), dtype="float32") = lv1[1]
            lv3: R.Tensor((n, 4), dtype="float32") = R.concat(lv1, axis=-1)
            flat: R.Tensor((n * 4,), dtype="float32") = R.reshape(lv3, R.shape([n * 4]))
            R.output(lv2, flat, lv)
        if c:
            z_then: R.Tensor((n, 4), dtype="float32") = R.add(lv, R.const(1.0, "float32"))
            z: R.Tensor((n, 4), dtype="float32") = z_then
        else:
            z: R.Tensor((n, 4), dtype="float32") = R.add(lv, x)
        @R.function
        def inner(v: R.Tensor((n, 4), dtype="float32")) -> R.Tensor((n, 4), dtype="float32"):
            w: R.Tensor((n, 4), dtype="float32") = R.multiply(v, z)
            return w
        u = inner(z)
        d = cls.twice(flat)
        h = R.match_cast(o, R.Tensor(("p", m + T.max(k, 1)), "float32"))
        R.print(h, format=R.str("{}"))
        r: R.Any = R.call_pure_packed("f", h, 3, T.float32(0.5), R.str("s"), R.dtype("int8"), ty_args=(R.Any,))
        return (u, d)
"""

READ = """
builtin.module {
  relax.func private @twice(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[2 * n], f32> {
    %gv = relax.concat %x, %x {axis = 0 : i64} :
        (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[2 * n], f32>
    relax.return %gv : !relax.tensor<[2 * n], f32>
  }
  relax.func @main(%x: !relax.tensor<[n, 4], f32>, %c: !relax.tensor<[], i1>, %s: !relax.shape<[m]>,
      %k: !relax.prim<k>, %o: !relax.object) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[8 * n], f32>>
      attributes {num_input = 1 : i64, words = ["a", {b = 1.5 : f64, c = true}]} {
    %lv2, %flat, %lv = relax.dataflow {
      %a = relax.relu %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
      %b0, %b1 = relax.split %a {sections = 2 : i64, axis = 1 : i64} :
          (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>)
      %lv3 = relax.concat %b0, %b1 {axis = -1 : i64} :
          (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 4], f32>
      %to = relax.shape [4 * n]
      %r = relax.reshape %lv3, %to :
          (!relax.tensor<[n, 4], f32>, !relax.shape<[4 * n]>) -> !relax.tensor<[4 * n], f32>
      relax.output %b1, %r, %a :
          !relax.tensor<[n, 2], f32>, !relax.tensor<[4 * n], f32>, !relax.tensor<[n, 4], f32>
    }
    %z = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n, 4], f32> {
      %one = relax.constant dense<1.0> : tensor<f32>
      %t = relax.add %lv, %one :
          (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
      relax.yield %t : !relax.tensor<[n, 4], f32>
    } else {
      %e = relax.add %lv, %x :
          (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
      relax.yield %e : !relax.tensor<[n, 4], f32>
    }
    %inner = relax.closure (%v: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
      %w = relax.multiply %v, %z :
          (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
      relax.return %w : !relax.tensor<[n, 4], f32>
    }
    %u = relax.call_closure %inner, %z :
        (!relax.func<(!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>>, !relax.tensor<[n, 4], f32>)
        -> !relax.tensor<[n, 4], f32>
    %d = relax.call @twice(%flat) : (!relax.tensor<[4 * n], f32>) -> !relax.tensor<[8 * n], f32>
    %h = relax.match_cast %o : !relax.object -> !relax.tensor<[p, m + max(1, k)], f32>
    relax.print %h {format = "{}"} : (!relax.tensor<[p, m + max(1, k)], f32>) -> ()
    %r = relax.call_pure_packed "f"(%h, 3 : i64, 0.5 : f32, "s", i8) :
        (!relax.tensor<[p, m + max(1, k)], f32>) -> !relax.object
    %both = relax.tuple %u, %d : (!relax.tensor<[n, 4], f32>, !relax.tensor<[8 * n], f32>)
        -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[8 * n], f32>>
    relax.return %both : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[8 * n], f32>>
  }
}
"""


def test_a_printed_module_is_read_with_its_names(tmp_path):
    (tmp_path / "f.py").write_text(PRINTED)
    module = load(tmp_path / "f.py")
    assert_structural_equal(module, parse(READ))
    text = str(module)
    assert all(f"%{name} = " in text for name in ("lv3", "z", "u", "d", "h", "r"))
    assert (
        relax_translate(
            ["--import-tvmscript", str(tmp_path / "f.py"), "-o", str(tmp_path / "f.mlir")]
        )
        == 0
    )
    assert_structural_equal(parse((tmp_path / "f.mlir").read_text()), module)
    assert_structural_equal(parse_program(PRINTED, "f.py"), module)


def result(body: str, params: str = 'x: R.Tensor(("n", 4), "float32")', imports: str = "") -> str:
    """The type that a function gives, whose last line is a return."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    module = loads(f"{imports}\n@R.function\ndef main({params}):\n{lines}")
    return str(next(iter(module.ops)).function_type.output)  # pyright: ignore


TYPES = {
    "R.Tensor": "!relax.tensor<*>",
    'R.Tensor("float16", ndim=2)': "!relax.tensor<[?, ?], f16>",
    'R.Tensor(dtype="int8")': "!relax.tensor<*, i8>",
    'R.Tensor((2, "n // 2 * 2 % 3"), "uint8", "llvm")': "!relax.tensor<[2, (n floordiv 2 * 2) mod 3], ui8>",
    "R.Shape([2, 3])": "!relax.shape<[2, 3]>",
    "R.Shape(ndim=2)": "!relax.shape<[?, ?]>",
    "R.Shape": "!relax.shape<*>",
    "R.Tuple(R.Object, R.Tuple())": "tuple<!relax.object, tuple<>>",
    'R.Prim("int64")': "i64",
    'R.Prim(value="n")': "!relax.prim<n>",
    "T.float32": "f32",
    'R.Callable((R.Tensor(("k",)),), R.Tensor(("k",)), False)': (
        "!relax.func<[k] (!relax.tensor<[k]>) -> !relax.tensor<[k]>, impure>"
    ),
    "R.Callable": "!relax.object",
}


@pytest.mark.parametrize("annotation", TYPES)
def test_types(annotation):
    params = f'y: {annotation}, s: R.Shape(["n"])'
    expected = TYPES[annotation].replace("(n floordiv 2 * 2) mod 3", "2 * (n floordiv 2) mod 3")
    found = result("return y", params)
    assert found.replace("(2 * (n floordiv 2)) mod 3", "2 * (n floordiv 2) mod 3") == expected


BODIES = {
    "return x + x * 2.0": "!relax.tensor<[n, 4], f32>",
    'n = T.int64()\nreturn R.zeros((n - 1 + 1, 2), dtype="int32")': "!relax.tensor<[n, 2], i32>",
    "return R.permute_dims(x)": "!relax.tensor<[4, n], f32>",
    "y, z = R.split(x, [1], axis=1)\ny = R.add(y, y)\nreturn y": "!relax.tensor<[n, 1], f32>",
    'y = R.topk(x, 2, ret_type="values")\nreturn y': "!relax.tensor<[n, 2], f32>",
    "return R.layout_transform(x, index_map=lambda i, j: (j // 2, i, j % 2))": "!relax.tensor<[2, n, 2], f32>",
    "return R.memory.view(x, R.shape([4]), R.null_value(), R.tuple())": "!relax.tensor<[4], f32>",
    'return R.const([[1, 2]], "int64")': "!relax.tensor<[1, 2], i64>",
    "return R.prim_value(7)": "!relax.prim<7>",
    'return R.str("text")': "!relax.object",
    'd = R.dtype("float16")\nreturn (x, d)': "tuple<!relax.tensor<[n, 4], f32>, !relax.object>",
    "return R.inspect.tensor_ndim(x)": "!relax.prim<2>",
    "return R.inspect.tensor_shape_i(x, 0)": "!relax.prim<n>",
    "return R.inspect.tensor_stride_i(x, 0)": "!relax.prim<4>",
    "return R.inspect.tensor_stride_i(R.permute_dims(x), R.prim_value(0))": "!relax.prim<n>",
    "return R.inspect.tensor_byte_offset(x)": "!relax.prim<0>",
    "return R.inspect.tensor_elem_offset(x)": "!relax.prim<0>",
    "return R.inspect.tensor_dtype_code(x)": "!relax.prim<2>",
    "return R.inspect.tensor_dtype_code(R.const(True))": "!relax.prim<6>",
    "return R.inspect.tensor_dtype_bits(x)": "!relax.prim<32>",
    "return R.inspect.tensor_dtype_lanes(x)": "!relax.prim<1>",
    'return R.call_dps_packed("f", x, out_ty=R.Tensor((3,)))': "!relax.tensor<[3]>",
    "t = (x, (x, R.shape([3])))\nreturn t[1][1]": "!relax.shape<[3]>",
    'return R.call_packed("f", (x, x), sinfo_args=[R.Shape(ndim=1)])': "!relax.shape<[?]>",
    'return R.call_dps_packed("f", x, out_sinfo=R.Tensor((3,), "float32"))': "!relax.tensor<[3], f32>",
    'return R.call_dps_packed("f", x, out_ty=[R.Tensor((3,), "float32"), R.Tuple(R.Tensor((2,), "int32"))])': (
        "tuple<!relax.tensor<[3], f32>, tuple<!relax.tensor<[2], i32>>>"
    ),
    "return R.memory.view(x, R.shape([4]), R.tuple(), R.tuple())": "!relax.tensor<[4], f32>",
    "y: R.Object = R.null_value()\nreturn (x, y)": "tuple<!relax.tensor<[n, 4], f32>, tuple<>>",
    "n = T.int64()\nreturn R.zeros((T.FloorDiv(n, 2), T.Max(n, 4)), 'int32')": "!relax.tensor<[n floordiv 2, max(n, 4)], i32>",
    'R.assert_op(R.const(True), x, format="{}")\nreturn x': "!relax.tensor<[n, 4], f32>",
}


def test_what_is_computed_of_numbers_is_one_too():
    """As TVM has it; here it is a tensor of rank 0."""
    params = 't: R.Tuple(R.Prim("int64"), R.Tensor(("n",), "float32"))'
    number = "n = T.int64()\nk: T.int64 = t[0]\np: T.{} = k * 2 + n\nreturn p"
    assert result(number.format("int64"), params) == "!relax.tensor<[], i64>"
    assert result("k = t[0]\np: T.bool = k < 2\nreturn p", params) == "!relax.tensor<[], i1>"
    with pytest.raises(ScriptError, match="expected a value of the declared type f32, found one"):
        result(number.format("float32"), params)


def test_a_number_that_stands_in_shapes_is_a_size():
    """Where it is bound, and as TVM's blocks of dataflow say it, which hold none that is bound."""
    bound = "k: T.int64 = t[0]\nreturn R.zeros(R.shape([k, 2]), dtype='float32')"
    matched = (
        "k = T.int64()\ni = t[0]\ns = R.shape([i])\n_ = R.match_cast(s, R.Shape([k]))\n"
        "return R.zeros(R.shape([k, 2]), dtype='float32')"
    )
    for body in (bound, matched):
        lines = "".join(f"    {line}\n" for line in body.split("\n"))
        module = loads(f'@R.function\ndef main(t: R.Tuple(R.Prim("int64"))):\n{lines}')
        assert "-> !relax.prim<k>" in str(module) and "relax.shape [k, 2]" in str(module)
        assert interpret.run(module, "main", (3,)).shape == (3, 2)
        text = dump(module)
        assert dump(loads(text)) == text


def test_sizes_in_expressions_alone():
    """They are read, their variables solved; TVM takes such a function only with a parameter that defines
    them."""
    text = """\
@R.function
def main(x: R.Tensor(("m",), "float32"), y: R.Tensor(("m + n",), "float32"){}) -> R.Tensor(("m + n",), "float32"):
    m = T.int64()
    n = T.int64()
    return y
"""
    module = loads(text.format(""))
    assert "%y: !relax.tensor<[m + n], f32>) -> !relax.tensor<[m + n], f32>" in str(module)
    x, y = np.zeros(2, "f4"), np.ones(5, "f4")
    np.testing.assert_array_equal(interpret.run(module, "main", x, y), y)
    with pytest.raises(
        RelaxError, match="defines for TVM the size n, found it in expressions alone"
    ):
        dump(module)
    assert 'R.Shape(["n"])' in dump(loads(text.format(', s: R.Shape(["n"])')))


def test_grids_of_samples_have_tvms_order_of_axes_both_ways():
    types = "!relax.tensor<[2, 3, 4, 4], f32>, !relax.tensor<[2, 5, 6, 2], f32>"
    ours = parse(
        "relax.func @f(%x: !relax.tensor<[2, 3, 4, 4], f32>, %g: !relax.tensor<[2, 5, 6, 2], f32>) -> "
        f"!relax.tensor<[2, 3, 5, 6], f32> {{\n  %y = relax.grid_sample %x, %g : ({types}) -> "
        "!relax.tensor<[2, 3, 5, 6], f32>\n  relax.return %y : !relax.tensor<[2, 3, 5, 6], f32>\n}"
    )
    rng = np.random.default_rng(0)
    x, g = rng.random((2, 3, 4, 4), "float32"), rng.random((2, 5, 6, 2), "float32")
    text = dump(ours)
    assert "R.permute_dims(g, axes=[0, 3, 1, 2])" in text
    found = interpret.run(loads(text), "f", x, g)
    np.testing.assert_array_equal(found, interpret.run(ours, "f", x, g))
    assert dump(loads(text)).count("R.permute_dims(") == 1


def test_aligned_regions_begin_where_tvm_has_them():
    """TVM's are not moved by half an element, which ONNX's half_pixel and ours are."""
    text = """
@R.function
def main(x: R.Tensor((1, 1, 6, 6), "float32"), r: R.Tensor((1, 5), "float32")):
    return R.vision.roi_align(x, r, (1, 1), 1.0, sample_ratio=1, aligned=True)
"""
    x, r = (
        np.arange(36, dtype="float32").reshape(1, 1, 6, 6),
        np.array([[0, 1, 2, 3, 4]], "float32"),
    )
    for module in (loads(text), loads(dump(loads(text)))):
        assert interpret.run(module, "main", x, r).item() == 3 * 6 + 2  # row 3, column 2


@pytest.mark.parametrize("body", BODIES)
def test_expressions(body):
    assert result(body) == BODIES[body]


@pytest.mark.parametrize(
    "imports",
    [
        "from tvm.script import relax as R",
        "import tvm.script.relax",
        "from tvm.script.parser import relax as rx",
    ],
)
def test_any_alias_of_the_modules(imports):
    word = {"import tvm.script.relax": "tvm.script.relax"}.get(imports, imports.split()[-1])
    text = f"{imports}\n@{word}.function\ndef f(x: {word}.Tensor):\n    return {word}.exp(x)\n"
    assert "relax.exp" in str(loads(text))


def saved(array: np.ndarray, code: int) -> str:
    header = struct.pack("<QQiiiBBH", MAGIC, 0, 1, 0, array.ndim, code, array.itemsize * 8, 1)
    sizes = struct.pack(f"<{array.ndim + 1}q", *array.shape, array.nbytes)
    return base64.b64encode(header + sizes + array.tobytes()).decode()


BEFORE = {
    "root": 1,
    "nodes": [
        {"type_key": ""},
        {"type_key": "Map", "keys": ["relax.expr.Constant"], "data": [2]},
        {"type_key": "Array", "data": [3]},
        {"type_key": "relax.expr.Constant", "attrs": {"data": "0", "span": "0"}},
    ],
}
NOW = {
    "root_index": 0,
    "nodes": [
        {"type": "ffi.Map", "data": [1, 2]},
        {"type": "ffi.String", "data": "relax.expr.Constant"},
        {"type": "ffi.Array", "data": [3]},
        {"type": "relax.expr.Constant", "data": {"data": 4}},
    ],
}


@pytest.mark.parametrize("form", ["before", "now"])
@pytest.mark.parametrize(
    "array", [np.arange(6, dtype="float32").reshape(2, 3), np.zeros((0, 2), "int64")]
)
def test_constants_of_the_metadata(form, array):
    data = saved(array, 2 if array.dtype.kind == "f" else 0)
    if form == "before":
        tree = BEFORE | {"b64ndarrays": [data]}
    else:
        tree = NOW | {"nodes": [*NOW["nodes"], {"type": "ffi.Tensor", "data": data}]}
    text = (
        f"metadata = tvm.ir.load_json({json.dumps(tree)!r})\n@R.function\ndef main(x: R.Tensor):\n"
        '    return metadata["relax.expr.Constant"][0]\n'
    )
    found = interpret.run(loads(text), "main", np.zeros(1, "float32"))
    np.testing.assert_array_equal(found, array)


SCALARS = """
@R.function(private=True)
def shifted(x: R.Tensor(("n",), "float32"), by: T.float32) -> R.Tensor(("n",), "float32"):
    return R.add(x, by)

@R.function
def total(s: T.float32, t: T.float32) -> T.float32:
    y: T.float32 = s + t
    return y

@R.function
def numbers() -> R.Tuple(T.float32, T.bool, T.int32, T.int64):
    return (R.prim_value(T.float32(3)), R.prim_value(T.bool(True)), R.prim_value(T.int32(3)), R.prim_value(T.int64(3)))

@R.function
def squared(x: T.float32) -> T.float32:
    @R.function
    def times(y: T.float32) -> T.float32:
        z: T.float32 = y * x
        return z
    return times(times(R.prim_value(T.float32(1))))

@R.function
def half() -> T.float32:
    y: T.float32 = R.prim_value(T.float32(0.5))
    return y

@R.function(private=True)
def ones(n: T.int64) -> R.Tensor((n,), "float32"):
    return R.ones(R.shape([n]), "float32")

@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor((3,), "float32")):
    y = shifted(R.add(x, R.prim_value(T.float32(2))), R.prim_value(T.float32(3)))
    return (y, ones(R.prim_value(T.int32(3))))
"""


@pytest.mark.slow
def test_scalars_are_those_that_are_declared():
    module = loads(SCALARS)
    written = loads(dump(module))
    compiled = lowering.compile(module, extra_flags=UNOPTIMISED)
    for run in (
        partial(interpret.run, module),
        partial(interpret.run, written),
        lambda name, *args: compiled[name](*args),
    ):
        assert run("total", 3, 4.5) == 7.5 and run("half") == 0.5
        assert run("squared", 3) == 9
        assert [float(v) for v in run("numbers")] == [3, 1, 3, 3]
        for n in (0, 1, 7):
            x = np.arange(n, dtype=np.float32)
            y, z = run("main", x)
            assert y.tolist() == (x + 5).tolist() and z.tolist() == [1, 1, 1]


FACTS = """
@R.function
def main(x: R.Tensor("float32", ndim=2)) -> R.Tuple(T.int64, T.int32, T.uint8, T.float64, T.bool, T.uint8):
    columns = R.inspect.tensor_shape_i(x, 1)
    rank = R.inspect.tensor_ndim(x)
    bits = R.inspect.tensor_dtype_bits(x)
    return (columns, rank, bits, R.prim_value(3.5), R.prim_value(True), R.prim_value(T.uint8(200)))
"""


def test_unknown_sizes_are_inspected_and_numbers_are_those_that_are_declared():
    module = loads(FACTS)
    x = np.zeros((2, 3), np.float32)
    expected = (3, 2, 32, 3.5, True, 200)
    assert interpret.run(module, "main", x) == expected
    assert interpret.run(loads(dump(module)), "main", x) == expected
    assert lowering.compile(module, extra_flags=UNOPTIMISED).main(x) == expected


def test_a_prim_func_that_calls_another_library_is_refused():
    text = """
@I.ir_module
class M:
    @T.prim_func
    def f(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.call_packed("my.f", x.data, y.data)
"""
    with pytest.raises(ScriptError, match=r"not of this module; .* by R.call_dps_packed") as error:
        loads(text)
    assert ":6:9:" in str(error.value)
