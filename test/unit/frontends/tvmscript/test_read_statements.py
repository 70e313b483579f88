"""Statements and expressions of TIR one by one: what each computes, read and written back, or why it is not read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from frontends.tvmscript.test_prim_funcs import back, prim_func, run
from relax_dialect.frontends.tvmscript import ScriptError, loads

HEAD = 'def f(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):\n'
EACH = "for i in range(16):\n "

MEANT: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "threads": ("for i in T.thread_binding(16, thread='threadIdx.x'):\n y[i] = x[i]", lambda x: x),
    "launched threads": (
        "b = T.launch_thread('blockIdx.x', 4)\nt = T.launch_thread('threadIdx.x', 4)\ny[b * 4 + t] = x[b]",
        lambda x: np.repeat(x[:4], 4),
    ),
    "with threads": (
        "with T.launch_thread('blockIdx.x', 16) as b:\n y[b] = x[b]\ny[3] = T.float32(2)",
        lambda x: np.where(np.arange(16) == 3, 2, x),
    ),
    "threads by a variable": (
        "b = T.env_thread('blockIdx.x')\nT.launch_thread(b, 16)\ny[b] = x[b]",
        lambda x: x,
    ),
    "threads that fill a buffer, then read it": (
        "c = T.alloc_buffer((16,), scope='shared')\nfor i in T.thread_binding(16, thread='threadIdx.x'):\n"
        " c[i] = x[i]\nfor i in T.thread_binding(16, thread='threadIdx.x'):\n y[i] = c[15 - i]",
        lambda x: x[::-1],
    ),
    "steps": (
        "for i in range(16):\n y[i] = 0.0\nfor i in range(1, 16, 3):\n y[i] = x[i]\n"
        "for i in T.serial(0, 5, step=2):\n y[i] = 5.0",
        lambda x: [5, x[1], 5, 0, 5, *(x[i] if i % 3 == 1 else 0 for i in range(5, 16))],
    ),
    "a variable that changes": (
        "s: T.float32 = T.float32(0)\nfor i in range(16):\n s = s + x[i]\n y[i] = s",
        np.cumsum,
    ),
    "a counter of while": (
        "k: T.int32 = 0\nwhile k < 16:\n y[k] = x[k] * T.float32(2)\n k += 1",
        lambda x: x * 2,
    ),
    "a variable in a branch": (
        f"{EACH}m = x[i]\n if m > T.float32(0):\n  m = m * T.float32(3)\n y[i] = m",
        lambda x: np.where(x > 0, x * 3, x),
    ),
    "an element kept before a store": (
        f"y[0] = x[0]\n{EACH}v: T.let[T.float32] = y[0]\n y[0] = v + 1.0\n y[i] = v",
        lambda x: [x[0] + 15, *(x[0] + np.arange(15))],
    ),
    "let": (f"v = T.float32()\n{EACH}y[i] = T.Let(v * v, where={{v: x[i]}})", np.square),
    "views": (
        "a = x.view(4, 4)\nb = y.view(2, 8)\nfor i, j in T.grid(4, 4):\n b[i // 2, i % 2 * 4 + j] = a[j, i]",
        lambda x: x.reshape(4, 4).T.ravel(),
    ),
    "buffers of the same data": (
        "a = T.decl_buffer((4, 4), data=x.data)\nb = T.decl_buffer((8,), data=y.data, elem_offset=8)\n"
        f"{EACH}y[i] = 1.0\nfor i in range(8):\n b[i] = a[i // 4, i % 4]",
        lambda x: [*np.ones(8), *x[:8]],
    ),
    "a buffer by two names": (
        "b = T.decl_buffer((4, 4), data=y.data)\nc = T.decl_buffer((2, 8), data=b.data)\n"
        f"{EACH}b[i // 4, i % 4] = x[i]\n y[i] = y[i] + c[i // 8, i % 8]",
        lambda x: x + x,
    ),
    "parts of buffers": (
        "for i, j in T.grid(4, 4):\n with T.sblock('b'):\n"
        "  a, b = T.axis.remap('SS', [i, j])\n  s = T.int32()\n"
        "  p = T.match_buffer(x[a * 4:a * 4 + 4], (4,), strides=(s,), offset_factor=1)\n"
        "  q = T.match_buffer(y[b * 4 + a], ())\n  q[()] = p[b]",
        lambda x: x.reshape(4, 4).T.ravel(),
    ),
    "vectors": (
        "for i in range(4):\n y[i * 4:i * 4 + 4] = x[T.Ramp(15 - i * 4, -1, 4)] * T.Broadcast(T.float32(2), 4)",
        lambda x: x[::-1] * 2,
    ),
    "vectors that overlap": (
        f"{EACH}y[i] = x[i]\ny[1:9] = T.Cast('float32x8', T.Cast('float64x8', y[T.Ramp(0, 1, 8)]))\n"
        "y[T.Ramp(9, 2, 3)] = T.Broadcast(T.float32(4), 3)",
        lambda x: [x[0], *x[:8], 4, x[10], 4, x[12], 4, *x[14:]],
    ),
    "a check": (f"assert x[0] < T.float32(100), 'small'\n{EACH}y[i] = x[i]", lambda x: x),
    "scratch in a loop": (
        f"{EACH}c = T.alloc_buffer((2,), scope='local')\n c[0] = x[i]\n c[1] = c[0] + 1.0\n y[i] = c[1]",
        lambda x: x + 1,
    ),
    "annotations": (
        "with T.attr(0, 'hint', 1):\n for i in T.unroll(16, annotations={'pragma': 1}):\n"
        "  with T.sblock('b'):\n   T.reads(x[i])\n   T.writes(y[i])\n   T.sblock_attr({'a': 1})\n"
        "   y[i] = x[i]\nT.evaluate(0)",
        lambda x: x,
    ),
    "other axes": (
        "for i in range(16):\n with T.sblock('b'):\n  a = T.axis.scan(16, i)\n"
        "  b = T.axis.opaque((0, 16), 15 - i)\n  y[a] = x[b]",
        lambda x: x[::-1],
    ),
    "a reduction that begins later": (
        f"{EACH}y[i] = 0.0\nfor i in range(2, 6):\n with T.sblock('b'):\n  v = T.axis.reduce((2, 6), i)\n"
        "  with T.init():\n   y[0] = T.float32(1)\n  y[0] = y[0] + x[v]",
        lambda x: [1 + x[2:6].sum(), *np.zeros(15)],
    ),
    "two results of a reduction": (
        "c = T.alloc_buffer((16,))\nfor i, k in T.grid(16, 16):\n with T.sblock('b'):\n"
        "  vi, vk = T.axis.remap('SR', [i, k])\n"
        "  with T.init():\n   y[vi] = T.float32(0)\n   c[vi] = T.float32(1)\n"
        f"  y[vi] = y[vi] + x[vk]\n  c[vi] = c[vi] * x[vk]\n{EACH}y[i] = y[i] + c[i]",
        lambda x: np.full(16, x.sum() + x.prod()),
    ),
    "bits and divisions": (
        f"{EACH}k: T.let[T.int32] = T.Cast('int32', x[i] * T.float32(10))\n"
        " y[i] = T.Cast('float32', ((k & 6 | 1) ^ 3) + T.truncdiv(k, 3) * T.truncmod(k, 4) + k // 3 + k % 5)",
        lambda x: [
            ((k & 6 | 1) ^ 3) + int(k / 3) * int(np.fmod(k, 4)) + k // 3 + k % 5
            for k in (x * 10).astype("i4").tolist()
        ],
    ),
    "functions": (
        f"{EACH}y[i] = T.call_pure_extern('float32', 'tanhf', x[i]) + T.Select(x[i] > T.float32(0), "
        "T.sqrt(x[i]), T.fabs(x[i])) + T.ldexp(x[i], 2) + T.fma(x[i], x[i], x[i])",
        lambda x: np.tanh(x) + np.where(x > 0, abs(x) ** 0.5, abs(x)) + x * 5 + x * x,
    ),
    "bits of floats": (
        f"{EACH}y[i] = T.reinterpret('float32', T.reinterpret('int32', x[i]) + 1)",
        lambda x: (x.view("i4") + 1).view("f4"),
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", MEANT)
def test_statements_mean_what_they_mean_in_tvm(name: str):
    body, meaning = MEANT[name]
    function = prim_func(HEAD + "".join(f"    {line}\n" for line in body.splitlines()))
    x = np.random.default_rng(0).standard_normal(16, np.float32)
    for each in (function, back(function)):
        np.testing.assert_allclose(run(each, x), np.float32(meaning(x)), 1e-5, 1e-6)


REFUSED = {
    "break": ("6:4", "break: a way out of a loop; guard what follows by `if`"),
    "T.continue_loop()": ("6:4", "T.continue_loop(): a way out of a loop"),
    "return": ("6:4", "return: prim funcs write to parameters"),
    "T.evaluate(T.tvm_storage_sync('shared'))": ("6:4", "threads that run together; read the function"),
    "T.evaluate(T.call_packed('f', 1))": ("6:4", "a function that is not of this module"),
    "T.evaluate(T.call_extern('int32', 'f', x.data))": ("6:4", "a function that is not of this module"),
    "y[i] = T.call_pure_extern('float32', 'f', x[i])": ("6:11", "unknown function in T.call_pure_extern"),
    "y[i] = T.ldexp(x[i])": ("6:11", "unknown function in T.ldexp(x[i])"),
    "y[x[0]] = x[i]": ("6:6", "expected an integer, found a value of type float: x[0]"),
    f"y[0] = T.float32(1{400 * '0'})": ("6:11", "expected a number that a float holds"),
    "v = T.axis.remap('Q', [i])": ("6:4", "expected axes of kinds S and R, found 'Q'"),
    "with T.sblock('b'):\n    T.where()": ("7:5", "expected one condition, found T.where()"),
    "y[i] = " + " * ".join(["0xffffffffffffffff"] * 80): ("6:11", "expected numbers of at most 4096 bits"),
    "y[i] = x[i // 0]": ("6:13", "expected a divisor other than 0, found 0"),
    "y[16] = x[i]": ("6:4", "expected an index from 0 to 16 - 1, found 16"),
    "y[i] = x[-1]": ("6:11", "expected an index from 0 to 16 - 1, found -1"),
    "y[i] = x.view(4, 5)[0, 0]": ("6:11", "expected a buffer, found x.view(4, 5)"),
    "a = x.view(4, 5)": ("6:8", "expected a view of all elements of [16], found x.view(4, 5)"),
    "a = T.decl_buffer((4,), 'int32', data=x.data)": ("6:8", "a view of elements of type f32 as another type"),
    "a = T.decl_buffer((4,), data=x.data, strides=(6,))": ("6:8", "expected a view within [16], found one up to element 18"),
    "a = T.decl_buffer((4,), data=z.data)": ("6:33", "expected a buffer, found z"),
    "a = T.match_buffer(x[0:8:2], (4,))": ("6:25", "expected a range begin:end, found 0:8:2"),
    "y[i:i + i] = x[0]": ("6:6", "expected a known number of lanes, as in x[i:i + 4], found i:i + i"),
    "for j in range(0, 4, i): y[j] = x[j]": ("6:25", "expected a step above 0, found i"),
    "c = T.alloc_shared((16,))\n   t = T.launch_thread('threadIdx.x', 16)\n   c[t] = x[t]\n   y[t] = c[15 - t]": (
        "8:4", "threads that fill c together",
    ),
    "assert x[0], 'a'": ("6:11", "expected a value of type i1, found one of type f32"),
    "y[i] = T.Let(v, where=x)": ("6:11", "expected T.Let(body, where={x: value})"),
}  # fmt: skip


@pytest.mark.parametrize("statement", REFUSED)
def test_what_is_not_read_is_told_with_its_place(statement: str):
    place, reason = REFUSED[statement]
    lines = ["@I.ir_module", "class Module:", " @T.prim_func", f" {HEAD.strip()}"]
    with pytest.raises(ScriptError) as error:
        loads(
            "\n".join(
                [*lines, "  for i in range(1):", *f"   {statement}".splitlines(), "  y[0] = x[0]"]
            )
        )
    assert f":{place}: error: " in str(error.value)
    assert reason in str(error.value)
