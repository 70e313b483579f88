"""TVM's operators with layouts, in each layout that TVM infers: how many we read, infer alike and legalise.

    python test/unit/support/tvm_layouts.py [--verbose]

An operator gets its tensors in plain and in blocked layouts, with sizes that are known, symbolic, or unknown.
"""

from __future__ import annotations

import argparse
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tvm import relax, tirx  # pyright: ignore[reportMissingImports]

from lowering.pipeline import lower
from relax_dialect import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.base import OperatorOp
from relax_dialect.transform.regions import functions

SIZES = {"N": 2, "C": 32, "D": 7, "H": 9, "W": 11, "O": 32, "I": 32}
KERNEL = {**SIZES, "D": 3, "H": 3, "W": 3}
BLOCK = re.compile(r"([0-9]*)([A-Za-z])")


class Row(NamedTuple):
    """A call of an operator, by what it is."""

    name: str
    make: Callable[[], Any]


def shape(layout: str, sizes: dict[str, int], kind: str, names: dict[str, Any]) -> Any:
    """The sizes of a tensor in a layout: known, symbolic where no block splits them, or unknown."""
    if kind == "unknown":
        return None
    blocks = {letter.upper(): int(size) for size, letter in BLOCK.findall(layout) if size}
    found = []
    for size, letter in BLOCK.findall(layout):
        if size:
            found.append(int(size))
        elif kind == "symbolic" and letter in "NDHW" and sizes is SIZES:
            found.append(names.setdefault(letter, tirx.Var(letter.lower(), "int64")))
        else:
            found.append(sizes[letter] // blocks.get(letter, 1))
    return found


def tensor(name: str, layout: str, sizes: dict[str, int], kind: str, names: dict[str, Any]) -> Any:
    found = shape(layout, sizes, kind, names)
    if found is None:
        rank = len(BLOCK.findall(layout))
        return relax.Var(name, relax.TensorType(dtype="float32", ndim=rank))
    return relax.Var(name, relax.TensorType(found, "float32"))


KINDS = ("known", "symbolic", "unknown")


def data_layouts(letters: str) -> list[str]:
    """Plain and blocked layouts of images."""
    spatial = letters[2:]
    return [
        letters,
        f"N{spatial}C",
        f"{spatial}NC",
        *(f"{letters}{b}c" for b in (4, 8, 16)),
        f"N{spatial}C16c",
    ]


def kernel_layouts(letters: str) -> list[str]:
    """Plain and blocked layouts of kernels."""
    first, second, spatial = letters[0], letters[1], letters[2:]
    blocked = [
        f"{letters}16{a.lower()}16{b.lower()}" for a, b in ((first, second), (second, first))
    ]
    return [
        letters,
        f"{spatial}IO",
        f"{spatial}OI",
        f"O{spatial}I",
        *blocked,
        f"{letters}4i8o",
        f"{letters}16o",
    ]


def convolutions() -> Iterator[Row]:
    for rank, spatial in enumerate(("W", "HW", "DHW"), 1):
        for suffix, order in (("", "OI"), ("_transpose", "IO")):
            op = getattr(relax.op.nn, f"conv{rank}d{suffix}")
            datas = data_layouts(f"NC{spatial}")
            for data, kernel, kind in itertools.product(
                datas, kernel_layouts(order + spatial), KINDS
            ):
                for out in (None, datas[0], datas[-2]):
                    yield Row(
                        f"conv{rank}d{suffix} {data} {kernel} {out} {kind}",
                        lambda op=op, data=data, kernel=kernel, out=out, kind=kind: _convolution(
                            op, data, kernel, out, kind
                        ),
                    )


def _convolution(op: Any, data: str, kernel: str, out: str | None, kind: str) -> Any:
    names: dict[str, Any] = {}
    x, w = tensor("x", data, SIZES, kind, names), tensor("w", kernel, KERNEL, kind, names)
    options = {"data_layout": data, "kernel_layout": kernel, "out_layout": out, "padding": 1}
    return [x, w], op(x, w, **options)


def images() -> Iterator[Row]:
    """Pools and resizing."""
    nn, image, vision = relax.op.nn, relax.op.image, relax.op.vision
    for rank, spatial in enumerate(("W", "HW", "DHW"), 1):
        pools = [(f"{kind}_pool{rank}d", {"pool_size": (2,) * rank}) for kind in ("max", "avg")]
        pools.append((f"adaptive_avg_pool{rank}d", {"output_size": (3,) * rank}))
        for name, options in pools:
            datas = data_layouts(f"NC{spatial}")
            for data, kind, out in itertools.product(datas, KINDS, (None, datas[0], datas[-2])):
                extra = {"layout": data, "out_layout": out, **options}
                yield _image(getattr(nn, name), name, data, kind, extra)
    for rank, spatial in ((2, "HW"), (3, "DHW")):
        for data, kind in itertools.product(data_layouts(f"NC{spatial}"), KINDS):
            options = {"size": (5,) * rank, "layout": data}
            yield _image(getattr(image, f"resize{rank}d"), f"resize{rank}d", data, kind, options)
    for data, kind in itertools.product(data_layouts("NCHW"), KINDS):
        boxes = relax.Var("boxes", relax.TensorType((6, 5), "float32"))
        for name, options in (
            ("roi_align", {"pooled_size": (3, 3), "spatial_scale": 1.0}),
            ("roi_pool", {"pooled_size": (3, 3), "spatial_scale": 1.0}),
        ):
            yield _image(
                getattr(vision, name), name, data, kind, {**options, "layout": data}, boxes
            )
        grid = relax.Var("grid", relax.TensorType((2, 2, 5, 6), "float32"))
        yield _image(image.grid_sample, "grid_sample", data, kind, {"layout": data}, grid)


def _image(op: Any, name: str, data: str, kind: str, options: dict[str, Any], *more: Any) -> Row:
    def make() -> Any:
        x = tensor("x", data, SIZES, kind, {})
        return [x, *more], op(x, *more, **options)

    return Row(f"{name} {data} {options.get('out_layout', '')} {kind}", make)


def theirs(row: Row) -> Any | None:
    """TVM's module of a call, None if TVM refuses it."""
    try:
        parameters, call = row.make()
        builder = relax.BlockBuilder()
        with builder.function("main", parameters):
            builder.emit_func_output(builder.emit(call))
        return builder.finalize()
    except Exception:
        return None


def fate(module: Any) -> str:
    """What becomes of a module: read, with TVM's result type or a narrower one, and legalised; or refused."""
    try:
        ours = tvmscript.from_tvm(module)
        (function,) = functions(ours)
        computed = function.return_op.value.owner
        if not isinstance(computed, OperatorOp):
            return f"not compared: {computed}"
        declared, inferred = function.function_type.output, computed.results[0].type
        if declared != inferred:
            is_narrower = is_subtype(inferred, declared)
            return "narrower" if is_narrower else f"another type: {declared} and {inferred}"
        if "?" not in str(function.function_type) and "*" not in str(function.function_type):
            lower(ours, ["relax-legalize"])
            left = [op.name for op in walk_ops(function) if isinstance(op, OperatorOp)]
            return f"not legalised: {left}" if left else "equal"
    except RelaxError as error:
        return f"refused: {error}"
    return "equal"


def rows() -> Iterator[Row]:
    yield from convolutions()
    yield from images()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    given = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for row in itertools.islice(rows(), None, None, given.every):
        module = theirs(row)
        found = "TVM refuses it" if module is None else fate(module)
        counts[found.partition(":")[0]] += 1
        if given.verbose and found.startswith(("refused", "another", "not")):
            print(f"{row.name}: {found}")
    for found, count in counts.most_common():
        print(f"{count:6} {found}")


if __name__ == "__main__":
    main()
