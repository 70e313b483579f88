"""A program that calls compiled functions from C in every way, and what numpy says of each call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import lowering
from lowering.emit_c import CSource
from lowering.support.target import NATIVE
from relax_dialect.parsing import parse

SIDECAR_THRESHOLD = 256

WEIGHTS = np.random.default_rng(0).standard_normal((16, 10)).astype(np.float32)
BIAS = np.arange(10, dtype=np.float32)

PROGRAM = f"""
#w = dense<"0x{WEIGHTS.tobytes().hex().upper()}"> : tensor<16x10xf32>
#b = dense<"0x{BIAS.tobytes().hex().upper()}"> : tensor<10xf32>

relax.func @mlp(%x: !relax.tensor<[n, 16], f32>) -> !relax.tensor<[n, 10], f32> {{
  %w = relax.constant #w
  %b = relax.constant #b
  %y = relax.dataflow {{
    %0 = relax.matmul %x, %w : (!relax.tensor<[n, 16], f32>, !relax.tensor<[16, 10], f32>) -> !relax.tensor<[n, 10], f32>
    %1 = relax.add %0, %b : (!relax.tensor<[n, 10], f32>, !relax.tensor<[10], f32>) -> !relax.tensor<[n, 10], f32>
    %2 = relax.relu %1 : (!relax.tensor<[n, 10], f32>) -> !relax.tensor<[n, 10], f32>
    %3 = relax.softmax %2 {{axis = -1 : i64}} : (!relax.tensor<[n, 10], f32>) -> !relax.tensor<[n, 10], f32>
    relax.output %3 : !relax.tensor<[n, 10], f32>
  }}
  relax.return %y : !relax.tensor<[n, 10], f32>
}}
relax.func @product(%x: !relax.tensor<[n, 21], f32>, %w: !relax.tensor<[21, 40], f32>) -> !relax.tensor<[n, 40], f32> {{
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 21], f32>, !relax.tensor<[21, 40], f32>) -> !relax.tensor<[n, 40], f32>
  %z = relax.relu %y : (!relax.tensor<[n, 40], f32>) -> !relax.tensor<[n, 40], f32>
  relax.return %z : !relax.tensor<[n, 40], f32>
}}
relax.func @softmax(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32> {{
  %y = relax.softmax %x {{axis = 0 : i64}} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %y : !relax.tensor<[n, m], f32>
}}
relax.func @broadcast(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[4], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[4], f32>> {{
  %0 = relax.negative %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %1 = relax.add %0, %y : (!relax.tensor<[n], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  %2 = relax.tuple %0, %1 : (!relax.tensor<[n], f32>, !relax.tensor<[4], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[4], f32>>
  relax.return %2 : tuple<!relax.tensor<[n], f32>, !relax.tensor<[4], f32>>
}}
relax.func @reshape(%x: !relax.tensor<[n, 6], f32>, %s: !relax.shape<[k]>) -> !relax.tensor<[k, 4], f32> {{
  %0 = relax.negative %x : (!relax.tensor<[n, 6], f32>) -> !relax.tensor<[n, 6], f32>
  %1 = relax.sum %0 {{axis = array<i64: 1>}} : (!relax.tensor<[n, 6], f32>) -> !relax.tensor<[n], f32>
  %t = relax.shape [k, 4]
  %2 = relax.reshape %0, %t : (!relax.tensor<[n, 6], f32>, !relax.shape<[k, 4]>) -> !relax.tensor<[k, 4], f32>
  %3 = relax.sum %1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32>
  %4 = relax.add %2, %3 : (!relax.tensor<[k, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[k, 4], f32>
  relax.return %4 : !relax.tensor<[k, 4], f32>
}}
relax.func @cast(%x: !relax.tensor<[?, ?], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {{
  %0 = relax.negative %y : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %1 = relax.match_cast %x : !relax.tensor<[?, ?], f32> -> !relax.tensor<[m, n], f32>
  %2 = relax.add %1, %0 : (!relax.tensor<[m, n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[m, n], f32>
  %3 = relax.flatten %2 : (!relax.tensor<[m, n], f32>) -> !relax.tensor<[m * n], f32>
  %4 = relax.match_cast %3 : !relax.tensor<[m * n], f32> -> !relax.tensor<[2 * n], f32>
  %5 = relax.negative %4 : (!relax.tensor<[2 * n], f32>) -> !relax.tensor<[2 * n], f32>
  relax.return %5 : !relax.tensor<[2 * n], f32>
}}
relax.func private @square(%x: !relax.tensor<[a, a], f32>) -> tuple<!relax.tensor<[2, 2], f32>, !relax.tensor<[a, a], f32>> {{
  %0 = relax.negative %x : (!relax.tensor<[a, a], f32>) -> !relax.tensor<[a, a], f32>
  %1 = relax.match_cast %0 : !relax.tensor<[a, a], f32> -> !relax.tensor<[2, 2], f32>
  %y = relax.exp %1 : (!relax.tensor<[2, 2], f32>) -> !relax.tensor<[2, 2], f32>
  %2 = relax.tuple %y, %x : (!relax.tensor<[2, 2], f32>, !relax.tensor<[a, a], f32>) -> tuple<!relax.tensor<[2, 2], f32>, !relax.tensor<[a, a], f32>>
  relax.return %2 : tuple<!relax.tensor<[2, 2], f32>, !relax.tensor<[a, a], f32>>
}}
relax.func @calls(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[2, 2], f32> {{
  %0 = relax.exp %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
  %1 = relax.call @square(%0) : (!relax.tensor<[n, m], f32>) -> tuple<!relax.tensor<[2, 2], f32>, !relax.tensor<[n, n], f32>>
  %2 = relax.tuple_get_item %1 {{index = 0 : i64}} : (tuple<!relax.tensor<[2, 2], f32>, !relax.tensor<[n, n], f32>>) -> !relax.tensor<[2, 2], f32>
  relax.return %2 : !relax.tensor<[2, 2], f32>
}}
relax.func @tuples(%t: tuple<!relax.tensor<[n], f32>, tuple<!relax.tensor<[m], f32>>>) -> tuple<tuple<!relax.tensor<[m], f32>>, !relax.tensor<[n], f32>> {{
  %a = relax.tuple_get_item %t {{index = 0 : i64}} : (tuple<!relax.tensor<[n], f32>, tuple<!relax.tensor<[m], f32>>>) -> !relax.tensor<[n], f32>
  %b = relax.tuple_get_item %t {{index = 1 : i64}} : (tuple<!relax.tensor<[n], f32>, tuple<!relax.tensor<[m], f32>>>) -> tuple<!relax.tensor<[m], f32>>
  %c = relax.negative %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %d = relax.tuple %b, %c : (tuple<!relax.tensor<[m], f32>>, !relax.tensor<[n], f32>) -> tuple<tuple<!relax.tensor<[m], f32>>, !relax.tensor<[n], f32>>
  relax.return %d : tuple<tuple<!relax.tensor<[m], f32>>, !relax.tensor<[n], f32>>
}}
relax.func @parameter(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {{
  relax.return %x : !relax.tensor<[n], f32>
}}
relax.func @twice(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {{
  %y = relax.negative %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %t = relax.tuple %y, %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}}
relax.func @loop(%x: !relax.tensor<[n], f32>, %end: !relax.shape<[k]>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>> {{
  %start = relax.shape [0]
  %own = relax.negative %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %s, %a, %b, %c = relax.while (%s = %start, %a = %x, %b = %own, %c = %own) : (!relax.shape<[0]>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> (!relax.shape<[?]>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>) {{
    %t = relax.match_cast %s : !relax.shape<[?]> -> !relax.shape<[i]>
    %i = relax.shape_to_tensor %t : (!relax.shape<[i]>) -> !relax.tensor<[1], i64>
    %k = relax.shape_to_tensor %end : (!relax.shape<[k]>) -> !relax.tensor<[1], i64>
    %less = relax.less %i, %k : (!relax.tensor<[1], i64>, !relax.tensor<[1], i64>) -> !relax.tensor<[1], i1>
    %more = relax.squeeze %less : (!relax.tensor<[1], i1>) -> !relax.tensor<[], i1>
    relax.yield %more : !relax.tensor<[], i1>
  }} do {{
    %t = relax.match_cast %s : !relax.shape<[?]> -> !relax.shape<[i]>
    %next = relax.shape [i + 1]
    %m = relax.match_cast %c : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    %long = relax.concat %m, %own {{axis = 0 : i64}} : (!relax.tensor<[m], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[m + n], f32>
    %room = relax.match_cast %long : !relax.tensor<[m + n], f32> -> !relax.tensor<[2 * n + n * i], f32>
    relax.yield %next, %b, %a, %room : !relax.shape<[i + 1]>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[2 * n + n * i], f32>
  }}
  %t = relax.tuple %a, %b, %c : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>>
}}
relax.func @recursive(%x: !relax.tensor<[n], f32>, %s: !relax.shape<[k]>) -> !relax.tensor<[n], f32> {{
  %zero = relax.shape_to_tensor %s : (!relax.shape<[k]>) -> !relax.tensor<[1], i64>
  %c = relax.astype %zero {{dtype = i1}} : (!relax.tensor<[1], i64>) -> !relax.tensor<[1], i1>
  %more = relax.squeeze %c : (!relax.tensor<[1], i1>) -> !relax.tensor<[], i1>
  %r = relax.if %more : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {{
    %t = relax.shape [k - 1]
    %y = relax.call @recursive(%x, %t) : (!relax.tensor<[n], f32>, !relax.shape<[k - 1]>) -> !relax.tensor<[n], f32>
    %z = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %z : !relax.tensor<[n], f32>
  }} else {{
    relax.yield %x : !relax.tensor<[n], f32>
  }}
  relax.return %r : !relax.tensor<[n], f32>
}}
relax.func @constants() -> tuple<!relax.tensor<[10], f32>, !relax.tensor<[16, 10], f32>, !relax.tensor<[10], f32>> {{
  %b = relax.constant #b
  %w = relax.constant #w
  %t = relax.tuple %b, %w, %b : (!relax.tensor<[10], f32>, !relax.tensor<[16, 10], f32>, !relax.tensor<[10], f32>) -> tuple<!relax.tensor<[10], f32>, !relax.tensor<[16, 10], f32>, !relax.tensor<[10], f32>>
  relax.return %t : tuple<!relax.tensor<[10], f32>, !relax.tensor<[16, 10], f32>, !relax.tensor<[10], f32>>
}}
"""


@dataclass(frozen=True)
class Call:
    """A call of an entry point with arrays and numbers; the arrays it must give, or a message."""

    function: str
    arguments: Sequence[Any]
    expected: Sequence[np.ndarray] | str


def array(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def mlp(x: np.ndarray) -> np.ndarray:
    y = np.exp(np.maximum(x @ WEIGHTS + BIAS, 0).astype(np.float64))
    return y / y.sum(axis=1, keepdims=True)


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x.astype(np.float64))
    return powers / powers.sum(axis=0)


def calls() -> Iterator[Call]:
    for n in (0, 1, 7):
        yield Call("mlp", [array(n, 16)], [mlp(array(n, 16))])
        yield Call("softmax", [array(n, 5)], [softmax(array(n, 5))])
        yield Call("parameter", [array(n)], [array(n)])
        yield Call("twice", [array(n)], [-array(n), array(n), -array(n)])
        yield Call("tuples", [array(n), array(3)], [array(3), -array(n)])
    x, w = array(19, 21), array(21, 40)
    yield Call("product", [x, w], [np.maximum(x @ w, 0)])
    yield Call(
        "mlp", [array(3, 15)], "@mlp: argument 'x': expected size 16 in dimension 1, found 15"
    )
    yield Call("mlp", [array(16)], "expected 2 dimensions, [n, 16], found 1, [16]")
    yield Call("softmax", [array(3, 0)], [array(3, 0)])
    for n in (1, 4):
        yield Call("broadcast", [array(n), array(4)], [-array(n), array(4) - array(n)])
    for n in (0, 2, 5):
        found = f"one of them 1, found {min(n, 4)} and {max(n, 4)}"
        yield Call("broadcast", [array(n), array(4)], found)
    x = array(2, 6)
    yield Call("reshape", [x, 3], [-x.reshape(3, 4) - x.sum()])
    yield Call("reshape", [array(0, 6), 0], [array(0, 4)])
    for k in (0, 2, 4):
        yield Call(
            "reshape", [x, k], f"of as many elements as [2, 6] (12), found [{k}, 4] ({4 * k})"
        )
    yield Call("reshape", [x, 2**61], "expected a size of 0 to 281474976710656, found")
    yield Call("reshape", [x, -3], "expected a size of 0 to 281474976710656, found -3")
    yield Call("cast", [array(2, 3), array(3)], [-(array(2, 3) - array(3)).ravel()])
    yield Call("cast", [array(2, 4), array(3)], "expected size n = 3 in dimension 1, found 4")
    yield Call("cast", [array(3, 3), array(3)], "expected size 2 * n = 6 in dimension 0, found 9")
    yield Call("cast", [array(3, 0), array(0)], [array(0)])
    yield Call("calls", [array(2, 2)], [np.exp(-np.exp(array(2, 2)))])
    yield Call("calls", [array(2, 3)], "expected size a = 2 in dimension 1, found 3")
    yield Call("calls", [array(3, 3)], "expected size 2 in dimension 0, found 3")
    for k in (0, 1, 4):
        ends = (-array(3), array(3)) if k % 2 else (array(3), -array(3))
        yield Call("loop", [array(3), k], [*ends, np.tile(-array(3), k + 1)])
        yield Call("recursive", [array(3), k], [(k + 1) * array(3)])
    yield Call("recursive", [array(3), 5000], "@recursive: expected recursive calls nested at most")
    yield Call("constants", [], [BIAS, WEIGHTS, BIAS])


CALLS = list(calls())

HEAD = r"""
#include "model.h"
#include <stdio.h>

static DLTensor tensor(float *data, int ndim, int64_t *shape)
{
    DLTensor t = {.data = data, .device = {kDLCPU, 0}, .ndim = ndim, .shape = shape};
    t.dtype.code = kDLFloat;
    t.dtype.bits = 32;
    t.dtype.lanes = 1;
    return t;
}

static void show(DLTensor *t, int status)
{
    if (status == 0) {
        int64_t count = 1;
        for (int i = 0; i < t->ndim; i++) {
            printf("%s%lld", i == 0 ? "" : "x", (long long)t->shape[i]);
            count *= t->shape[i];
        }
        printf(":");
        for (int64_t i = 0; i < count; i++)
            printf(" %.9g", ((float *)t->data)[i]);
        printf(";");
        model_release(t);
    } else if (t->data != NULL || t->shape != NULL) {
        printf("a result in spite of the error;");
    }
}

int main(void)
{
    {
        DLTensor out = {0};
        printf("%s\n", model_constants(&out, &out, &out) == 0 ? "no error" : model_last_error());
        printf("%s\n", model_load("missing") == 0 ? "no error" : model_last_error());
        if (model_load("model.weights") != 0)
            return 1;
    }
"""


def statements(call: Call, results: int) -> Iterator[str]:
    """The C that makes a call and prints a line about it."""
    passed: list[str] = []
    for i, value in enumerate(call.arguments):
        if isinstance(value, np.ndarray):
            data = ", ".join(f"{v:.9g}" for v in value.ravel().tolist()) or "0"
            yield f"float d{i}[] = {{{data}}};"
            yield f"int64_t s{i}[] = {{{', '.join(map(str, value.shape))}}};"
            yield f"DLTensor a{i} = tensor(d{i}, {value.ndim}, s{i});"
            passed.append(f"&a{i}")
        else:
            passed.append(str(value))
    for i in range(results):
        yield f"DLTensor o{i} = {{0}};"
        passed.append(f"&o{i}")
    yield f"int status = model_{call.function}({', '.join(passed)});"
    yield 'printf("%s", status == 0 ? "" : model_last_error());'
    yield from (f"show(&o{i}, status);" for i in range(results))
    yield r'printf("\n");'


def driver(source: CSource) -> str:
    results = {entry.name: len(entry.results) for entry in source.entries}
    blocks = ["\n".join(statements(c, results[c.function])) for c in CALLS]
    body = "\n}\n{\n".join(blocks)
    return f"{HEAD}{{\n{body}\n}}\nmodel_unload();\nreturn 0;\n}}\n"


def parsed(line: str) -> list[np.ndarray]:
    """The arrays that `show` printed."""
    arrays = []
    for text in line.rstrip(";").split(";"):
        shape, numbers = text.split(":")
        values = np.array(numbers.split(), dtype=np.float64)
        arrays.append(values.reshape([int(size) for size in shape.split("x")]))
    return arrays


def program(cpu: str = NATIVE) -> CSource:
    """The program as C, with a file of weights."""
    source = lowering.to_c(parse(PROGRAM), sidecar_threshold=SIDECAR_THRESHOLD, cpu=cpu)
    assert source.weights is not None
    return source


def check(printed: str) -> None:
    """The driver must print numpy's results."""
    lines = printed.splitlines()
    assert "the weights are not loaded" in lines[0]
    assert "missing" in lines[1]
    for call, line in zip(CALLS, lines[2:], strict=True):
        if isinstance(call.expected, str):
            assert call.expected in line and not line.endswith(";"), call
        else:
            for found, expected in zip(parsed(line), call.expected, strict=True):
                assert found.shape == expected.shape, call
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
