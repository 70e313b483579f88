"""Scripts as TVM wrote them before 0.27 and writes them after it, and those of models for its runtime."""

from __future__ import annotations

import numpy as np
import pytest

from relax_dialect import interpret, parse
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript import dump, loads

ADD_ONE = """
    for i, j in T.grid(T.int64(2), T.int64(3)):
        with T.sblock("add"):
            v_i, v_j = T.axis.remap("SS", [i, j])
            B[v_i, v_j] = A[v_i, v_j] + T.float32(1)
"""
WORDS = {  # version: decorator, buffers, block
    "0.13": ("T.prim_func", 'T.Buffer[(T.int64(2), T.int64(3)), "float32"]', "T", "T.block"),
    "0.26": ("T.prim_func", 'T.Buffer((T.int64(2), T.int64(3)), "float32")', "T", "T.block"),
    "0.28": ("Ts.prim_func", 'T.Buffer((T.int64(2), T.int64(3)), "float32")', "Ts", "Ts.sblock"),
    "later": ("Ts.function", 'T.Tensor((T.int64(2), T.int64(3)), "float32")', "Ts", "Ts.sblock"),
}
CALLS = {
    "0.13": 'R.call_tir(add_one, (x,), (2, 3), dtype="float32")',
    "0.26": 'R.call_tir(cls.add_one, (x,), out_sinfo=R.Tensor((2, 3), dtype="float32"))',
    "0.28": 'R.call_tir(cls.add_one, (x,), out_ty=R.Tensor((2, 3), dtype="float32"))',
    "later": 'R.call_tir(Module.add_one, x, R.Tensor((2, 3), dtype="float32"))',
}


@pytest.mark.parametrize("version", WORDS)
def test_prim_funcs_and_their_calls_of_every_version(version):
    decorator, buffer, module, block = WORDS[version]
    body = ADD_ONE.replace("T.axis", f"{module}.axis").replace("T.sblock", block)
    text = f"""
from tvm.script import s_tir as Ts
@I.ir_module
class Module:
    @{decorator}(private=True)
    def add_one(A: {buffer}, B: {buffer}):
{body.replace(chr(10), chr(10) + "    ")}
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        cls = Module
        y = {CALLS[version]}
        return y
"""
    x = np.arange(6, dtype="float32").reshape(2, 3)
    np.testing.assert_array_equal(interpret.run(loads(text), "main", x), x + 1)


SIZES = {
    'n = TypeVar("n")\n': "(n, 4)",
    'n = I.dynamic("n", dtype="int64")\n': "(n, 4)",
    'n = T.dynamic("n")\n': "(n, 4)",
    'm = T.dynamic("n")\n': "(m, 4)",
    "": '("n", 4)',
}


@pytest.mark.parametrize("declared", SIZES)
def test_symbolic_variables_of_every_version(declared):
    shape = SIZES[declared]
    text = f'{declared}@R.function\ndef f(x: R.Tensor({shape}, "float32")):\n    return R.exp(x)\n'
    assert "relax.func @f(%x: !relax.tensor<[n, 4], f32>)" in str(loads(text))


def test_variables_of_one_name_are_two_sizes():
    text = (
        'n = I.dynamic("n")\nother = I.dynamic("n")\n@R.function\ndef f(x: R.Tensor((n, other))):\n'
        "    return x\n"
    )
    assert "!relax.tensor<[n, other]>" in str(loads(text))


def test_type_variables_in_brackets_are_read_by_any_python_and_places_stay():
    text = '@R.function\ndef f[N, M: int](x: R.Tensor((N, M), "float32")):\n    return R.expp(x)\n'
    with pytest.raises(Exception, match=r"f\.py:3:12: error: expected an operator"):
        loads(text, "f.py")
    assert "!relax.tensor<[N, M], f32>" in str(loads(text.replace("expp", "exp")))


def test_a_number_of_the_parameters_is_a_size_of_those_after_it():
    text = '@R.function\ndef f(n: T.int64, x: R.Tensor([n], "float32")):\n    return R.zeros([n + 1], "float32")\n'
    found = str(loads(text))
    assert "(%n: !relax.prim<n>, %x: !relax.tensor<[n], f32>)" in found and "[n + 1]" in found


def test_branches_and_assertions_ask_for_sizes():
    text = """
@R.function(pure=False)
def main(x: R.Tensor(("n",), "float32")):
    n = T.int64()
    R.assert_op(n < 9, format="too many")
    if n % 2 == 0:
        y = R.add(x, x)
    else:
        y = x
    return y
"""
    module = loads(text)
    for n in (3, 4):
        x = np.ones(n, "float32")
        np.testing.assert_array_equal(interpret.run(module, "main", x), x * (2 - n % 2))
    with pytest.raises(Exception, match="too many"):
        interpret.run(module, "main", np.ones(9, "float32"))


OUTSIDE = {
    'b = M.typed(a)': '%b = relax.call_pure_packed "typed"(%a) : (!relax.tensor<[4]>) -> !relax.tensor<[?], f32>',
    "b = cls.free(a)": '%b = relax.call_packed "free"(%a) : (!relax.tensor<[4]>) -> !relax.object',
    'b = R.ExternFunc("f")(a)': '%b = relax.call_packed "f"(%a)',
    'g = R.ExternFunc("f")\n        b = R.call_dps_packed(g, a, out_ty=R.Tensor((4,), "float32"))': (
        '%b = relax.call_dps_packed "f"(%a)'
    ),
    "b = R.hint_on_device(a, R.device(2, 0))": "relax.return %a",
    'b = R.to_vdevice(a, "cuda:1")': "relax.return %a",
    "b = I.Call(M.other, [a], ty=R.Tensor((4,)))": "%b = relax.call @other(%a)",
    'b = R.call_pure_packed("f", a, ty_args=[a.ty])': '"f"(%a) : (!relax.tensor<[4]>) -> !relax.tensor<[4]>',
}  # fmt: skip


@pytest.mark.parametrize("body", OUTSIDE)
def test_functions_from_outside_and_devices(body):
    text = f"""
@I.ir_module
class M:
    I.module_global_infos({{"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0)]}})
    typed = R.ExternFunc("typed", R.Callable((R.Tensor((4,)),), R.Tensor(("k",), "float32"), True))
    free = R.ExternFunc("free")
    @R.function(pure=False)
    def main(a: R.Tensor((4,))):
        cls = M
        {body}
        return b
    @R.function(private=True)
    def other(a: R.Tensor((4,))) -> R.Tensor((4,)):
        R.func_ret_ty(R.Tensor((4,)))
        return a
"""
    assert OUTSIDE[body] in str(loads(text))


CACHE = """
@I.ir_module
class Module:
    @R.function
    def create(limits: R.Shape(["batch", "total"])) -> R.Object:
        batch, total = T.int64(), T.int64()
        R.func_attr({"relax.memory_plan_dynamic_func_output": 1})
        cache: R.Object = R.call_pure_packed("vm.builtin.paged_attention_kv_cache_create",
            R.shape([batch, total, 16]), R.prim_value(32), R.const(0.0, "float16"),
            R.prim_value(T.float32(10000.0)), R.str("f"), sinfo_args=(R.Object,))
        return cache

    @R.function
    def decode(hidden: R.Tensor((1, "seq", 8), dtype="float16"), cache: R.Object,
               params: R.Tuple(R.Tensor((8, 24), dtype="float16"), R.Tensor((8,), dtype="float16"))
               ) -> R.Tuple(R.Tensor((1, "seq", 8), dtype="float32"), R.Object):
        seq = T.int64()
        R.func_attr({"num_input": 2, "tir_var_upper_bound": {"seq": 2048, "vocab": 9}, "pipeline_parallel_stages": 1})
        with R.dataflow():
            weight: R.Tensor((8, 24), dtype="float16") = params[0]
            norm: R.Tensor((8,), dtype="float16") = params[1]
            rms: R.Tensor((1, seq, 8), dtype="float16") = R.nn.rms_norm(hidden, norm, axes=[-1], epsilon=1e-05)
            qkv: R.Tensor((1, seq, 24), dtype="float16") = R.matmul(rms, weight, out_dtype="void")
            heads: R.Tensor((1, seq, 3, 8), dtype="float16") = R.reshape(qkv, R.shape([1, seq, 3, 8]))
            lv = R.call_dps_packed("vm.builtin.attention_kv_cache_attention_with_fused_qkv",
                (cache, R.prim_value(0), R.prim_value(T.float32(1)), heads),
                out_sinfo=R.Tensor((1, seq, 1, 8), dtype="float16"))
            later: R.Object = R.call_inplace_packed("vm.builtin.attention_kv_cache_append", cache, lv,
                inplace_indices=[0], sinfo_args=(R.Object,))
            out: R.Tensor((1, seq, 8), dtype="float32") = R.astype(R.reshape(lv, R.shape([1, seq, 8])), "float32")
            gv: R.Tuple(R.Tensor((1, seq, 8), dtype="float32"), R.Object) = out, later
            R.output(gv)
        return gv
"""


def test_a_model_with_a_cache_of_keys_and_values():
    found = str(loads(CACHE))
    assert "tir_var_upper_bound = {seq = 2048 : i64}" in found and "num_input = 2" in found
    # an object is changed itself: what the function gives stands for it
    assert 'relax.call_pure_packed "vm.builtin.attention_kv_cache_append"' in found


CLOSURES = """
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        given = R.make_closure(M.minus, (y,))
        z = R.invoke_pure_closure(given, (x,), ty_args=(R.Tensor((n,), dtype="float32"),))
        o: R.Object = M.maker(z)
        w = R.invoke_pure_closure(o, (y,), sinfo_args=(R.Tensor((n,), dtype="float32"),))
        return w
    @R.function(private=True)
    def minus(a: R.Tensor(("n",), "float32"), b: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        return R.subtract(a, b)
    @R.function(private=True)
    def maker(a: R.Tensor(("m",), "float32")) -> R.Object:
        f = R.make_closure(M.minus, (a,))
        return f
"""


def test_closures_are_given_the_last_arguments_as_in_tvm_both_ways():
    x, y = np.array([5, 6], "float32"), np.array([1, 3], "float32")
    module = loads(CLOSURES)
    np.testing.assert_array_equal(interpret.run(module, "main", x, y), y - (x - y))
    first = parse(
        "relax.func @main(%x: !relax.tensor<[2], f32>, %y: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> {\n"
        "  %f = relax.make_closure @minus(%x) : (!relax.tensor<[2], f32>) -> "
        "!relax.func<(!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>>\n"
        "  %z = relax.call_closure %f, %y : (!relax.func<(!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>>, "
        "!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>\n"
        "  relax.return %z : !relax.tensor<[2], f32>\n}\n"
        "relax.func private @minus(%a: !relax.tensor<[2], f32>, %b: !relax.tensor<[2], f32>) -> "
        "!relax.tensor<[2], f32> {\n  %d = relax.subtract %a, %b : (!relax.tensor<[2], f32>, "
        "!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>\n  relax.return %d : !relax.tensor<[2], f32>\n}"
    )
    for way in (first, loads(dump(first))):
        np.testing.assert_array_equal(interpret.run(way, "main", x, y), x - y)


RECURSION = """
@R.function
def main(x: R.Tensor(("n", 3), "float32"), turns: R.Tensor((), "int32")) -> R.Tensor(("n", 3), "float32"):
    n = T.int64()
    one = R.const(1, "int32")
    @R.function
    def loop(i: R.Tensor((), "int32"), s: R.Tensor((n, 3), "float32")) -> R.Tensor((n, 3), "float32"):
        go: R.Tensor((), "bool") = R.less(i, turns)
        if go:
            new_s: R.Tensor((n, 3), "float32") = R.add(s, x)
            r: R.Tensor((n, 3), "float32") = loop(R.add(i, one), new_s)
        else:
            r: R.Tensor((n, 3), "float32") = s
        return r
    gv: R.Tensor((n, 3), "float32") = loop(R.const(0), x)
    return gv
"""


def test_a_local_function_that_calls_itself_is_one_of_the_module():
    module = loads(RECURSION)
    x = np.ones((2, 3), "float32")
    assert "relax.func private @loop(" in str(module)
    found = interpret.run(module, "main", x, np.array(4, "int32"))
    np.testing.assert_array_equal(found, 5 * x)


SMALL = {
    "with R.dataflow():\n        y = R.add(x, x)\n        return y": "relax.output %y",
    'y = R.print(x, format="{}")\n    return y': ": tuple<>",
    'R.assert_op(R.const(True), "x: {}", x)\n    return x': 'relax.assert_op %c, %x {format = "x: {}"}',
    "return R.add(x, x, ty=R.Tensor((4,)))": "relax.add %x, %x",
    "return R.zeros((T.shift_left(T.cast(4, 'int64'), 1), T.int64(9) >> 1), 'int8')": "[8, 4]",
    "y = x + x\n    return y * y - y / x": "%gv = relax.multiply %y, %y",
    "y = x % x\n    return y": "relax.mod %x, %x",
    "y = R.const([1, 2])\n    return y": "dense<[1, 2]> : tensor<2xi32>",
    "y = R.const([[True]])\n    return y": "dense<true> : tensor<1x1xi1>",
    'y = R.const(-float("inf"))\n    return y': '"0x000080FF"',
    "return R.memory.view(x, R.tuple(), R.dtype('int8'), 0)": "relax.view %x {dtype = i8",
    "return R.grad.take_backward(x, x, R.const([1, 1, 0, 0]), axis=0, mode='')": "relax.take_backward %x, %x",
    "q = R.zeros((1, 4, 2, 8), 'float32')\n    s = R.const([0, 4])\n    m = R.const(4)\n"
    "    return R.nn.attention_var_len(q, q, q, s, s, m, m)": "%q, %q, %q, %s, %m, %s, %m",
    "y = R.ShapeExpr((4,))\n    return y": "relax.shape [4]",
}


@pytest.mark.parametrize("body", SMALL)
def test_forms_that_are_written_by_hand(body):
    text = f"@R.function(pure=False)\ndef main(x: R.Tensor((4,)), f: R.PackedFunc):\n    {body}\n"
    assert SMALL[body] in str(loads(text))


CALLED = """
@I.ir_module
class M:
    @T.prim_func(private=True)
    def shift(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32"), k: T.int64):
        for i in range(4):
            b[i] = a[(i + k) % 4] * T.float32(-0.1)
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.call_tir(M.shift, (x,), out_sinfo=R.Tensor((4,), "float32"), tir_vars=R.shape([3]))
        z = R.einsum((y, y), "i,i->i")
        return M.given(z, M.double)
    @R.function
    def double(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return R.add(x, x)
    @R.function
    def given(
        x: R.Tensor((4,), "float32"), f: R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32"))
    ) -> R.Tensor((4,), "float32"):
        y = f(x)
        return y
"""


def test_what_calls_give_is_written_as_tvm_takes_it_now():
    """Numbers stand before results, functions are values by their names, einsum's element type is inferred."""
    x = np.arange(4, dtype="float32")
    module = loads("\ufeff" + CALLED)  # as editors on Windows begin a file
    text = dump(module)
    assert 'shift(a: T.Buffer((T.int64(4),), "float32"), k: T.int64, b: T.Buffer' in text
    assert "gv = cls.given(z, cls.double)" in text
    assert "T.float32(-0.1)" in text  # as it was, not as 32 bits round it
    for each in (module, loads(text)):
        found = interpret.run(each, "main", x)
        np.testing.assert_allclose(found, 2 * np.float32([0.3, 0, 0.1, 0.2]) ** 2, 1e-6)


def test_a_number_behind_the_tensors_it_is_a_size_of_is_refused_as_tvm_does():
    module = loads(
        '@R.function\ndef main(x: R.Tensor(("n",)), n: T.int64):\n    return R.shape([n])\n'
    )
    with pytest.raises(
        RelaxError, match="@main: expected the parameter n before those whose sizes"
    ):
        dump(module)


CHOSEN = {
    "T.if_then_else(n > 3, n, 7)": lambda n: n if n > 3 else 7,
    "T.if_then_else(n >= 3, n * 2, 7)": lambda n: n * 2 if n >= 3 else 7,
    "T.Select(n < 3, 9, n + 1)": lambda n: 9 if n < 3 else n + 1,
    "T.if_then_else(n <= 3, n, T.if_then_else(n == 5, 1, 2))": lambda n: n if n <= 3 else 2 - (n == 5),
    "T.Select(n != 3, n, 4) + x.shape[0] * x.ndim": lambda n: (n if n != 3 else 4) + n * 2,
}  # fmt: skip


@pytest.mark.parametrize("size", CHOSEN)
def test_sizes_that_a_condition_chooses_and_those_of_a_value(size):
    module = loads(
        '@R.function\ndef main(x: R.Tensor(("n", 4), "int8")):\n    n = T.int64()\n'
        f"    return R.zeros(({size},), x.dtype)\n"
    )
    for n in range(1, 7):
        found = interpret.run(module, "main", np.zeros((n, 4), "int8"))
        assert found.shape == (CHOSEN[size](n),) and found.dtype == np.int8


ELSEWHERE = {
    'R.vm.call_tir_dyn("f", (x,))': "read the module as it was before TVM planned memory",
    'R.builtin.alloc_tensor(R.shape([4]), "int8")': "expected a value, found memory that no call of a prim func",
    "R.dist.redistribute(x)": "read the module as it was before it was distributed",
    "R.emit_te(topi.add, x, x)": "read what mod.script.. of TVM prints",
    'R.match_cast(x, R.DTensor((4,), "float32"))': "write R.Tensor: programs here run on one device",
    "x.y": "expected a function of the module, found '.y'",
    "R.zeros((4,), g.dtype)": "expected a tensor whose dtype is known, found a value of type !relax.obj",
}


@pytest.mark.parametrize("call", ELSEWHERE)
def test_what_has_no_counterpart_says_what_is_read_instead(call):
    text = f"@R.function\ndef main(x: R.Tensor((4,)), g: R.Callable()):\n    return {call}\n"
    with pytest.raises(RelaxError, match=ELSEWHERE[call]):
        loads(text)


def test_a_function_of_unknown_type_is_called_with_the_type_of_its_result():
    found = str(
        loads(
            '@R.function(pure=False)\ndef main(g: R.Callable(derive_func="tvm.f"), x: R.Tensor((4,))):\n'
            "    y = g(x, ty_args=[R.Tensor((3,))])\n    return y\n"
        )
    )
    assert "relax.match_cast %g" in found and "relax.call_closure" in found


PLANNED = """
@I.ir_module
class M:
    @T.prim_func
    def f(a: T.Buffer((n,), "float32"), b: T.Buffer((n,), "float32"), c: T.Buffer((n,), "float32")):
        n = T.int64()
        for i in range(n):
            with T.sblock("b"):
                v = T.axis.spatial(n, i)
                b[v] = a[v] + T.float32(1)
        for i in range(n):
            with T.sblock("c"):
                v = T.axis.spatial(n, i)
                c[v] = a[v] * T.float32(2)
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor(("n",), "float32")):
        n = T.int64()
        R.func_attr({"relax.force_pure": True})
        cls = M
        storage: R.Object = R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        one: R.Tensor((n,), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        two = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        cls.f(x, one, two)
        y: R.Tensor((n,), dtype="float32") = one
        three: R.Tensor((n,), dtype="float32") = R.vm.alloc_tensor(storage, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        four = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _: R.Tuple = cls.f(y, three, four)
        R.memory.kill_tensor(one)
        R.memory.kill_storage(storage)
        return (four, two)
"""


def test_memory_that_tvm_has_planned_is_what_calls_give():
    module = loads(PLANNED)
    assert "%one, %two = relax.call_tir @f(%x)" in str(module)
    found = interpret.run(loads(dump(module)), "main", np.arange(3, dtype="float32"))
    np.testing.assert_array_equal(found, [[2, 4, 6], [0, 2, 4]])
    wrong = PLANNED.replace("cls.f(x, one, two)", "cls.f(one, x, two)")
    with pytest.raises(
        RelaxError, match="23:20: error: expected the memory of a tensor for each result"
    ):
        loads(wrong)


OF_2022 = """
from tvm.script import relax as R

@R.func
def relax_func(x: R.Tensor[(n, k), "f32"], w: R.Tensor[(k, m), "f32"]):
    with R.dataflow():
        lv0: R.Tensor[(n, m), "f32"] = R.dot(x, w)
        gv0: R.Tensor[(n * m,), "f32"] = R.flatten(lv0)
        R.outputs(gv0)
    gv1 = R.call_packed("of_2022", gv0)
    return gv1
"""


def test_the_first_proposal_of_relax():
    """Its program as it stands there: sizes need no definition."""
    module = loads(OF_2022)
    interpret.register_packed("of_2022", lambda x: x + 1)
    x, w = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    assert np.array_equal(interpret.run(module, "relax_func", x, w), (x @ w).ravel() + 1)


@pytest.mark.parametrize(
    ("old", "type"),
    [
        ('[(n, 1), "f32"]', "<[n, 1], f32>"),
        ('[(n, "m"), "f32"]', "<[n, m], f32>"),
        ("[n, m]", "<[n, m]>"),
        ('[(), "f32"]', "<[], f32>"),
        ('["f32"]', "<*, f32>"),
    ],
)
def test_tensor_types_of_2022(old: str, type: str):
    text = f"from tvm.script import relax as R\n@R.func\ndef f(x: R.Tensor{old}):\n    return x\n"
    assert f"%x: !relax.tensor{type}" in str(loads(text))


@pytest.mark.parametrize("old", ["[1:2]", '[(f(n),), "f32"]', '[(n,), "f99"]', '[(1.5,), "f32"]'])
def test_no_types_of_2022(old: str):
    with pytest.raises(RelaxError, match="expected"):
        loads(
            f"from tvm.script import relax as R\n@R.func\ndef f(x: R.Tensor{old}):\n    return x\n"
        )
