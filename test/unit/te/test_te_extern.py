"""Imperative kernels: sorting, scattering, counting, searching, each against numpy in every way."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import MLIR, UNOPTIMISED, needs
from te_programs import TePrograms
from xdsl.dialects import memref
from xdsl.dialects.builtin import Float32Type, ModuleOp
from xdsl.ir import Block, Region

import lowering
from relax_dialect import interpret, te
from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import unary
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder

n, m = te.var("n"), te.var("m")
V = te.placeholder((n,), name="V")
A = te.placeholder((n, m), name="A")
R = te.placeholder((m,), "i64", name="R")
U = te.placeholder((m,), name="U")

Ins, Outs = list[te.Tensor], list[KernelBuffer]


def merge_argsort() -> list[te.Tensor]:
    """A stable bottom-up merge sort of the numbers of elements."""

    def kernel(ib: KernelBuilder, ins: Ins, outs: Outs) -> None:
        (x,), (order,) = ins, outs
        merged = ib.allocate((n,), "i64", name="merged")
        with ib.for_(n) as i:
            order[i] = i.astype("i64")
        width = ib.var(1, "index", name="width")
        with ib.while_(lambda: width.value < n):
            w = width.value
            with ib.for_(0, n, name="pair") as pair:
                low = te.minimum(pair * w * 2, n)
                middle, high = te.minimum(low + w, n), te.minimum(low + w * 2, n)
                left, right = ib.var(low, name="left"), ib.var(middle, name="right")
                with ib.for_(low, high, name="k") as k:
                    first = ib.var(False, "bool", name="first")
                    with ib.if_(left.value < middle):
                        first.value = True
                        with ib.if_(right.value < high):
                            first.value = x[order[left.value]] <= x[order[right.value]]
                    with ib.if_(first.value):
                        merged[k] = order[left.value]
                        left.value = left.value + 1
                    with ib.else_():
                        merged[k] = order[right.value]
                        right.value = right.value + 1
            with ib.for_(n) as i:
                order[i] = merged[i]
            width.value = w * 2

    return [V, te.extern((n,), [V], kernel, dtype="i64", name="order")]


def insertion_sort() -> list[te.Tensor]:
    """Rows sorted in place: a while loop whose condition reads what the loop writes."""

    def kernel(ib: KernelBuilder, ins: Ins, outs: Outs) -> None:
        (x,), (out,) = ins, outs
        ib.copy(out, x)
        with ib.for_(n, name="row") as row, ib.for_(1, m, name="j") as j:
            value, at = out[row, j], ib.var(j, name="at")

            def more() -> Any:
                return ib.both(at.value > 0, lambda: out[row, at.value - 1] > value)

            with ib.while_(more):
                out[row, at.value] = out[row, at.value - 1]
                at.value = at.value - 1
            out[row, at.value] = value

    return [A, te.extern((n, m), [A], kernel, name="sorted")]


def scatter_add() -> list[te.Tensor]:
    def kernel(ib: KernelBuilder, ins: Ins, outs: Outs) -> None:
        (data, rows, updates), (out,) = ins, outs
        ib.copy(out, data)
        with ib.for_(m, name="j") as j:
            row = rows[j].astype("index")
            ib.assert_((row >= 0) & (row < n), "scatter_add: row out of range")
            out[row] = out[row] + updates[j]

    return [V, R, U, te.extern((n,), [V, R, U], kernel, name="scatter_add")]


def partition() -> list[te.Tensor]:
    """Two outputs of different types and a count: the positive elements first, the others after them."""

    def kernel(ib: KernelBuilder, ins: Ins, outs: Outs) -> None:
        (x,), (values, places, count) = ins, outs
        front, back = ib.var(0, "index", name="front"), ib.var(n, name="back")
        with ib.for_(n) as i:
            with ib.if_(x[i] > 0):
                values[front.value] = x[i]
                places[i] = front.value.astype("i32")
                front.value = front.value + 1
            with ib.else_():
                back.value = back.value - 1
                values[back.value] = x[i]
                places[i] = back.value.astype("i32")
        count[()] = front.value.astype("i64")

    shapes, types = [(n,), (n,), ()], ["f32", "i32", "i64"]
    names = ["values", "places", "count"]
    return [V, *te.extern(shapes, [V], kernel, dtype=types, name=names)]


def np_partition(x: np.ndarray) -> list[np.ndarray]:
    places = np.zeros(len(x), "int32")
    places[x > 0] = np.arange((x > 0).sum())
    places[~(x > 0)] = len(x) - 1 - np.arange((~(x > 0)).sum())
    values = np.zeros_like(x)
    values[places] = x
    return [values, places, np.array((x > 0).sum(), "int64")]


def histogram() -> list[te.Tensor]:
    """Filled, then counted up; reads of what was written before in the same turn."""

    def kernel(ib: KernelBuilder, ins: Ins, outs: Outs) -> None:
        (rows,), (counts,) = ins, outs
        ib.fill(counts, 0)
        with ib.for_(m) as j:
            bucket = rows[j] % 4
            counts[bucket] = counts[bucket] + 1
            counts[bucket + 4] = counts[bucket]

    return [R, te.extern((8,), [R], kernel, dtype="i32", name="histogram")]


def np_histogram(rows: np.ndarray) -> np.ndarray:
    counts = np.bincount(rows % 4, minlength=4).astype("int32")
    return np.concatenate([counts, counts])


def between_stages() -> list[te.Tensor]:
    """A kernel reads a computed stage and is read by one."""
    double = te.compute((n,), lambda i: V[i] * 2, name="double")

    def kernel(ib: KernelBuilder, ins: Ins, outs: Outs) -> None:
        ((x,), (out,)), total = (ins, outs), ib.var(0.0, "f32", name="total")
        with ib.for_(n) as i:
            total.value = te.maximum(total.value * 0.5, x[i])
            out[n - 1 - i] = total.value

    decayed = te.extern((n,), [double], kernel, name="decayed")
    return [V, te.compute((n,), lambda i: decayed[i] + V[i], name="out")]


def np_decayed(v: np.ndarray) -> np.ndarray:
    out, total = np.zeros_like(v), np.float32(0)
    for i, x in enumerate(v * 2):
        total = max(total * np.float32(0.5), x)
        out[len(v) - 1 - i] = total
    return out + v


def swap_ends() -> list[te.Tensor]:
    """Loads take place where they stand, so nothing is lost."""

    def kernel(ib: KernelBuilder, ins: Ins, outs: Outs) -> None:
        (x,), (out,) = ins, outs
        ib.copy(out, x)
        with ib.for_(0, n // 2) as i:
            first, last = out[i], out[n - 1 - i]
            out[i] = last
            out[n - 1 - i] = first

    return [V, te.extern((n,), [V], kernel, name="reversed")]


def generator() -> list[te.Tensor]:
    """Pseudo-random integers: only a variable is carried, and no input is read."""

    def kernel(ib: KernelBuilder, ins: Ins, outs: Outs) -> None:
        (out,), state = outs, ib.var(1, "i64", name="state")
        with ib.for_(0, m, 3) as i:
            state.value = (state.value * 16807) % 2147483647
            with ib.for_(i, te.minimum(i + 3, m), name="j") as j:
                out[j] = state.value

    return [te.extern((m,), [], kernel, dtype="i64", name="generated")]


def bytes_counted() -> list[te.Tensor]:
    """Unsigned elements in tensors, variables and conditions."""
    b = te.placeholder((n,), "uint8", name="B")

    def kernel(ib: KernelBuilder, ins: Ins, outs: Outs) -> None:
        ((b,), (out,)), high = (ins, outs), ib.var(0, "uint8", name="high")
        with ib.for_(n) as i:
            high.value = te.maximum(high.value, b[i])
            out[i] = high.value // 2 + out_before(ib, out, i)

    def out_before(ib: KernelBuilder, out: KernelBuffer, i: te.Scalar) -> te.Scalar:
        before = ib.var(0, "uint8", name="before")
        with ib.if_(i > 0):
            before.value = out[i - 1]
        return before.value

    return [b, te.extern((n,), [b], kernel, dtype="uint8", name="out")]


def np_bytes_counted(b: np.ndarray) -> np.ndarray:
    return np.cumsum(np.maximum.accumulate(b) // 2, dtype="uint8")


def np_generator(m: int) -> np.ndarray:
    out, state = np.zeros(m, "int64"), 1
    for i in range(0, m, 3):
        state = state * 16807 % 2147483647
        out[i : i + 3] = state
    return out


def np_scatter_add(v: np.ndarray, rows: np.ndarray, updates: np.ndarray) -> np.ndarray:
    out = v.copy()
    np.add.at(out, rows, updates)
    return out


CASES: dict[str, tuple[list[te.Tensor], Callable[..., Any]]] = {
    "merge_argsort": (merge_argsort(), lambda v: np.argsort(v, kind="stable")),
    "insertion_sort": (insertion_sort(), lambda a: np.sort(a, axis=1)),
    "scatter_add": (scatter_add(), np_scatter_add),
    "partition": (partition(), np_partition),
    "histogram": (histogram(), np_histogram),
    "between_stages": (between_stages(), np_decayed),
    "swap_ends": (swap_ends(), lambda v: v[::-1]),
    "bytes_counted": (bytes_counted(), np_bytes_counted),
}


@cache
def programs() -> TePrograms:
    tensors = {name: tensors for name, (tensors, _) in CASES.items()}
    return TePrograms({**tensors, "generator": generator()})


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(1, 1), (3, 5), (0, 0), (2, 0), (17, 9)], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_numpy(name: str, sizes: tuple[int, int]):
    tensors, meaning = CASES[name]
    rng = np.random.default_rng(sum(sizes))
    values = dict(zip("nm", sizes))
    inputs = []
    for t in (t for t in tensors if t.stage is None):
        shape = [dim.evaluate(values) for dim in t.shape]
        if t is R:
            high = sizes[0] or 1
            shape = shape if sizes[0] or name == "histogram" else [0]
            inputs.append(rng.integers(0, high, shape))
        elif t is U and not sizes[0]:
            inputs.append(np.zeros(0, "f"))
        else:
            numbers = rng.integers(-6, 6, shape) / 2
            inputs.append(
                (numbers * numbers).astype("uint8")
                if name == "bytes_counted"
                else numbers.astype("f")
            )
    expected = meaning(*inputs)
    found = programs().run(name, *inputs)
    for f, e in zip(found, expected if isinstance(expected, list) else [expected], strict=True):
        assert (f.dtype, f.shape) == (e.dtype, e.shape)
        np.testing.assert_allclose(f, e, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 1, 2, 3, 7])
def test_without_inputs(size: int):
    (found,) = programs().run("generator", m=size)
    np.testing.assert_array_equal(found, np_generator(size))


@needs(MLIR)
@pytest.mark.parametrize("name", [name for name in CASES if name != "bytes_counted"])
def test_agrees_with_mlir(name: str):
    rng = np.random.default_rng(0)
    sizes = {"n": 6, "m": 4}
    arguments = [
        rng.integers(0, 6, 4)
        if t is R
        else rng.standard_normal([d.evaluate(sizes) for d in t.shape])
        for t in CASES[name][0]
        if t.stage is None
    ]
    programs().check_mlir(name, *(a if a.dtype.kind == "i" else a.astype("f") for a in arguments))


@needs(MLIR)
def test_mlir_accepts_every_function():
    check_accepted(ModuleOp([function.clone() for function in programs().functions.values()]))


@pytest.mark.slow
def test_each_tensor_is_one_buffer():
    """Tensors threaded through loops and branches are never copied: only `ib.copy` copies."""
    module = programs().modules["memrefs"]
    assert not [op for op in module.walk() if isinstance(op, memref.CopyOp)]
    allocations = [op for op in module.walk() if isinstance(op, memref.AllocOp)]
    assert sorted(op.memref.name_hint or "" for op in allocations) == ["double", "merged"]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [[0, 3], [-1, 0]])
def test_a_check_fails_everywhere(rows: list[int]):
    arguments = np.zeros(3, "f"), np.array(rows), np.ones(2, "f")
    for module in programs().modules.values():
        with pytest.raises(ExecutionError, match="scatter_add: row out of range"):
            interpret.run(module, "scatter_add", *arguments)
    with pytest.raises(RelaxError, match="scatter_add: row out of range"):
        programs().compiled.scatter_add(*arguments)


@pytest.mark.slow
def test_a_million_elements_are_sorted():
    """Would a store copy its tensor, this took days."""
    x = np.random.default_rng(0).integers(0, 1000, 1_000_000).astype(np.float32)
    order = programs().compiled["merge_argsort"](x)
    np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))


# What it refuses ---------------------------------------------------------------------------------


def make(
    kernel: Callable[[KernelBuilder, te.Tensor, KernelBuffer], object],
) -> Callable[[], object]:
    """A prim func of one kernel that reads V and writes a vector."""

    def build() -> object:
        out = te.extern((n,), [V], lambda ib, ins, outs: kernel(ib, ins[0], outs[0]), name="out")
        return te.create_prim_func([V, out])

    return build


def leak_variable(ib: KernelBuilder, x: te.Tensor, y: KernelBuffer) -> None:
    with ib.for_(n) as i:
        v = ib.var(x[i], name="v")
    y[0] = v.value


def leak_element(ib: KernelBuilder, x: te.Tensor, y: KernelBuffer) -> None:
    with ib.for_(n) as i:
        y[i] = x[i]
        element = y[i]
    y[0] = element


def leak_counter(ib: KernelBuilder, x: te.Tensor, y: KernelBuffer) -> None:
    with ib.for_(n, name="i") as i:
        y[i] = x[i]
    y[i] = x[i]


def stray_else(ib: KernelBuilder, x: te.Tensor, y: KernelBuffer) -> None:
    with ib.else_():
        y[0] = 1.0


def float_bound(ib: KernelBuilder, x: te.Tensor, y: KernelBuffer) -> None:
    with ib.for_(x[0]):
        y[0] = 1.0


ERRORS: dict[str, tuple[Callable[[], object], str]] = {
    "nothing written": (
        make(lambda ib, x, y: None),
        r"te\.extern 'out': the kernel writes nothing",
    ),
    "variable": (make(leak_variable), r"variable 'v' lives in a loop or branch that has ended"),
    "element": (make(leak_element), r"'an element of out' is used outside of the loop"),
    "counter": (make(leak_counter), r"'i' is used outside of the loop"),
    "else": (make(stray_else), r"expected an ib\.if_ before ib\.else_"),
    "bound": (make(float_bound), r"an index or bound is of type f32, expected an integer"),
    "step": (make(lambda ib, x, y: ib.for_(0, n, -1)), r"step -1, expected a step above 0"),
    "type": (
        make(lambda ib, x, y: y.__setitem__(0, te.const(1, "i32"))),
        r"an element of 'out' is of type f32, found a value of type i32",
    ),
    "indices": (make(lambda ib, x, y: y[0, 0]), r"'out' of shape \[n\] takes 1 indices, found 2"),
    "condition": (
        make(lambda ib, x, y: ib.assert_(x[0], "?")),
        r"the condition of ib\.assert_ is of type f32, expected i1",
    ),
    "copy": (make(lambda ib, x, y: ib.copy(y, A)), r"expected the same shape and element type"),
    "names": (
        lambda: te.extern([(n,), (n,)], [V], lambda ib, ins, outs: None, name=["a"]),
        r"1 names for 2 shapes",
    ),
}


@pytest.mark.parametrize("what", ERRORS)
def test_refuses(what: str):
    build, message = ERRORS[what]
    with pytest.raises(RelaxError, match=message):
        build()


def test_an_epilogue_joins_a_kernel():
    """A kernel is an anchor as a matmul is: elementwise users become a stage after it."""
    swap, vector = te.create_prim_func(swap_ends(), "swap"), TensorType(["n"], Float32Type())
    block = Block(arg_types=[vector])
    call = CallTirOp(swap, [block.args[0]])
    block.add_ops([call, exp := unary.ExpOp(call.results[0])])
    block.add_op(neg := unary.NegativeOp(exp.result))
    block.add_op(ReturnOp(neg.result))
    module = ModuleOp([swap, FuncOp("main", [vector], vector, Region(block))])
    x = np.arange(5, dtype=np.float32)
    lowering.lower(module, ["relax-legalize", "relax-fuse-elementwise"], verify_each=True)
    calls = [op for op in module.walk() if isinstance(op, CallTirOp)]
    assert len(calls) == 1
    found = (
        lowering.compile(module, extra_flags=UNOPTIMISED).main(x),
        interpret.run(module, "main", x),
    )
    for result in found:
        np.testing.assert_allclose(result, -np.exp(x[::-1]), rtol=1e-6)
