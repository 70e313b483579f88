"""Convolutions and pools on channels in blocks: transposed to plain layouts and back, they are PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optional import LIGHTLY, examples, package
from other_cpu import OWN_CPU

import lowering
from relax_dialect import interpret, symbolic
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.gradient import gradient
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.blocked_layouts import parse_layout
from relax_dialect.ops.windows import LayoutOp
from relax_dialect.rewrites.algebra.fold_batch_norm import fold_batch_norms
from relax_dialect.rewrites.quantization.quantizing.quantized_regions import obstacle

Array = np.ndarray[Any, Any]


def blocked(array: Array, plain: str, layout: str) -> Array:
    """An array of a layout without blocks in another one, axis by axis: without what is tested."""
    parts = _parts(layout)
    sizes = dict(zip(plain, array.shape))
    blocks = {name.upper(): size for name, size in parts if size}
    shape = [
        n
        for d in plain
        for n in ((sizes[d] // blocks[d], blocks[d]) if d in blocks else (sizes[d],))
    ]
    names = [n for d in plain for n in ((d, d.lower()) if d in blocks else (d,))]
    return array.reshape(shape).transpose([names.index(name) for name, _ in parts])


def _parts(layout: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    digits = ""
    for letter in layout:
        if letter.isdigit():
            digits += letter
        else:
            found.append((letter, int(digits or 0)))
            digits = ""
    return found


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def images(layout: str, channels: int, *, symbolic: bool = True) -> TensorType:
    """The type of images of a layout, of symbolic batch and spatial sizes."""
    blocks = {name.upper(): size for name, size in _parts(layout) if size}
    sizes: dict[str, Any] = {"N": "n", "H": "h", "W": "w", "C": channels}
    sizes |= {d: channels // size for d, size in blocks.items()}
    return TensorType([size or sizes[name] for name, size in _parts(layout)], "f32")


def program(type: TensorType, body: Callable[[Any], Any]) -> Any:
    bb = BlockBuilder()
    with bb.function("f", {"x": type}) as (x,):
        with bb.dataflow():
            y = bb.emit_output(body(x))
        bb.emit_func_output(y)
    return bb.get()


X, W = random(2, 24, 9, 7), random(16, 24, 3, 3, seed=1)


def torch_conv(x: Array, w: Array, **options: Any) -> Array:
    torch = package("torch")
    return torch.nn.functional.conv2d(torch.tensor(x), torch.tensor(w), **options).numpy()


def convolution(
    data: str, kernel: str, out: str, w: Array = W, **options: Any
) -> Callable[[Any], Any]:
    weight = const(np.ascontiguousarray(blocked(w, "OIHW", kernel)))
    layouts = {"data_layout": data, "kernel_layout": kernel, "out_layout": out}
    return lambda x: op.conv2d(x, weight, **layouts, **options)


CONVOLUTIONS = {
    "both": (("NCHW8c", "OIHW8i4o", "NCHW4c"), {}, W),
    "kernel": (("NCHW", "OIHW8i16o", "NCHW"), {"padding": 1}, W),
    "result": (("NHWC", "HWIO", "NCHW16c"), {"strides": 2}, W),
    "inner_first": (("N3cHCW", "4oO2iHWI", "16cNHWC"), {"padding": 1}, W),
    "groups": (("NCHW12c", "OIHW4i8o", "NCHW8c"), {"groups": 2}, random(16, 12, 3, 3, seed=2)),
}


def compiled(cases: dict[str, Any], cpu: str) -> Any:
    bb = BlockBuilder()
    for name, (type, body) in cases.items():
        with bb.function(name, {"x": type}) as (x,):
            with bb.dataflow():
                y = bb.emit_output(body(x))
            bb.emit_func_output(y)
    module = bb.get()
    return module, lowering.compile(module, cpu=cpu, extra_flags=LIGHTLY)


@pytest.mark.parametrize("cpu", OWN_CPU)
def test_convolutions(cpu: str):
    package("torch")
    cases = {
        name: (images(layouts[0], 24), convolution(*layouts, w, **options))
        for name, (layouts, options, w) in CONVOLUTIONS.items()
    }
    module, model = compiled(cases, cpu)
    for name, (layouts, options, w) in CONVOLUTIONS.items():
        options = {{"strides": "stride"}.get(k, k): v for k, v in options.items()}
        expected = blocked(torch_conv(X, w, **options), "NCHW", layouts[2])
        x = np.ascontiguousarray(blocked(X, "NCHW", layouts[0]))
        for found in (interpret.run(module, name, x), model[name](x)):
            assert found.shape == expected.shape, name
            np.testing.assert_allclose(found, expected, atol=3e-5, err_msg=name)


POOLS = {
    "max_pool2d": (
        partial(op.max_pool2d, pool_size=3, strides=2, padding=1),
        "max_pool2d",
        (3, 2, 1),
    ),
    "avg_pool2d": (partial(op.avg_pool2d, pool_size=2), "avg_pool2d", (2, 1)),
    "adaptive_avg_pool2d": (
        partial(op.adaptive_avg_pool2d, output_size=2),
        "adaptive_avg_pool2d",
        (2,),
    ),
    "adaptive_max_pool2d": (
        partial(op.adaptive_max_pool2d, output_size=3),
        "adaptive_max_pool2d",
        (3,),
    ),
}


def test_pools():
    torch = package("torch")
    layouts = ("NCHW8c", "NCHW3c"), ("NCHW4c", "NHWC"), ("NHWC", "NCHW2c")
    cases = {
        f"{name}_{number}": (images(data, 24), partial(pool, layout=data, out_layout=out))
        for name, (pool, _, _) in POOLS.items()
        for number, (data, out) in enumerate(layouts)
    }
    module, model = compiled(cases, "native")
    for name, (_, theirs, arguments) in POOLS.items():
        wanted = getattr(torch.nn.functional, theirs)(torch.tensor(X), *arguments).numpy()
        for number, (data, out) in enumerate(layouts):
            expected = blocked(wanted, "NCHW", out)
            x = np.ascontiguousarray(blocked(X, "NCHW", data))
            case = f"{name}_{number}"
            for found in (interpret.run(module, case, x), model[case](x)):
                assert found.shape == expected.shape
                np.testing.assert_allclose(found, expected, atol=1e-6, err_msg=case)


def test_a_transposed_convolution():
    torch = package("torch")
    w = random(24, 8, 2, 2, seed=3)
    weight = const(np.ascontiguousarray(blocked(w, "IOHW", "IOHW4o3i")))
    layouts = {"data_layout": "NCHW6c", "kernel_layout": "IOHW4o3i"}
    module, model = compiled(
        {
            "f": (
                images("NCHW6c", 24),
                lambda x: op.conv2d_transpose(x, weight, 2, out_layout="NCHW2c", **layouts),
            )
        },
        "native",
    )
    wanted = torch.nn.functional.conv_transpose2d(
        torch.tensor(X), torch.tensor(w), stride=2
    ).numpy()
    x = np.ascontiguousarray(blocked(X, "NCHW", "NCHW6c"))
    for found in (interpret.run(module, "f", x), model.f(x)):
        np.testing.assert_allclose(found, blocked(wanted, "NCHW", "NCHW2c"), atol=3e-5)


def test_images():
    """Resized and sampled images of blocks, and gradients of their pools."""
    torch = package("torch")
    functional, x = torch.nn.functional, torch.tensor(X, requires_grad=True)
    grid = np.tanh(random(2, 4, 5, 2, seed=4))
    given = torch.tensor(random(2, 24, 8, 6, seed=5))
    cases: dict[str, tuple[Callable[[Any], Any], Any, str]] = {
        "resized": (
            lambda x: op.resize2d(x, [12, 14], layout="NCHW8c"),
            functional.interpolate(x, (12, 14), mode="bilinear"),
            "NCHW8c",
        ),
        "sampled": (
            lambda x: op.grid_sample(x, const(grid), layout="NCHW8c", align_corners=True),
            functional.grid_sample(x, torch.tensor(grid), align_corners=True),
            "NCHW8c",
        ),
    }
    for name, pool in (("max", functional.max_pool2d), ("avg", functional.avg_pool2d)):
        (wanted,) = torch.autograd.grad(pool(x, 2, 1), x, given)
        made = getattr(op, f"{name}_pool2d_backward")
        cotangent = const(np.ascontiguousarray(blocked(given.numpy(), "NCHW", "NCHW3c")))
        cases[name] = (
            lambda x, made=made, gy=cotangent: made(
                gy, x, [2], layout="NCHW8c", out_layout="NCHW3c"
            ),
            wanted,
            "NCHW8c",
        )
    static = TensorType([2, 3, 9, 7, 8], "f32")
    module, model = compiled({name: (static, case[0]) for name, case in cases.items()}, "native")
    blocks = np.ascontiguousarray(blocked(X, "NCHW", "NCHW8c"))
    for name, (_, wanted, layout) in cases.items():
        expected = blocked(wanted.detach().numpy(), "NCHW", layout)
        for found in (interpret.run(module, name, blocks), model[name](blocks)):
            assert found.shape == expected.shape, name
            np.testing.assert_allclose(found, expected, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("layout", ["CNHW", "8cNCHW"])
def test_samples_of_images_whose_batch_is_not_first(layout: str):
    torch = package("torch")
    grid = np.tanh(random(2, 4, 5, 2, seed=4))
    x = np.ascontiguousarray(blocked(X, "NCHW", layout))
    body = lambda x: op.grid_sample(x, const(grid), layout=layout, align_corners=True)  # noqa: E731
    module, model = compiled({"f": (TensorType(x.shape, "f32"), body)}, "native")
    wanted = torch.nn.functional.grid_sample(
        torch.tensor(X), torch.tensor(grid), align_corners=True
    ).numpy()
    for found in (interpret.run(module, "f", x), model.f(x)):
        np.testing.assert_allclose(found, blocked(wanted, "NCHW", layout), atol=1e-5)


@examples(60)
@given(st.permutations("NCHW"), st.booleans(), st.integers(1, 4), st.randoms())
def test_a_layout_and_back(order: list[str], is_blocked: bool, block: int, random: Any):
    from relax_dialect.interpret.windows import in_order

    layout = "".join(order)
    if is_blocked:
        at = random.randint(0, 4)
        layout = f"{layout[:at]}{block}c{layout[at:]}"
    x = np.arange(2 * 12 * 3 * 2).reshape(2, 12, 3, 2)
    np.testing.assert_array_equal(in_order(x, "NCHW", layout), blocked(x, "NCHW", layout))
    np.testing.assert_array_equal(in_order(blocked(x, "NCHW", layout), layout, "NCHW"), x)


def test_gradients():
    """A loss on blocks has the gradient of the plain loss."""
    type = images("NCHW8c", 24)
    kernel = convolution("NCHW8c", "OIHW8i4o", "NCHW4c")
    module = program(type, lambda x: op.sum(op.tanh(op.max_pool2d(kernel(x), 2, layout="NCHW4c"))))
    gradient(module, "f")
    torch = package("torch")
    x = torch.tensor(X, requires_grad=True)
    y = torch.nn.functional.conv2d(x, torch.tensor(W))
    torch.tanh(torch.nn.functional.max_pool2d(y, 2, 1)).sum().backward()
    blocks = np.ascontiguousarray(blocked(X, "NCHW", "NCHW8c"))
    _, (found,) = interpret.run(module, "f_adjoint", blocks)
    np.testing.assert_allclose(found, blocked(x.grad.numpy(), "NCHW", "NCHW8c"), atol=1e-4)


def test_passes_that_know_no_blocks_leave_them():
    ones = const(np.ones(4, "f4"))
    kernel = convolution("NCHW8c", "OIHW8i4o", "NCHW4c")
    module = program(
        images("NCHW8c", 24), lambda x: op.batch_norm(kernel(x), ones, ones, ones, ones, axis=1)[0]
    )
    assert fold_batch_norms(module) == 0
    (conv,) = [each for each in module.walk() if isinstance(each, LayoutOp)]
    assert obstacle(conv) == "its channels are in blocks"


BAD = {
    "twice": ("NCHW4c2c", 24, r'\(C2\), found "NCHW4c2c"'),
    "no_axis": ("NHW4c", 24, r'\(C2\), found "NHW4c"'),
    "spatial": ("NCHW4h", 24, r'\(C2\), found "NCHW4h"'),
    "zero": ("NCHW0c", 24, r'\(C2\), found "NCHW0c"'),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_layouts(name: str):
    layout, _, message = BAD[name]
    with pytest.raises(RelaxError, match=message):
        program(TensorType([2, 6, 5, 5, 4], "f32"), lambda x: op.max_pool2d(x, 2, layout=layout))


def test_blocks_of_other_sizes_are_refused():
    with pytest.raises(RelaxError, match=r"a size of 8 along c of NCHW8c \(C2\), found 4"):
        program(images("NCHW4c", 24), lambda x: op.max_pool2d(x, 2, layout="NCHW8c"))
    with pytest.raises(RelaxError, match=r"blocks of 5 to divide the axis C of the result \(C2\)"):
        program(images("NCHW", 24), lambda x: op.max_pool2d(x, 2, out_layout="NCHW5c"))


def test_symbolic_channels_are_checked_when_the_program_runs():
    type = TensorType(["n", "c", 4, 4], "f32")
    module = program(type, lambda x: op.max_pool2d(x, 2, out_layout="NCHW8c"))
    (pool,) = [each for each in module.walk() if isinstance(each, LayoutOp)]
    assert pool.results[0].type == TensorType(["n", symbolic.var("c") // 8, 3, 3, 8], "f32")
    model = lowering.compile(module, extra_flags=LIGHTLY)
    for run in (partial(interpret.run, module, "f"), model.f):
        assert run(random(1, 16, 4, 4)).shape == (1, 2, 3, 3, 8)
        with pytest.raises(RelaxError, match="expected"):
            run(random(1, 12, 4, 4))


@pytest.mark.parametrize(
    ("text", "plain"),
    [("NCHW16c", "NCHW"), ("OIHW16i16o", "OIHW"), ("4oO2iHWI", "OHWI"), ("NCHW", "NCHW")],
)
def test_layouts_are_parsed(text: str, plain: str):
    layout = parse_layout(text)
    assert layout is not None and layout.plain == plain
    assert [layout.merging[i] for i in layout.splitting] == [*range(len(layout.axes))]


@pytest.mark.parametrize("text", ["", "16", "c", "NcHW", "NCHW16", "NC HW", "NCHWé", "4c"])
def test_what_is_no_layout(text: str):
    assert parse_layout(text) is None


TVM = {
    "R.nn.conv2d(x, w, data_layout='NCHW8c', kernel_layout='OIHW8i4o', out_layout='NCHW4c', padding=1)": "(n, 4, 9, 7, 4)",
    "R.nn.conv2d(x, w, data_layout='NCHW8c', kernel_layout='OIHW8i4o', out_layout='NHWC', strides=2)": "(n, 4, 3, 16)",
    "R.nn.max_pool2d(x, (3, 3), layout='NCHW8c', out_layout='NCHW6c')": "(n, 4, 7, 5, 6)",
    "R.nn.avg_pool2d(x, (2, 2), layout='NCHW8c')": "(n, 3, 8, 6, 8)",
    "R.image.resize2d(x, (4, 5), layout='NCHW8c')": "(n, 3, 4, 5, 8)",
    "R.nn.adaptive_avg_pool2d(x, (2, 2), layout='NCHW8c')": "(n, 3, 2, 2, 8)",
}


@pytest.mark.parametrize("call", TVM)
def test_the_types_are_those_of_tvm(call: str):
    text = f"""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3, 9, 7, 8), "float32"), w: R.Tensor((4, 3, 3, 3, 8, 4), "float32")):
        y = {call}
        return y
"""
    ours = tvmscript.loads(text)
    (found,) = [each for each in ours.walk() if isinstance(each, LayoutOp)]
    shape = found.results[0].type.shape
    assert f"({', '.join(map(str, shape))})" == TVM[call]
    tvm = package("tvm")
    theirs = tvm.script.from_source(text)
    tvm.ir.assert_structural_equal(tvm.script.from_source(tvmscript.dump(ours)), theirs)
    assert theirs["main"].ret_ty.shape.values[1] == shape[1].value
