"""Prim funcs as TVM's schedules leave them: read by us, interpreted and compiled, and compared with TVM's values.

    python test/unit/support/tvm_schedules.py [--count N] [--seed S]

Loops of a few workloads are split, reordered, fused, bound, vectorised and moved at random, blocks are inlined,
cached, decomposed, factored and brought into other layouts. What TVM builds of the workload itself gives the values.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import tvm  # pyright: ignore[reportMissingImports]
from isolated import each
from tvm import s_tir, te, topi  # pyright: ignore[reportMissingImports]
from tvm.s_tir import dlight  # pyright: ignore[reportMissingImports]
from tvm_target import unoptimised

import lowering
from relax_dialect import interpret
from relax_dialect.frontends import tvmscript

Arrays = list[np.ndarray[Any, Any]]
AGREE = "agree"
_THREADS = re.compile(r"T\.thread_binding\((.*), thread=\"[\w.]+\"\)")


def product() -> list[Any]:
    n = tvm.tirx.Var("n", "int64")
    a, b = te.placeholder((n, 19), name="a"), te.placeholder((19, 10), name="b")
    return [a, b, topi.nn.relu(topi.matmul(a, b) + 1.0)]


def static_product() -> list[Any]:
    a, b = te.placeholder((2, 9, 11), "int32", "a"), te.placeholder((2, 13, 11), "int32", "b")
    return [a, b, topi.nn.batch_matmul(a, b)]


def convolution() -> list[Any]:
    x, w = te.placeholder((1, 3, 9, 9), name="x"), te.placeholder((4, 3, 3, 3), name="w")
    return [x, w, topi.tanh(topi.nn.conv2d(x, w, 2, 1, 1))]


def softmax() -> list[Any]:
    x = te.placeholder((5, 14), "float64", "x")
    return [x, topi.nn.softmax(x)]


def norm() -> list[Any]:
    x = te.placeholder((4, 15), name="x")
    scale, shift = te.placeholder((15,), name="scale"), te.placeholder((15,), name="shift")
    return [x, scale, shift, topi.nn.layer_norm(x, scale, shift, [1])]


def most() -> list[Any]:
    x = te.placeholder((6, 17), name="x")
    return [x, topi.argmax(x, 1)]


def pooled() -> list[Any]:
    x = te.placeholder((1, 2, 8, 7), "float32", "x")
    return [x, topi.nn.pool2d(x, (3, 2), (2, 1), (1, 1), (1, 0, 1, 0), "max")]


WORKLOADS = (product, static_product, convolution, softmax, norm, most, pooled)


@cache
def workload(number: int) -> tuple[Any, Arrays, Arrays]:
    """A prim func of TVM, arguments, and the results that TVM builds and gives."""
    tensors = WORKLOADS[number]()
    *inputs, out = tensors
    function = te.create_prim_func(tensors)
    drawn = np.random.default_rng(number)
    shape = lambda t: [int(d) if isinstance(d, tvm.tirx.IntImm) else 7 for d in t.shape]  # noqa: E731
    arrays = [np.asarray(drawn.standard_normal(shape(t)) * 4).astype(str(t.dtype)) for t in inputs]
    module = tvm.IRModule({"main": function.with_attr("global_symbol", "main")})
    return function, arrays, [built(module, arrays, [np.zeros(shape(out), str(out.dtype))])]


def scheduled(rng: random.Random, number: int, steps: int = 12) -> str:
    """The script of a workload after some primitives at random."""
    schedule = s_tir.Schedule(tvm.IRModule({"main": workload(number)[0]}))
    for _ in range(steps):
        primitive = rng.choice(PRIMITIVES)
        kept = schedule.copy()
        try:
            blocks = schedule.get_child_blocks(schedule.get_sblock("root"))
            primitive(rng, schedule, rng.choice(blocks))
            made, given = (list(m["main"].buffer_map.values()) for m in (schedule.mod, kept.mod))
            if [list(b.shape) for b in made] != [list(b.shape) for b in given]:
                schedule = kept  # a result in another layout
        except Exception:  # TVM's own, of many kinds: this step cannot be taken here
            schedule = kept
    return schedule.mod.script()


def split(rng: random.Random, s: Any, block: Any) -> None:
    s.split(rng.choice(s.get_loops(block)), [None, rng.choice((2, 3, 4, 5))])


def reorder(rng: random.Random, s: Any, block: Any) -> None:
    loops = list(s.get_loops(block))
    s.reorder(*rng.sample(loops, len(loops)))


def fuse(rng: random.Random, s: Any, block: Any) -> None:
    loops = s.get_loops(block)
    first = rng.randrange(len(loops) - 1)
    s.fuse(loops[first], loops[first + 1])


def mark(rng: random.Random, s: Any, block: Any) -> None:
    loop = rng.choice(s.get_loops(block))
    how = rng.choice((s.vectorize, s.unroll, s.parallel, "threadIdx.x", "blockIdx.x", "vthread.x"))
    s.bind(loop, how) if isinstance(how, str) else how(loop)


def move(rng: random.Random, s: Any, block: Any) -> None:
    other = rng.choice(s.get_child_blocks(s.get_sblock("root")))
    rng.choice((s.compute_at, s.reverse_compute_at))(block, rng.choice(s.get_loops(other)))


def inline(rng: random.Random, s: Any, block: Any) -> None:
    rng.choice((s.compute_inline, s.reverse_compute_inline))(block)


def keep(rng: random.Random, s: Any, block: Any) -> None:
    scope = rng.choice(("global", "local", "shared"))
    made = rng.choice((s.cache_read, s.cache_write))(block, 0, scope)
    loops = s.get_loops(block)
    rng.choice((s.compute_at, s.reverse_compute_at))(made, rng.choice(loops))


def decompose(rng: random.Random, s: Any, block: Any) -> None:
    s.decompose_reduction(block, rng.choice(s.get_loops(block)))


def factor(rng: random.Random, s: Any, block: Any) -> None:
    s.rfactor(rng.choice(s.get_loops(block)), 0)


def layout(rng: random.Random, s: Any, block: Any) -> None:
    if rng.random() < 0.5:
        s.transform_layout(block, ("write", 0), lambda *i: (*i[1:], i[0]))
    else:
        s.transform_layout(
            block, ("write", 0), lambda *i: (*i[:-1], i[-1] // 4, i[-1] % 4), pad_value=0
        )


def decorate(rng: random.Random, s: Any, block: Any) -> None:
    made = (
        lambda: s.annotate(block, "meta_schedule.unroll_explicit", 16),
        lambda: s.annotate(rng.choice(s.get_loops(block)), "pragma_unroll_explicit", 1),
        lambda: s.storage_align(block, 0, 0, 8, 1),
        lambda: s.add_unit_loop(block),
        lambda: s.blockize(rng.choice(s.get_loops(block))),
        lambda: s.decompose_padding(block, s.get_loops(block)[-1]),
        lambda: s.reindex(block, rng.choice(("read", "write")), 0),
        lambda: s.loop_partition([rng.choice(s.get_loops(block)), ], [None, 2]),
        lambda: s.pad_einsum(block, [4] * len(s.get_loops(block))),
        lambda: s.merge(*s.get_loops(block)),
    )  # fmt: skip
    rng.choice(made)()


PRIMITIVES: Sequence[Callable[[random.Random, Any, Any], None]] = (
    split, split, split, reorder, fuse, mark, mark, move, move, inline, keep, keep, decompose, decompose,
    factor, layout, decorate, decorate,
)  # fmt: skip


def defaults(number: int) -> Iterator[str]:
    """The scripts of a workload after TVM's default schedules."""
    module = tvm.IRModule({"main": workload(number)[0]})
    rules = {"llvm": [dlight.cpu.GEMV()], "cuda": [
        dlight.gpu.Matmul(), dlight.gpu.GEMV(), dlight.gpu.Reduction(), dlight.gpu.GeneralReduction(),
        dlight.gpu.Fallback(),
    ]}  # fmt: skip
    for kind, given in rules.items():
        target = kind if kind == "llvm" else {"kind": kind, "arch": "sm_80"}
        with tvm.target.Target(target):
            for rule in given:
                with suppress(Exception):  # TVM's own: the rule is for other functions
                    yield dlight.ApplyDefaultSchedule(rule)(module).script()
    yield s_tir.transform.LowerInitBlock()(module).script()
    yield s_tir.transform.ConvertBlocksToOpaque()(s_tir.transform.LowerInitBlock()(module)).script()


def called(script: str, arrays: Arrays, results: Arrays) -> str:
    """The script with a Relax function that calls its prim func."""
    types = [f'R.Tensor({a.shape}, "{a.dtype}")' for a in (*arrays, *results)]
    params = ", ".join(f"x{i}: {t}" for i, t in enumerate(types[: len(arrays)]))
    given = ", ".join(f"x{i}" for i in range(len(arrays)))
    lines = script.replace("def main(", "def kernel(").rstrip()
    return f"""{lines}

    @R.function
    def main({params}):
        y = R.call_tir(Module.kernel, ({given},), out_ty={types[-1]})
        return y
"""


def outcome(case: tuple[int, str]) -> str:
    """Whether a scheduled script gives the values of its workload by us; else what is wrong."""
    number, script = case
    _, arrays, wanted = workload(number)
    try:
        module = tvmscript.loads(called(script, arrays, wanted))
    except Exception as error:
        return f"not read: {error}"
    with lowering.compile(module, "tested", extra_flags=("-O0",)) as model:
        found = {"the C": model.main(*arrays)}
    if "is_scheduled" not in script:  # by a default schedule for GPUs, with a thousand threads
        found["the interpreter"] = interpret.run(module, "main", *arrays)
    for who, values in found.items():
        if not np.allclose(values, wanted[0], 1e-4, 1e-5):
            own = built(_THREADS.sub(r"T.serial(\1)", script), arrays, wanted)
            if not np.allclose(own, wanted[0], 1e-4, 1e-5):
                return "TVM's schedule changes the values, by TVM too"
            return f"{who} differs by {np.abs(values - wanted[0]).max()}"
    return AGREE


def built(module: Any, arrays: Arrays, results: Arrays) -> np.ndarray[Any, Any]:
    """What TVM makes of a prim func or its script on a CPU."""
    if isinstance(module, str):
        module = tvm.script.from_source(module)
    result = tvm.runtime.tensor(np.zeros_like(results[0]))
    tvm.compile(module, unoptimised())["main"](*map(tvm.runtime.tensor, arrays), result)
    return result.numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=15, help="so many schedules of each workload")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    cases: list[tuple[int, str]] = []
    for number in range(len(WORKLOADS)):
        rng = random.Random(f"{args.seed} {number}")
        cases += [(number, text) for text in defaults(number)]
        cases += [(number, scheduled(rng, number)) for _ in range(args.count)]
    told: Counter[str] = Counter()
    for i, result, why in each(outcome, cases):
        told[result or why] += 1
        if result != AGREE:
            print(f"--- {WORKLOADS[cases[i][0]].__name__}\n{cases[i][1]}\n{result or why}")
    for what, count in told.most_common():
        print(count, what.splitlines()[0])


if __name__ == "__main__":
    main()
