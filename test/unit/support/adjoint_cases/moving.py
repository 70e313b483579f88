"""Operators that move, repeat, read and write elements."""

from __future__ import annotations

import numpy as np

from relax_dialect.builder import op

from .case import Case, case, fixed

CASES: dict[str, Case] = {}

for axis in (0, 1):
    CASES |= {
        f"concat_{axis}": case(lambda x, y, a=axis: op.concat([x, y], axis=a), (2, 2), (2, 2)),
        f"stack_{axis}": case(lambda x, y, a=axis: op.stack([x, y], axis=a), (2, 3), (2, 3)),
        f"cumsum_{axis}": case(lambda x, a=axis: op.cumsum(x, a), (2, 3)),
        f"flip_{axis}": case(lambda x, a=axis: op.flip(x, a), (2, 3)),
        f"roll_{axis}": case(lambda x, a=axis: op.roll(x, [2], [a]), (2, 3)),
        f"repeat_{axis}": case(lambda x, a=axis: op.repeat(x, 3, a), (2, 3)),
        f"take_{axis}": fixed(lambda x, a=axis: op.take(x, np.array([[0, 1], [1, -1]]), a), (2, 3)),
        f"gather_elements_{axis}": fixed(
            lambda x, a=axis: op.gather_elements(x, np.array([[0, 1, 1], [1, 1, 0]]), a), (2, 3)
        ),
    }
CASES |= {
    "reshape": fixed(lambda x: op.reshape(x, [3, 2]), (2, 3)),
    "flatten": case(op.flatten, (2, 3)),
    "batch_flatten": case(op.batch_flatten, (2, 3, 2)),
    "expand_dims": case(lambda x: op.expand_dims(x, [0, 2]), (2, 3)),
    "squeeze": case(lambda x: op.squeeze(x, [1]), (3, 1)),
    "permute_dims": case(lambda x: op.permute_dims(x, [2, 0, 1]), (2, 3, 4)),
    "broadcast_to": fixed(lambda x: op.broadcast_to(x, [2, 3, 4]), (3, 1)),
    "collapse_sum_to": fixed(lambda x: op.collapse_sum_to(x, [1, 4]), (2, 4)),
    "collapse_sum_like": case(op.collapse_sum_like, (2, 3), (3,)),
    "concat_flat": case(lambda x, y: op.concat([x, y], axis=None), (2, 3), (3,)),
    "split": fixed(lambda x: op.split(x, [1, 2], 1)[1], (2, 4)),
    "meshgrid": case(lambda x, y: op.meshgrid([x, y], "xy")[1], (2,), (3,)),
    "cumsum_flat": case(op.cumsum, (2, 3)),
    "cumsum_exclusive": case(lambda x: op.cumsum(x, 1, exclusive=True), (2, 3)),
    "take_backward": fixed(
        lambda g, x: op.take_backward(g, x, np.array([[0, 1], [1, -1]]), 1), (2, 2, 2), (2, 3)
    ),
    "take_flat": fixed(lambda x: op.take(x, np.array([0, 1, 1])), (2,)),
    "index_tensor": fixed(
        lambda x: op.index_tensor(x, [np.array([0, 1, 1]), np.array([1, 1, -1])]), (2, 3)
    ),
    "strided_slice": case(lambda x: op.strided_slice(x, [1], [0], [2]), (2, 3)),
    "strided_slice_back": fixed(lambda x: op.strided_slice(x, [1], [-1], [0], [-2]), (2, 5)),
    "tile": case(lambda x: op.tile(x, [2, 1, 3]), (2, 3)),
    "repeat_never": case(lambda x: op.concat([op.repeat(x, 0), x], axis=0), (3,)),
    "repeat_flat": case(lambda x: op.repeat(x, 3), (2, 3)),
    "reverse_sequence": fixed(lambda x: op.reverse_sequence(x, np.array([2, 3]), 1, 0), (2, 3)),
    "tril": case(lambda x: op.tril(x, 1), (2, 4)),
    "triu": case(lambda x: op.triu(x, 1), (2, 4)),
    "full": case(lambda x: op.full([2, 3], op.sum(x)), (2,)),
    "full_like": case(lambda x: op.full_like(x, op.sum(x)), (2,)),
}
CASES |= {
    "slice_scatter": fixed(lambda x, y: op.slice_scatter(x, y, [0], [4], [2], [1]), (2, 5), (2, 2)),
    "scatter_elements_add": fixed(
        lambda x, y: op.scatter_elements(x, np.array([[0, 0, 1]]), y, 0, "add"), (2, 3), (1, 3)
    ),
    "scatter_elements_update": fixed(
        lambda x, y: op.scatter_elements(x, np.array([[0, 1, 1]]), y, 0), (2, 3), (1, 3)
    ),
    **{
        f"scatter_elements_{how}": fixed(
            lambda x, y, h=how: op.scatter_elements(x, np.array([[0, 0, 1], [0, 1, 1]]), y, 0, h),
            (2, 3),
            (2, 3),
        )
        for how in ("mul", "max", "min", "mean")
    },
    "scatter_nd_mul": fixed(
        lambda x, y: op.scatter_nd(x, np.array([[1], [1]]), y, "mul"), (2, 3), (2, 3)
    ),
    "scatter_nd": fixed(
        lambda x, y: op.scatter_nd(x, np.array([[1], [1]]), y, "add"), (2, 3), (2, 3)
    ),
    "index_put": fixed(lambda x, y: op.index_put(x, [np.array([1, 0])], y), (2, 3), (2, 3)),
    "gather_nd": fixed(lambda x: op.gather_nd(x, np.array([[1, 0], [1, 2]])), (2, 3)),
}
for mode, widths in {
    "constant": [1, 2, 0, 1],
    "reflect": [0, 2, 1, 0],
    "replicate": [2, 1, 0, 3],
    "circular": [2, 1, 1, 0],
}.items():
    CASES[f"pad_{mode}"] = case(lambda x, w=widths, m=mode: op.pad(x, w, m), (3, 4))
CASES |= {
    "gather_nd_batch": fixed(
        lambda x: op.gather_nd(x, np.array([[[1], [1]], [[0], [-1]]]), 1), (2, 3, 2)
    ),
    "pixel_shuffle": fixed(lambda x: op.pixel_shuffle(x, 2), (1, 8, 2, 3)),
    "pixel_unshuffle": fixed(lambda x: op.pixel_unshuffle(x, 2), (2, 2, 6)),
    "depth_to_space": fixed(lambda x: op.depth_to_space(x, 2), (1, 8, 2, 1)),
    "depth_to_space_crd": fixed(lambda x: op.depth_to_space(x, 2, "CRD"), (1, 8, 2, 1)),
    "space_to_depth": fixed(lambda x: op.space_to_depth(x, 2), (1, 2, 4, 2)),
    "layout_transform": case(
        lambda x: op.layout_transform(x, lambda n, c: (n, c // 4, c % 4), 3.0), (2, 6)
    ),
    "trace": case(lambda x: op.trace(x, 1), (3, 4)),
    "trace_turned": case(lambda x: op.trace(x, -1, 2, 0), (3, 2, 4)),
    "view": case(lambda x: op.view(x, [3], None, 16), (2, 4)),
    "dynamic_strided_slice": fixed(
        lambda x: op.dynamic_strided_slice(
            x, np.array([1, 3]), np.array([3, -5]), np.array([1, -2])
        ),
        (3, 4),
    ),
    "get_valid_counts": fixed(lambda x: op.get_valid_counts(x, 0.5, -1, 0)[1], (2, 4, 3)),
    "dequantize": fixed(
        lambda s: op.dequantize(
            np.arange(6, dtype="i1").reshape(2, 3), s, np.int8(1), out_dtype="f64"
        ),
        (3,),
    ),
    "dequantize_one": fixed(
        lambda s: op.dequantize(
            np.arange(6, dtype="i1").reshape(2, 3), op.sum(s), np.int8(1), out_dtype="f64"
        ),
        (1,),
    ),
    "dequantize_blocks": fixed(
        lambda s: op.dequantize(
            np.arange(10, dtype="i1").reshape(2, 5), s, np.int8(1), 1, "f64", block_size=2
        ),
        (2, 3),
    ),
    "dynamic_quantize": case(lambda x: op.dynamic_quantize(x)[1], (2, 3)),
}
for mode in ("clip", "wrap", "nan"):
    CASES[f"take_{mode}"] = fixed(
        lambda x, m=mode: op.where(
            op.isnan(op.take(x, np.array([1, 5, 2, -1]), 1, m)),
            0.0,
            op.take(x, np.array([1, 5, 2, -1]), 1, m),
        ),
        (2, 3, 2),
    )
