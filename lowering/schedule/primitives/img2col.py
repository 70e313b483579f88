"""img2col: a convolution as a product of its filters and of windows that are gathered (MLIR's name)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType

from lowering.ir.insertion import Inserter
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.byte_products import multiplies_bytes
from lowering.schedule.match.convolution import collapsible, find
from lowering.schedule.match.padding import write_out_padding
from lowering.schedule.memrefs.deferred_frees import free_later
from lowering.schedule.pack.img2col import gather_windows
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class Img2col(Primitive):
    """Copy the windows of an image, and multiply matrices: filters by the window of each pixel.

        linalg.generic ins(%image : n x c x h x w, %filters : k x c x r x s) outs(%out : n x k x y x x)
    ->  with img2col(262144)
        scf.for %image { scf.for %strip {
          linalg.generic {copy} ins(%image[..]) outs(%windows : c x r x s x high x x)
          linalg.generic {(d0, d2), (d2, d1) -> (d0, d1)} ins(%filters : k x crs, %windows) outs(%out[..])
        }}

    Windows are made for strips of whole rows, of a limited size in bytes if sizes are known, and for an
    image at a time otherwise. Padding of an image of floats is materialized before. The steps after this
    one concern the product, and the elementwise ops after it on its strip.

    Refused: an op that is no convolution of images before filters, in floats or of bytes, that begins with
    zeros and has filters of known sizes, a kernel that other steps have changed.
    """

    NAME: ClassVar = "img2col"

    bytes: int

    def apply(self, kernel: Kernel) -> None:
        main = kernel.whole()
        if main is None or len(kernel.leaves[0].stages) > 1 + (kernel.fill is not None):
            raise self.refused(
                kernel, "expected the kernel as it was, found it changed; put it before other steps"
            )
        convolution = find(main) or find(main, multiplies_bytes)
        found = None if convolution is None else collapsible(convolution)
        if found is None:
            raise self.refused(
                kernel,
                "expected a convolution of an image n x c x .. and filters of known sizes, found another "
                "op; leave it out",
            )
        if not isinstance(
            found.element, IntegerType
        ):  # rows of bytes are few vectors: memcpy is faster
            write_out_padding(found.image)
        ops = [found.fill, found.op, *found.epilogue]
        free_later(main, ops[-1])
        new = gather_windows(found, self.bytes, Inserter(before=ops[-1]))
        for op in reversed(ops):
            op.detach()
            op.erase()
        kernel.start(new)
