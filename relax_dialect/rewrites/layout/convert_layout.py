"""relax-convert-layout{op=conv2d data=NCHW16c kernel=OIHW16i16o}: convolutions get other layouts, which the
operators after them take over.

```mlir
%h = relax.conv2d %x, %w : [n, 32, h, w]
%y = relax.relu %h : [n, 32, h, w]
->
%0 = relax.permute_dims (relax.reshape %x) : [n, 2, h, w, 16]
%1 = ... %w : [2, 2, 3, 3, 16, 16]
%2 = relax.conv2d %0, %1 {data_layout = "NCHW16c", kernel_layout = "OIHW16i16o"} : [n, 2, h, w, 16]
%3 = relax.relu %2 : [n, 2, h, w, 16]
%y = relax.reshape (relax.permute_dims %3) : [n, 32, h, w]
```

As TVM's ConvertLayout, which takes no blocks. Elementwise operators, with what they broadcast, and pools
keep the layout of their operand; other users of a value get it in its old layout, converted once. A
convolution stays if a block is not known to divide its channels, or a size is unknown. Conversions of
constants are computed by `relax-fold-constant`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from relax_dialect.dpl.syntax.pattern_names import operator
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.binary import BroadcastingOp
from relax_dialect.ops.blocked_layouts import names_axes, parse_layout
from relax_dialect.ops.convolution import ConvolutionOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.manipulate import ReshapeOp
from relax_dialect.ops.pooling import AdaptivePoolOp, PoolOp
from relax_dialect.ops.ternary import ClipOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.ops.unary import UnaryOp
from relax_dialect.ops.windows import Sizes
from relax_dialect.symbolic import const
from relax_dialect.transform.blocked_layouts import with_layouts
from relax_dialect.transform.pattern_driver import apply_patterns
from relax_dialect.transform.regions import erase, functions, sort_regions
from relax_dialect.transform.relayout import relayout

NAME = "relax-convert-layout"


@dataclass(frozen=True)
class Laid:
    """The replacement of a value, in another layout."""

    value: OpResult
    layout: str
    old_layout: str


@dataclass
class Layouts:
    """The layouts that are wanted, and the values of one function that have them."""

    op: type[Operation]
    data: str
    kernel: str
    out: str
    laid: dict[SSAValue, Laid] = field(default_factory=dict)

    def record(self, old: Operation, new: Operation, layout: str, old_layout: str) -> None:
        """Record that an op replaces another one, which is erased in the end."""
        new.location = old.location
        new.results[0].name_hint = old.results[0].name_hint
        self.laid[old.results[0]] = Laid(new.results[0], layout, old_layout)

    def get(
        self, value: SSAValue, old_layout: str, layout: str, rewriter: PatternRewriter
    ) -> SSAValue:
        """A value in a layout, before the op that the rewriter is at."""
        found = self.laid.get(value)
        if found is not None:
            value, old_layout = found.value, found.layout
        return relayout(value, old_layout, layout, rewriter.insert)

    def finish(self) -> None:
        """Convert back what other ops use, and erase the ops that were replaced."""
        for old, found in reversed(self.laid.items()):
            owner, last = old.owner, found.value.op
            assert isinstance(owner, Operation)
            if old.first_use is not None:
                block = last.parent
                assert block is not None
                made: list[Operation] = []
                back = relayout(found.value, found.layout, found.old_layout, made.append)
                block.insert_ops_after(made, last)
                back.name_hint = old.name_hint
                old.replace_all_uses_with(back)
            erase(owner)


def are_known(values: Sequence[SSAValue]) -> bool:
    """Whether values are tensors of known sizes."""
    shapes = [v.type.shape if isinstance(v.type, TensorType) else None for v in values]
    return all(shape is not None and None not in shape for shape in shapes)


def are_divided(sizes: Sizes, layout: str) -> bool:
    """Whether the blocks of a layout divide its axes."""
    found = parse_layout(layout)
    assert found is not None
    extents = [(sizes[letter], block) for letter, block in found.blocks.items()]
    return all(size is not None and (size % block).value == 0 for size, block in extents)


@dataclass
class ConvertConvolution(RewritePattern):
    """A convolution in the layouts that are wanted."""

    layouts: Layouts

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        wanted = self.layouts
        if not (type(op) is wanted.op and isinstance(op, ConvolutionOp)):
            return
        names = {
            "data_layout": wanted.data,
            "kernel_layout": wanted.kernel,
            "out_layout": wanted.out,
        }
        if names == {name: getattr(op, name) for name in names} or not self._fits(op):
            return
        x = wanted.get(op.operands[0], op.x_layout, wanted.data, rewriter)
        weight = wanted.get(op.operands[1], op.weight_layout, wanted.kernel, rewriter)
        rewriter.insert(new := with_layouts(op, [x, weight], names))
        wanted.record(op, new, wanted.out, op.result_layout)

    def _fits(self, op: ConvolutionOp) -> bool:
        if not are_known([*op.operands, *op.results]):
            return False
        result = op.sizes("result", tensor_type(op.results[0]), op.result_layout)
        return (
            are_divided(op.x_sizes, self.layouts.data)
            and are_divided(op.weight_sizes, self.layouts.kernel)
            and are_divided(result, self.layouts.out)
        )


@dataclass
class ConvertPool(RewritePattern):
    """A pool in the layout of its operand."""

    layouts: Layouts

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, PoolOp | AdaptivePoolOp) or len(op.results) > 1:
            return
        found = self.layouts.laid.get(op.operands[0])
        if found is None or not found.old_layout == op.x_layout == op.result_layout:
            return
        names: dict[str, str] = {"layout": found.layout, "out_layout": found.layout}
        rewriter.insert(new := with_layouts(op, [found.value], names))
        self.layouts.record(op, new, found.layout, found.old_layout)


@dataclass
class ConvertElementwise(RewritePattern):
    """An elementwise operator in the layout of its operands; others broadcast."""

    layouts: Layouts

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, UnaryOp | BroadcastingOp | ClipOp | AstypeOp):
            return
        laid = [self.layouts.laid[v] for v in op.operands if v in self.layouts.laid]
        kinds = {(each.layout, each.old_layout) for each in laid}
        if len(kinds) != 1 or not self._fits(op, *kinds):
            return
        ((layout, old_layout),) = kinds
        inputs = [self._operand(v, layout, old_layout, rewriter) for v in op.operands]
        new = type(op).create(
            operands=inputs, properties=op.properties, result_types=op.result_types
        )
        new.set_result_types(new.checked_types())
        rewriter.insert(new)
        self.layouts.record(op, new, layout, old_layout)

    def _fits(self, op: OperatorOp, kind: tuple[str, str]) -> bool:
        """Whether the result has the shape of the operands that are laid out, and others broadcast."""
        layout, old_layout = (parse_layout(text) for text in kind)
        assert layout is not None and old_layout is not None
        if not are_known([*op.operands, *op.results]):
            return False
        shape = tensor_type(op.results[0]).shape
        for value in op.operands:
            own = tensor_type(value).shape or ()
            if value in self.layouts.laid:
                if own != shape:
                    return False
                continue
            for letter, size in zip(reversed(old_layout.axes), reversed(own)):
                block = layout.blocks.get(letter, 1)
                if size is None or (size.value != 1 and (size % block).value != 0):
                    return False
        return not old_layout.blocks

    def _operand(
        self, value: SSAValue, layout: str, old_layout: str, rewriter: PatternRewriter
    ) -> SSAValue:
        if value in self.layouts.laid:
            return self.layouts.laid[value].value
        own = [size for size in tensor_type(value).shape or () if size is not None]
        if missing := len(old_layout) - len(own):
            if not own:
                return value
            new = ReshapeOp(value, [const(1)] * missing + own)
            rewriter.insert(new.operands[1].owner)  # pyright: ignore[reportArgumentType]
            rewriter.insert(new)
            value = new.result
        return relayout(value, old_layout, layout, rewriter.insert)


def convert_layout(
    module: ModuleOp, op: str, data: str, kernel: str, out: str | None = None
) -> None:
    """Convert the convolutions of a name to other layouts of images, kernels and results."""
    cls = operator(op)
    if not issubclass(cls, ConvolutionOp):
        raise RelaxError(
            f"{NAME}: expected op to be a convolution, as conv2d, found {op}; correct it"
        )
    out = data if out is None else out
    images = f"NC{cls.SPATIAL}"
    for name, text, letters in (
        ("data", data, images),
        ("kernel", kernel, cls.KERNEL + cls.SPATIAL),
        ("out", out, images),
    ):
        if not names_axes(text, letters, cls.SPLIT):
            raise RelaxError(
                f"{NAME}: expected {name} to name each of {', '.join(letters)} once, channels in blocks at "
                f'most, found "{text}"; write it as in {letters}, or {letters}16{letters[1].lower()}'
            )
    for function in functions(module):
        sort_regions(function)
        layouts = Layouts(cls, data, kernel, out)
        kinds = ConvertConvolution, ConvertPool, ConvertElementwise
        apply_patterns(function, [kind(layouts) for kind in kinds])
        layouts.finish()


@dataclass(frozen=True)
class ConvertLayoutPass(ModulePass):
    """Convert convolutions to other layouts."""

    name = NAME

    op: str
    data: str
    kernel: str
    out: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_layout(op, self.op, self.data, self.kernel, self.out)
