"""Compiled functions take and give shapes and tuples as the interpreter does."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from optional import package

import lowering
from lowering.emit_c.syntax.c_source import EntryPoint, Parameter
from lowering.runtime.loading import CompiledModule
from lowering.runtime.small_calls import is_determined
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.parsing import parse

pytestmark = pytest.mark.usefixtures("unoptimised")

X = "!relax.tensor<[n], f32>"
PAIR = f"tuple<{X}, tuple<!relax.shape<[m]>, {X}>>"
MODULE = parse(f"""
relax.func @rows(%s: !relax.shape<[k, n]>, %x: {X}) -> !relax.tensor<[k, n], f32> {{
  %y = relax.broadcast_to %x, %s : ({X}, !relax.shape<[k, n]>) -> !relax.tensor<[k, n], f32>
  relax.return %y : !relax.tensor<[k, n], f32>
}}
relax.func @size(%x: {X}) -> !relax.shape<[n]> {{
  %s = relax.shape_of %x : ({X}) -> !relax.shape<[n]>
  relax.return %s : !relax.shape<[n]>
}}
relax.func @wide(%x: {X}) -> tuple<!relax.object, {X}> {{
  %s = relax.shape_of %x : ({X}) -> !relax.shape<*>
  %t = relax.tuple %s, %x : (!relax.shape<*>, {X}) -> tuple<!relax.shape<*>, {X}>
  relax.return %t : tuple<!relax.shape<*>, {X}>
}}
relax.func @unknown(%x: {X}, %s: !relax.shape<[?, 3]>) -> tuple<!relax.shape<[?, 3]>, {X}> {{
  %t = relax.tuple %s, %x : (!relax.shape<[?, 3]>, {X}) -> tuple<!relax.shape<[?, 3]>, {X}>
  relax.return %t : tuple<!relax.shape<[?, 3]>, {X}>
}}
relax.func @parts(%t: {PAIR}) -> {PAIR} {{
  relax.return %t : {PAIR}
}}
relax.func @one(%x: {X}) -> tuple<{X}> {{
  %t = relax.tuple %x : ({X}) -> tuple<{X}>
  relax.return %t : tuple<{X}>
}}
relax.func @nothing(%x: {X}) -> tuple<!relax.shape<[]>, tuple<>> {{
  %s = relax.shape []
  %e = relax.tuple : () -> tuple<>
  %t = relax.tuple %s, %e : (!relax.shape<[]>, tuple<>) -> tuple<!relax.shape<[]>, tuple<>>
  relax.return %t : tuple<!relax.shape<[]>, tuple<>>
}}
relax.func @pythonic(%out: {X}, %self: {X}) -> {X} {{
  %y = relax.subtract %out, %self : ({X}, {X}) -> {X}
  relax.return %y : {X}
}}
""")
V = np.arange(3, dtype=np.float32)
CALLS: dict[str, tuple[Any, ...]] = {
    "rows": ((2, 3), V),
    "size": (V,),
    "wide": (V,),
    "unknown": (V, (5, 3)),
    "parts": ((V, ((7,), V + 1)),),
    "one": (V,),
    "nothing": (V,),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return lowering.compile(MODULE)


def same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            same(a, b)
    else:
        np.testing.assert_array_equal(found, expected, strict=isinstance(expected, np.ndarray))


@pytest.mark.parametrize("name", CALLS)
def test_as_interpreted(model: CompiledModule, name: str):
    same(model[name](*CALLS[name]), run(MODULE, name, *CALLS[name]))


def test_as_c_takes_them(model: CompiledModule):
    same(model.parts(V, V + 1, 7), run(MODULE, "parts", *CALLS["parts"]))


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("rows", ((2, 4), V), "found"),  # n is 3 by x
        ("rows", ((2,), V), "expected 2 dimensions"),
        ("rows", ((-2, 3), V), "expected sizes of at least 0"),
        ("unknown", (V, (5, 4)), "expected size 3"),
        ("parts", ((V,),), "expected a tuple of 2 fields, found 1"),
        ("parts", ((V, V),), "expected a tuple of 2 fields, found"),
        ("parts", ((V, ((7.5,), V)),), "expected a shape, as a tuple of ints"),
    ],
)
def test_what_does_not_fit_is_an_error(
    model: CompiledModule, name: str, arguments: tuple[Any, ...], message: str
):
    for call in (lambda *a: run(MODULE, name, *a), model[name]):
        with pytest.raises(RelaxError, match=message):
            call(*arguments)


def test_a_wrong_number_of_arguments(model: CompiledModule):
    with pytest.raises(RelaxError, match=r"@rows: expected 2 arguments \(.*\), found 3"):
        model.rows(V, 2, 3)


# Arguments by name, places for results, tensors of other libraries: compiled and interpreted alike


@pytest.fixture(params=["compiled", "interpreted"])
def call(request: pytest.FixtureRequest, model: CompiledModule) -> Callable[..., Any]:
    """Calls a function by its name."""
    if request.param == "compiled":
        return lambda name, *args, **named: model[name](*args, **named)
    return lambda name, *args, **named: run(MODULE, name, *args, **named)


def test_arguments_by_name(call: Callable[..., Any]):
    expected = np.broadcast_to(V, (2, 3))
    for args, named in (((), {"x": V, "s": (2, 3)}), (((2, 3),), {"x": V})):
        np.testing.assert_array_equal(call("rows", *args, **named), expected)


def test_parameters_named_as_pythons_own(call: Callable[..., Any]):
    same(call("pythonic", V, self=V), V - V)
    with pytest.raises(
        RelaxError, match="argument 'out': expected a value, found none; pass it by position"
    ):
        call("pythonic", out=V, self=V)


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((), {"s": (2, 3)}, "argument 'x': expected a value, found none; pass it, as in x=..."),
        (((2, 3),), {"s": (2, 3), "x": V}, "argument 's': expected it once, found it by position and by name"),
        (((2, 3),), {"y": V}, r"expected the arguments 's', 'x', found 'y'; correct the name"),
        (((2, 3), V), {"out": V}, "out: expected an array of f32 of shape [2, 3] to write to, found an array of f32"),
        (((2, 3), V), {"out": np.zeros((2, 3))}, "to write to, found an array of f64 of shape [2, 3]"),
        (((2, 3), V), {"out": np.broadcast_to(V, (2, 3))}, "of shape [2, 3] that is read-only; pass such a one"),
        (((2, 3), V), {"out": 3}, "to write to, found a Python int"),
        (((2, 3), V), {"out": np.ma.zeros((2, 3), "f4")}, "found a masked array, whose mask would be lost"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(
    call: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any], message: str
):
    pattern = re.escape(message) if "[" in message or "..." in message else message
    with pytest.raises(RelaxError, match=f"@rows: .*{pattern}"):
        call("rows", *args, **named)


def test_results_are_written_where_the_caller_says(call: Callable[..., Any]):
    place = np.zeros((4, 3), np.float32)[::2]
    assert call("rows", (2, 3), V, out=place) is place
    np.testing.assert_array_equal(place, [V, V])
    first, second = np.zeros(3, np.float32), np.zeros(3, np.float32)
    value = (V, ((7,), V + 1))
    found = call("parts", value, out=(first, [None, second]))
    assert found[0] is first and found[1][0] == (7,) and found[1][1] is second
    np.testing.assert_array_equal([first, second], [V, V + 1])
    for out, message in (
        (first, "expected a tuple of 2 buffers, one for each result, found an array"),
        ((first,), "expected a tuple of 2 buffers, one for each result, found 1"),
        ((first, (second, None)), "out, field 1, field 0: expected a tuple of 1 buffers, one for each result, found an array"),
        ((first, ((3,), None)), "out, field 1, field 0, field 0: expected None for a result that is no array"),
        ((first, (None, V.astype("f8"))), "out, field 1, field 1: expected an array of f32"),
    ):  # fmt: skip
        first[:] = 9
        with pytest.raises(RelaxError, match=message):
            call("parts", value, out=out)
        assert first.tolist() == [9, 9, 9], "after an error nothing is written"


class Tensor:
    """A tensor that speaks DLPack and nothing else."""

    def __init__(self, array: np.ndarray, device: tuple[int, int] = (1, 0)):
        self.array, self.device_ = array, device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device_

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)


def test_tensors_by_dlpack(call: Callable[..., Any]):
    for device in ((1, 0), (3, 1)):
        np.testing.assert_array_equal(call("one", Tensor(V, device))[0], V)
    place = np.zeros(3, np.float32)
    np.testing.assert_array_equal(call("parts", (Tensor(V), ((7,), Tensor(V))))[0], V)
    call("one", V, out=(Tensor(place),))
    np.testing.assert_array_equal(place, V)
    for device, name in (((2, 1), "cuda:1"), ((10, 0), "rocm:0"), ((99, 0), "device type 99:0")):
        with pytest.raises(
            RelaxError,
            match=f"argument 'x': expected a tensor on the CPU, found one on {name}; copy",
        ):
            call("one", Tensor(V, device))
    with pytest.raises(RelaxError, match=r"found a Tensor that it cannot: .*; make an array of it"):
        call("one", Tensor(np.array(["a"])))


def test_tensors_of_pytorch(call: Callable[..., Any]):
    torch = package("torch")
    x = torch.arange(3, dtype=torch.float32)
    np.testing.assert_array_equal(call("one", x)[0], V)
    place = torch.zeros(3)
    assert call("one", x, out=[place])[0] is place and place.tolist() == V.tolist()
    with pytest.warns(
        UserWarning, match="argument 'x': needs gradients, .* it is detached; pass x.detach"
    ):
        np.testing.assert_array_equal(call("one", x.clone().requires_grad_())[0], V)
    for tensor, message in (
        (torch.zeros(3, device="meta"), "found one on meta, without memory; initialise it first"),
        (x.to_sparse(), "found a Tensor that it cannot: can't convert Sparse layout"),
    ):
        with pytest.raises(RelaxError, match=f"argument 'x': .*{message}"):
            call("one", tensor)


def test_bfloat16_of_pytorch():
    torch = package("torch")
    module = parse(
        f"relax.func @f(%x: {X}) -> {X} {{\n  relax.return %x : {X}\n}}".replace("f32", "bf16")
    )
    x = torch.tensor([[1.5, 9], [-2, 9], [0.25, 9]], dtype=torch.bfloat16)[:, 0]
    assert run(module, "f", x).astype(np.float32).tolist() == [1.5, -2, 0.25]
    assert lowering.compile(module).f(x).astype(np.float32).tolist() == [1.5, -2, 0.25]


def test_what_models_and_functions_say_of_themselves(model: CompiledModule):
    assert repr(model["one"]) == f"<compiled function @one(x: {X}) -> tuple<{X}>>"
    first, *heads = repr(model).splitlines()
    assert first == "<compiled module 'model':" and len(heads) == len(model.functions)
    assert heads[0] == f"  @rows(s: !relax.shape<[k, n]>, x: {X}) -> !relax.tensor<[k, n], f32>"


def test_small_results_have_memory_of_their_own(model: CompiledModule):
    """From the second call of a shape on numpy allocates them; sizes, views and other types are as before."""
    subtract, kept = model["pythonic"], []
    for size in (3, 3, 3, 0, 0, 5, 1 << 13, 1 << 13, 3):
        x, y = np.random.default_rng(len(kept)).random((2, size), np.float32)
        kept.append((subtract(x, y), x - y))
        kept.append((subtract(x[::-1], y[::-1]), (x - y)[::-1]))
    for found, expected in kept:
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == np.float32 and found.flags.writeable
    for wrong in (V.astype(np.float64), V[:, None], V[:2], [1.0, 2.0, 3.0]):
        for _ in range(2):
            with pytest.raises(RelaxError):
                subtract(V, wrong)
    np.testing.assert_array_equal(subtract(V, V + 1), -np.ones(3))


@pytest.mark.parametrize(
    ("params", "result", "expected"),
    [
        ([("n", "4"), ("n",)], ("2 * n", "4"), True),
        ([("n",)], ("min(n, 3)",), False),
        ([("n",)], ("m",), False),
        ([("2 * n",)], ("n",), False),
        ([("n",)], ("?",), False),
    ],
)
def test_shapes_that_arguments_determine(params: Any, result: Any, expected: bool):
    ports = [Parameter(f"x{i}", "tensor", "float32", dims) for i, dims in enumerate(params)]
    out = Parameter("out0", "tensor", "float32", result)
    assert is_determined(EntryPoint("main", "m_main", tuple(ports), (out,))) == expected
    number = Parameter("k", "scalar", "int64")
    assert not is_determined(EntryPoint("main", "m_main", (*ports, number), (out,)))
