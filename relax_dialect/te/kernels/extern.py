"""`te.extern`: tensors that a kernel computes, written as loops and stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.ir import SSAValue

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.te.dtypes import DType
from relax_dialect.te.emit.access import walk
from relax_dialect.te.emit.scalar_emitter import FunctionEmitter
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder
from relax_dialect.te.kernels.kernel_emitter import KernelEmitter
from relax_dialect.te.scalar import Scalar, Size
from relax_dialect.te.tensor import Dim, Load, Requirement, Stage, Tensor


@dataclass(eq=False)
class ExternStage(Stage):
    """Tensors that a kernel writes, `results`; its other buffers are scratch."""

    kernel: KernelBuilder
    inputs: tuple[Tensor, ...]
    results: tuple[KernelBuffer, ...]
    requires: tuple[Requirement, ...] = ()

    @property
    def scalars(self) -> Iterable[Scalar]:
        return self.kernel.scalars

    @property
    def reads(self) -> list[Tensor]:
        loads = (node.tensor for node in walk(*self.scalars) if isinstance(node, Load))
        return list(dict.fromkeys((*self.inputs, *self.kernel.copied, *loads)))

    @property
    def sizes(self) -> Iterator[symbolic.Expr]:
        yield from (dim for buffer in self.kernel.buffers for dim in buffer.shape)
        yield from (n.expr for n in walk(*self.scalars) if isinstance(n, Size))

    def emit(self, function: FunctionEmitter) -> Sequence[SSAValue]:
        (body,) = self.kernel.open
        where = f"te.extern '{', '.join(t.name for t in self.results)}'"
        state = KernelEmitter(function, where).run(self.kernel.buffers, body)
        return [state[buffer] for buffer in self.results]


def extern(
    shape: Any,
    inputs: Sequence[Tensor],
    fkernel: Callable[[KernelBuilder, list[Tensor], list[KernelBuffer]], None],
    dtype: DType | str | Sequence[DType | str] = "float32",
    name: str | Sequence[str] = "extern",
    *,
    requires: Sequence[Requirement] = (),
) -> Any:
    """Return the tensor of a shape that a kernel writes; for a list of shapes, one tensor each.

    `fkernel(ib, ins, outs)` is called once. It reads `ins` as everywhere in TE, and writes every element of
    `outs` with loops (`ib.for_`, `ib.while_`), branches (`ib.if_`, `ib.else_`), variables (`ib.var`),
    scratch tensors (`ib.allocate`), `ib.fill`, `ib.copy`, and `ib.assert_` for conditions known only at run
    time. A scatter:

    ```python
    def scatter(ib, ins, outs):
        (data, rows, updates), (out,) = ins, outs
        ib.copy(out, data)
        with ib.for_(m, name="j") as j:
            row = rows[j].astype("index")
            ib.assert_((row >= 0) & (row < n), "scatter: row out of range")
            out[row] = updates[j]

    out = te.extern((n,), [data, rows, updates], scatter, dtype="float32", name="scatter")
    ```
    """
    several = isinstance(shape, list | tuple) and any(isinstance(s, list | tuple) for s in shape)
    shapes: list[Sequence[Dim] | Dim] = list(shape) if several else [shape]
    dtypes = _each(dtype, len(shapes), "element types")
    names = _each(name, len(shapes), "names")
    kernel = KernelBuilder()
    outs = [kernel.allocate(*each) for each in zip(shapes, dtypes, names)]
    fkernel(kernel, list(inputs), outs)
    stage = ExternStage(kernel, tuple(inputs), tuple(outs), tuple(requires))
    written = kernel.open[0].writes
    for buffer in outs:
        if buffer not in written:
            raise RelaxError(
                f"te.extern '{buffer.name}': the kernel writes nothing to it; store every element, or "
                "fill it with ib.fill"
            )
    tensors = tuple(stage.produce(b.shape, b.dtype, b.name) for b in outs)
    return tensors if several else tensors[0]


def _each(given: Any, count: int, what: str) -> list[Any]:
    found = list(given) if isinstance(given, list | tuple) else [given] * count
    if len(found) != count:
        raise RelaxError(
            f"te.extern: {len(found)} {what} for {count} shapes; pass one for all, or one for each"
        )
    return found
