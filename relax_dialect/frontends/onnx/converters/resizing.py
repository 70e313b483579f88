"""Images of other sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.crop import cropped
from relax_dialect.frontends.onnx.evaluation.new_sizes import ResizeTarget, by_scales, in_proportion
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.symbolic import Expr

METHODS = {
    "nearest": "nearest_neighbor",
    "linear": "linear",
    "bilinear": "linear",
    "cubic": "cubic",
}
RESIZES = (op.resize1d, op.resize2d, op.resize3d)
LETTERS = ("W", "HW", "DHW")
POLICIES = {word: word for word in ("stretch", "not_larger", "not_smaller")}


@converter("Upsample")
def upsample(node: OnnxNode) -> Any:
    scales = node.attr("scales") if node.opset < 9 else _scales(node, 1)
    return _resized_10(node, np.array(scales, np.float32) if node.opset < 9 else scales)


@converter("Resize")
def resize_10(node: OnnxNode) -> Any:
    return _resized_10(node, _scales(node, 1))


def _resized_10(node: OnnxNode, scales: Any) -> Any:
    """Resize to the element before each position, or interpolate between its neighbours."""
    found = by_scales(node, range(node.rank(0)), scales)
    options = {"method": node.choice("mode", METHODS), "rounding_method": "floor"}
    return _resized(node, found, coordinate_transformation_mode="asymmetric", **options)


@converter("Resize", since=11)
def resize(node: OnnxNode) -> Any:
    rank = node.rank(0)
    axes = [node.checked_axis(a, rank) for a in node.attr("axes", None) or range(rank)]
    sizes = None if not node.has(3) or _is_nothing(node, 3) else node.sizes(3)
    policy = node.choice("keep_aspect_ratio_policy", POLICIES, "stretch")
    if sizes is None:
        found = by_scales(node, axes, _scales(node, 2))
    elif len(sizes) != len(axes):
        node.fail(f"a size for each of {len(axes)} axes", str(len(sizes)), "correct the model")
    elif policy == "stretch":
        found = ResizeTarget(dict(zip(axes, sizes)))
    else:
        found = in_proportion(node, axes, sizes, policy)
    mode = node.attr("coordinate_transformation_mode")
    options: dict[str, Any] = {"method": node.choice("mode", METHODS)}
    options["coordinate_transformation_mode"] = mode
    if options["method"] == "nearest_neighbor":
        options["rounding_method"] = node.attr("nearest_mode")
    else:
        options["antialias"] = bool(node.attr("antialias", 0))
        options["cubic_exclude"] = bool(node.attr("exclude_outside"))
    if options["method"] == "cubic":
        options["cubic_alpha"] = node.attr("cubic_coeff_a")
    if mode == "tf_crop_and_resize" and node.known(1) is None:
        names = {
            name: options[name]
            for name in ("method", "rounding_method", "antialias")
            if name in options
        }
        filler = node.attr("extrapolation_value")
        new = [found.sizes.get(axis, node.shape(0)[axis]) for axis in axes]
        region = node.with_sizes(node.tensor(1), [symbolic.const(2 * len(axes))])
        return cropped(node, region, axes, new, {**names, "extrapolation_value": filler})
    if mode == "tf_crop_and_resize":
        parts = np.concatenate([np.zeros(rank), np.ones(rank)])
        given = node.array(1).reshape(-1)
        if len(given) != 2 * len(axes):
            node.fail(f"{2 * len(axes)} numbers in roi", str(len(given)), "correct the model")
        parts[[*axes, *(a + rank for a in axes)]] = given
        options |= {"roi": parts, "extrapolation_value": node.attr("extrapolation_value")}
    return _resized(node, found, **options)


def _is_nothing(node: OnnxNode, place: int) -> bool:
    """Returns whether an input is known to have no elements."""
    return any(size.value == 0 for size in node.shape(place))


def _scales(node: OnnxNode, place: int) -> Any:
    """Return the scales, known or a value of the program."""
    known = node.known(place)
    return node.tensor(place) if known is None else known.reshape(-1)


def _is_meant(old: Expr, new: Expr) -> bool:
    """Returns whether a new size provably differs from the old one, or is computed from it."""
    return symbolic.provably_different(old, new) or bool(
        {*old.free_variables} & {*new.free_variables}
    )


def _of_images(node: OnnxNode, target: ResizeTarget, changed: list[int]) -> tuple[Any, list[int]]:
    """Return the node's tensor, checked to keep its first two sizes unless it is known not to, and the
    changing axes."""
    shape = node.shape(0)
    kept = {axis: target.sizes[axis] for axis in changed if axis < 2}
    rest = [axis for axis in changed if axis >= 2]
    if target.scales is not None or any(_is_meant(shape[d], n) for d, n in kept.items()):
        return node.tensor(0), changed
    return node.with_sizes(node.tensor(0), [kept.get(d, n) for d, n in enumerate(shape)]), rest


def _resized(node: OnnxNode, target: ResizeTarget, **options: Any) -> Any:
    """Resize along the axes that change, up to three at a time: intermediate results are not rounded."""
    x, shape = node.tensor(0), list(node.shape(0))
    rank, parts = len(shape), options.pop("roi", None)
    changed = [
        axis
        for axis, old in enumerate(shape)
        if target.changes(axis, old)
        or (parts is not None and (parts[axis], parts[axis + rank]) != (0, 1))
    ]
    if not changed:
        return x
    if len(changed) <= 3:
        return _at_once(node, x, shape, changed, target, parts, options)
    x, changed = _of_images(node, target, changed)
    wide = options["method"] != "nearest_neighbor" and len(changed) > 3
    if wide:
        x = node.emit(op.astype(x, "f64"))
    for first in range(0, len(changed), 3):
        axes = changed[first : first + 3]
        x = node.emit(_at_once(node, x, shape, axes, target, parts, options))
        shape = [target.sizes.get(d, n) if d in axes else n for d, n in enumerate(shape)]
    if wide and node.dtype(0).kind in "iu":
        x = op.round(x)
    return op.astype(x, node.dtype(0).name) if wide else x


def _at_once(
    node: OnnxNode,
    x: Any,
    shape: Sequence[Expr],
    changed: Sequence[int],
    target: ResizeTarget,
    parts: Any,
    given: Mapping[str, Any],
) -> Any:
    """Resize a tensor of a shape along one to three axes."""
    rank, options = len(shape), dict(given)
    new = [target.sizes.get(axis, shape[axis]) for axis in changed]
    if parts is not None:
        options["roi"] = [*parts[changed], *parts[[axis + rank for axis in changed]]]
    scales = target.scales_of(changed)
    if scales is not None:
        options["scales"] = node.emit(scales)
    if scales is None and all(
        symbolic.maximum(shape[axis], size) is size for axis, size in zip(changed, new)
    ):
        options.pop("antialias", None)
    make, letters = RESIZES[len(changed) - 1], LETTERS[len(changed) - 1]
    kept = [axis for axis in range(rank) if axis not in changed]
    if len(kept) == 2:
        named = dict(zip([*kept, *changed], f"NC{letters}"))
        layout = "".join(named[axis] for axis in range(rank))
        return make(x, new, layout=layout, **options)
    order = [*kept, *changed]
    sizes = [shape[axis] for axis in kept]
    moved = op.permute_dims(x, order) if order != sorted(order) else x
    leading = [*[symbolic.const(1)] * (2 - len(sizes)), *sizes]
    leading = [leading[0], symbolic.product(leading[1:])]
    y = make(op.reshape(moved, [*leading, *(shape[axis] for axis in changed)]), new, **options)
    y = op.reshape(y, [*sizes, *new])
    return (
        y if order == sorted(order) else op.permute_dims(y, [order.index(d) for d in range(rank)])
    )
