"""Gradients against those of TVM's `relax.transform.Gradient`, compiled by TVM: programs as in its own tests, and
the operators that it differentiates, but triu, where TVM 0.27 ends with an error of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from optional import TVM, needs, package
from tvm_target import unoptimised
from xdsl.dialects.builtin import TupleType

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.gradient import GradientError, gradient
from relax_dialect.interpret import jvp, run
from relax_dialect.interpret.arguments import parts_in
from relax_dialect.interpret.runtime_values import dtype_name
from relax_dialect.ir.types import TensorType, tuple_type

RANDOM = np.random.default_rng(0)


class Case(NamedTuple):
    """An expression of either library's operators, its operands, and those to differentiate by."""

    build: Callable[..., Any]
    arrays: tuple[np.ndarray, ...]
    wrt: tuple[int, ...]


def floats(*shape: int, low: float = 0.2, high: float = 1.2) -> np.ndarray:
    return RANDOM.uniform(low, high, shape).astype(np.float32)


def case(build: Callable[..., Any], *given: Any) -> Case:
    """Shapes stand for floats, which are differentiated by; arrays for themselves."""
    arrays = tuple(a if isinstance(a, np.ndarray) else floats(*a) for a in given)
    return Case(build, arrays, tuple(i for i, a in enumerate(given) if isinstance(a, tuple)))


def mlp(o: Any, emit: Any, x: Any, *rest: Any) -> Any:
    """Three layers with biases, and the negative log likelihood of labels."""
    *weights, labels = rest
    for i in range(3):
        x = emit(o.add(emit(o.matmul(x, weights[i])), weights[3 + i]))
        x = emit(o.nn.relu(x)) if i < 2 else x
    return o.nn.nll_loss(emit(o.nn.log_softmax(x)), labels)


def products(o: Any, emit: Any, x: Any, y: Any) -> Any:
    """Products of matrices and their transposes."""
    a, b = (emit(o.permute_dims(v)) for v in (x, y))
    parts = [emit(o.matmul(p, q)) for p, q in ((x, y), (a, y), (x, b), (a, b))]
    return o.add(emit(o.add(parts[0], parts[1])), emit(o.add(parts[2], parts[3])))


def shared(o: Any, emit: Any, x: Any, y: Any, z: Any, unused: Any) -> Any:
    """Values that are used again and again, broadcast, and a parameter that is not used."""
    twice = emit(o.subtract(emit(o.add(x, x)), emit(o.add(y, y))))
    return o.multiply(twice, emit(o.add(y, z)))


def parts(o: Any, emit: Any, x: Any, y: Any) -> Any:
    """Tuples that are taken apart and put together."""
    halves = emit(o.split(x, 2))
    first, second = emit(halves[0]), emit(halves[1])
    both = emit(o.concat([emit(o.add(first, second)), second]))
    doubled = emit(o.split(emit(o.concat([x, x])), 2))
    found = emit(o.tanh(emit(o.multiply(both, emit(doubled[0])))))
    turned = emit(o.sigmoid(emit(o.permute_dims(y, [0, 2, 1]))))
    return o.nn.log_softmax(emit(o.add(found, emit(o.sum(emit(o.matmul(y, turned)), [1, 2])))))


def simple(name: str, *given: Any, **how: Any) -> Case:
    """One operator."""
    path = name.split(".")

    def build(o: Any, emit: Any, *operands: Any) -> Any:
        function = getattr(o.nn, path[1]) if len(path) > 1 else getattr(o, name)
        return function(*operands, **how)

    return case(build, *given)


def pieces(*how: Any) -> Callable[..., Any]:
    def build(o: Any, emit: Any, x: Any) -> Any:
        found = emit(o.split(x, *how))
        return o.concat(
            [emit(o.multiply(emit(found[i]), emit(found[i]))) for i in range(3)], how[1]
        )

    return build


SQUARE, BOX = (3, 3), (2, 3, 4, 5)
CLASSES = RANDOM.integers(0, 3, (2, 4))
CASES: dict[str, Case] = {
    "shared": case(shared, (3, 5), (5,), (5,), (5,)),
    "mlp": case(mlp, (4, 5), *[(5, 5)] * 3, *[(5,)] * 3, RANDOM.integers(0, 5, 4)),
    "products": case(products, SQUARE, SQUARE),
    "parts": case(parts, (6,), (6, 3, 4)),
    **{
        name: simple(name, SQUARE)
        for name in ("abs", "cos", "exp", "log", "negative", "sigmoid", "sin", "sqrt", "tanh")
    },
    **{
        name: simple(name, SQUARE, SQUARE)
        for name in ("add", "subtract", "multiply", "divide", "power", "maximum", "minimum")
    },
    **{f"{name}_axes": simple(name, BOX, axis=[1, 3]) for name in ("sum", "mean", "variance")},
    **{
        f"{name}_kept": simple(name, SQUARE, axis=1, keepdims=True)
        for name in ("sum", "mean", "variance")
    },
    "reshape": simple("reshape", (2, 3, 5), shape=(5, 6)),
    "permute_dims": simple("permute_dims", BOX, axes=[0, 3, 1, 2]),
    "concat": case(lambda o, emit, *x: o.concat(list(x), axis=1), SQUARE, (3, 4), (3, 5)),
    "split_indices": case(pieces([3, 7], 1), (3, 12)),
    "split_sections": case(pieces(3, 1), (3, 12)),
    "cumsum": simple("cumsum", SQUARE, axis=1),
    "cumsum_flat": simple("cumsum", SQUARE),
    "expand_dims": simple("expand_dims", (3, 4), axis=[0, 2, 3]),
    "broadcast_to": simple("broadcast_to", (3, 4), shape=(2, 3, 4)),
    "take": simple("take", (2, 3, 4), np.array([0, 1, 1]), axis=1),
    "take_flat": simple("take", (5,), np.array([1, 3])),
    "where": simple("where", RANDOM.random(SQUARE) > 0.5, SQUARE, SQUARE),
    "astype": simple("astype", SQUARE, dtype="float64"),
    **{
        f"matmul_{len(a)}_{len(b)}": simple("matmul", a, b)
        for a, b in (
            ((2, 3), (3, 4)),
            ((4,), (4,)),
            ((4,), (2, 3, 4, 5)),
            (BOX, (5,)),
            ((2, 3, 1, 4, 5), (3, 2, 5, 4)),
        )
    },
    **{name: simple(f"nn.{name}", SQUARE) for name in ("relu", "silu", "softmax", "log_softmax")},
    "softmax_axis": simple("nn.softmax", SQUARE, axis=0),
    "cross_entropy_with_logits": simple("nn.cross_entropy_with_logits", SQUARE, SQUARE),
    **{
        f"nll_loss_{reduction}_{ignored}": simple(
            "nn.nll_loss", (2, 3, 4), CLASSES, floats(3), reduction=reduction, ignore_index=ignored
        )
        for reduction, ignored in (("mean", -1), ("sum", -1), ("none", -1), ("mean", 1))
    },
    **{
        f"conv2d_{i}": simple("nn.conv2d", image, kernel, **how)
        for i, (image, kernel, how) in enumerate(
            [
                ((3, 2, 6, 6), (3, 2, 1, 2), {}),
                ((3, 2, 6, 6), (3, 2, 3, 3), {"strides": [2, 1], "padding": [2, 2, 2, 2]}),
                ((2, 2, 6, 6), (4, 1, 3, 3), {"groups": 2, "strides": [2, 2]}),
            ]
        )
    },
    **{
        f"{name}_{i}": simple(f"nn.{name}", (2, 2, 7, 7), **how)
        for name in ("max_pool2d", "avg_pool2d")
        for i, how in enumerate(
            [
                {"pool_size": [3, 3]},
                {"pool_size": [3, 3], "strides": [2, 2], "padding": [1, 1, 1, 1]},
                {"pool_size": [2, 2], "strides": [2, 2], "count_include_pad": True},
            ]
        )
    },
}


def ours() -> tuple[Any, dict[str, np.ndarray]]:
    """A module with each case as a function, and the weights that its result is summed up with."""
    builder, weights = BlockBuilder(), {}
    for name, (build, arrays, _) in CASES.items():
        params = {f"x{i}": TensorType(a.shape, dtype_name(a.dtype)) for i, a in enumerate(arrays)}
        with builder.function(name, params) as values:
            y = builder.emit(build(op, builder.emit, *values))
            shape = [size.value for size in y.type.shape]
            weights[name] = floats(*shape).astype("f8" if name == "astype" else "f4")
            builder.emit_func_output(builder.emit(op.sum(y * weights[name])))
    module = builder.get()
    for name, (_, _, wrt) in CASES.items():
        gradient(module, name, wrt=list(wrt))
    return module, weights


def theirs(weights: dict[str, np.ndarray]) -> Callable[..., list[np.ndarray]]:
    """TVM's gradients of the same programs, compiled."""
    import tvm  # pyright: ignore[reportMissingImports]
    from tvm import relax  # pyright: ignore[reportMissingImports]

    builder, wanted = relax.BlockBuilder(), {}
    for name, (build, arrays, wrt) in CASES.items():
        types = [relax.TensorType(a.shape, str(a.dtype)) for a in arrays]
        values = [relax.Var(f"x{i}", type) for i, type in enumerate(types)]
        wanted[name] = [values[i] for i in wrt]
        with builder.function(name, values):
            with builder.dataflow():
                y = builder.emit(build(relax.op, builder.emit, *values))
                weighted = builder.emit(
                    relax.op.multiply(y, relax.const(weights[name], str(weights[name].dtype)))
                )
                found = builder.emit_output(relax.op.sum(weighted))
            builder.emit_func_output(found)
    module = builder.get()
    for name, targets in wanted.items():
        module = relax.transform.Gradient(name, targets)(module)
    machine = relax.VirtualMachine(tvm.compile(module, unoptimised()), tvm.cpu())

    def gradients(name: str, arrays: tuple[np.ndarray, ...]) -> list[np.ndarray]:
        value, found = machine[f"{name}_adjoint"](*map(tvm.runtime.tensor, arrays))
        return [value.numpy(), *(each.numpy() for each in found)]

    return gradients


@pytest.mark.slow
@needs(TVM)
def test_gradients_are_those_of_tvm():
    package("tvm")
    module, weights = ours()
    gradients = theirs(weights)
    for name, (_, arrays, _) in CASES.items():
        value, found = run(module, f"{name}_adjoint", *arrays)
        for mine, other in zip([value, *found], gradients(name, arrays), strict=True):
            np.testing.assert_allclose(mine, other, rtol=2e-4, atol=2e-5, err_msg=name)


SIDE = TensorType([3, 3], "f32")
BOTH = tuple_type([SIDE, SIDE])
ONES = np.ones((3, 3), "f4")


def reused(emit: Any, x: Any, y: Any) -> Any:
    """A tensor that goes in and out of tuples again and again."""
    first, second = emit((x, y)), emit((x, y))
    total = emit(op.add(emit(x + y), emit(emit(first[0]) + y)))
    return emit(op.sum(emit(emit(total + emit(second[0])) + emit(first[0]))))


def nested(emit: Any, x: Any, y: Any, z: Any, u: Any) -> Any:
    """A part of a part of a parameter, and of a tuple that is made."""
    made = emit((emit((y, z)), u))
    found = emit(emit(emit(x[0])[0]) * emit(emit(made[0])[1]))
    return emit(op.sum(emit(found + emit(x[1]))))


def constants(emit: Any, x: Any, y: Any) -> Any:
    """Constants in tuples, joined with what is differentiated."""
    one = emit(ONES)
    parts = emit((one, emit((one, emit(x + one)))))
    joined = emit(op.concat([emit(emit(parts[1])[1]), one, x]))
    return emit(op.sum(emit(joined * joined)))


STRUCTURES: dict[str, tuple[Callable[..., Any], list[Any], Any, dict[str, Any]]] = {
    "sum": (lambda emit, x: emit(op.sum(x)), [SIDE], [(3, 3)], {}),
    "unused": (lambda emit, x, y: emit(op.sum(x)), [SIDE, SIDE], [(3, 3), (3, 3)], {}),
    "chosen": (lambda emit, x, y: emit(op.sum(x * y)), [SIDE, SIDE], [(3, 3)], {"wrt": [0]}),
    "index": (
        lambda emit, x, y: [x, emit(op.sum(x)), emit(op.sum(op.exp(y)))],
        [SIDE, SIDE],
        [(3, 3), (3, 3)],
        {"target_index": 2},
    ),
    "reused": (reused, [SIDE, SIDE], [(3, 3), (3, 3)], {}),
    "nested": (
        nested,
        [tuple_type([BOTH, SIDE]), SIDE, SIDE, SIDE],
        [[[(3, 3), (3, 3)], (3, 3)], (3, 3), (3, 3), (3, 3)],
        {},
    ),
    "constants": (constants, [SIDE, SIDE], [(3, 3), (3, 3)], {}),
    "joined": (
        lambda emit, x, y: emit(op.sum(op.exp(op.concat([x, x, y[0], y[1]])))),
        [SIDE, BOTH],
        [(3, 3), [(3, 3), (3, 3)]],
        {},
    ),
    "split": (
        lambda emit, x: emit(op.sum(op.square(op.concat(emit(op.split(x, 3)))))),
        [SIDE],
        [(3, 3)],
        {},
    ),
    "shape": (
        lambda emit, x: emit(op.sum(op.square(op.reshape(x, [1, 9])))),
        [SIDE],
        [(3, 3)],
        {},
    ),
}
"""Programs as in TVM's tests of `Gradient`, with the sizes of the gradients."""


@pytest.mark.slow
def test_the_structure_of_gradients():
    """Which there are, also of nested tuples; their values by dual numbers. The function stays as it is."""
    builder = BlockBuilder()
    for name, (build, types, _, _) in STRUCTURES.items():
        with builder.function(name, {f"x{i}": type for i, type in enumerate(types)}) as values:
            with builder.dataflow():
                found = build(builder.emit, *values)
                parts = found if isinstance(found, list) else [found]
                parts = [builder.emit_output(part) for part in parts]
            builder.emit_func_output(parts if isinstance(found, list) else parts[0])
    module = builder.get()

    def drawn(type: Any) -> Any:
        return tuple(map(drawn, type.types)) if isinstance(type, TupleType) else floats(3, 3)

    def sizes(value: Any) -> Any:
        return list(map(sizes, value)) if isinstance(value, tuple) else value.shape

    for name, (_, types, wanted, how) in STRUCTURES.items():
        args = [drawn(type) for type in types]
        before = str(module)[: str(module).rindex("}")]
        value, found = run(module, gradient(module, name, **how), *args)
        assert str(module).startswith(before)
        assert sizes(found) == wanted, name
        again = run(module, name, *args)
        assert sizes((value,)) == sizes((again,))
        chosen = how.get("wrt", range(len(args)))
        ways = [drawn(type) if i in chosen else None for i, type in enumerate(types)]
        _, moved = jvp(module, name, args, ways)
        slope = moved[how["target_index"]] if isinstance(moved, tuple) else moved
        moving = tuple(way for way in ways if way is not None)
        pairs = zip(parts_in("", found), parts_in("", moving), strict=True)
        sums = (np.sum(g * w) for (_, g), (_, w) in pairs)
        np.testing.assert_allclose(sum(sums), slope, 1e-5, err_msg=name)


def test_what_tvm_refuses():
    """But for functions without dataflow blocks or with several, which have gradients here."""
    integers = TensorType([3], "i64")
    builder = BlockBuilder()
    with builder.function("pair", {"x": SIDE}) as (x,):
        total = builder.emit(op.sum(x))
        builder.emit_func_output((total, builder.emit((total, total))))
    with builder.function("integers", {"x": integers}) as (x,):
        builder.emit_func_output(builder.emit(op.sum(x)))
    with builder.function("constant", {"x": SIDE}) as (x,):
        builder.emit_func_output(builder.emit(np.array(1)))
    with builder.function("row", {"x": SIDE}) as (x,):
        builder.emit_func_output(builder.emit(x + x))
    with builder.function("number", {"x": SIDE}) as (x,):
        builder.emit_func_output(builder.emit(op.sum(x)))
    module = builder.get()
    for name, index, message in (
        ("pair", 1, "expected result 1 that is one float"),
        ("pair", 2, "expected the index of one of the 2 results"),
        ("integers", 0, "expected a result that is one float.*convert it with astype"),
        ("constant", 0, "expected a result that is one float"),
        ("row", 0, "expected a result that is one float.*or use vjp"),
        ("number", 1, "expected 0 as the index of its only result"),
    ):
        with pytest.raises(GradientError, match=rf"^@{name}: {message}"):
            gradient(module, name, target_index=index)
