"""The base of all primitives: their text, their arguments, how they refuse."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, fields
from typing import ClassVar, cast

from lowering.ir.memref_views import viewed_memref
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Leaf, TiledOperand
from lowering.schedule.match.arg_reduction import placed
from relax_dialect.errors import RelaxError


@dataclass(frozen=True)
class Primitive(ABC):
    """One change of a kernel that keeps its meaning: `tile(d0, 8)`."""

    NAME: ClassVar[str]
    TAKES_STAGES: ClassVar = False
    """Whether a kernel of several stages takes it."""

    @abstractmethod
    def apply(self, kernel: Kernel) -> None:
        """Change the kernel in place. Raises `RelaxError` if that is illegal."""

    def __str__(self) -> str:
        return f"{self.NAME}({', '.join(self._arguments())})"

    def _arguments(self) -> Iterator[str]:
        for own in fields(self):
            value = getattr(self, own.name)
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if isinstance(value, tuple):
                text = ", ".join(map(str, cast("tuple[str, ...]", value)))
            if is_positional(own):
                yield text
            elif value != own.default:
                yield f"{own.name}={text}"

    def refused(self, kernel: Kernel, why: str) -> RelaxError:
        """Return the error for a kernel that this primitive does not support."""
        error = RelaxError(f"{self} of the schedule of @{kernel.name}: {why}")
        error.op = kernel.op
        return error

    def loop(self, kernel: Kernel, name: str) -> int:
        """Return the number of a loop. Raises `RelaxError` if the kernel has none of this name."""
        match = re.fullmatch(r"d(\d+)", name)
        if match is None or int(match[1]) >= kernel.count:
            known = ", ".join(f"d{d}" for d in range(kernel.count))
            raise self.refused(kernel, f"expected one of the loops {known}, found {name}; name one")
        return int(match[1])

    def operand(self, kernel: Kernel, name: str) -> int:
        """Return the number of an operand of the main op. Raises `RelaxError` if it has none of this
        name."""
        inputs = kernel.leaves[0].stage.inputs
        names = [
            f"in{n}" if n < inputs else f"out{n - inputs}" for n in range(len(kernel.operands))
        ]
        if name not in names:
            raise self.refused(
                kernel, f"expected one of the operands {', '.join(names)}, found {name}; name one"
            )
        return names.index(name)

    def at_least_one(self, kernel: Kernel, number: int, what: str, most: int | None = None) -> None:
        """Raises `RelaxError` if a number is not positive, or above the most that is unrolled."""
        if number < 1:
            raise self.refused(kernel, f"expected {what} of at least 1, found {number}; write one")
        if most is not None and number > most:
            raise self.refused(
                kernel, f"expected {what} of at most {most}, found {number}; take a smaller one"
            )

    def loop_inside(self, kernel: Kernel, number: int, d: int, name: str) -> int | None:
        """Return the number of a loop whose elements of an operand are to lie side by side; None for no
        name."""
        if not name:
            return None
        inside = self.loop(kernel, name)
        is_read = kernel.leaves[0].stage.accesses[number].walks(inside) and inside != d
        if not is_read or not isinstance(kernel.extents[inside], int):
            raise self.refused(
                kernel,
                f"expected another loop of known length inside that {kernel.operand_name(number)} is read "
                f"along, found {name}; name one",
            )
        return inside

    def given(self, kernel: Kernel, leaf: Leaf, number: int) -> TiledOperand:
        """Return an operand that is only read. Raises `RelaxError` if the kernel itself computes it."""
        stage = leaf.stage
        name = kernel.operand_name(number)
        if number >= stage.inputs:
            raise self.refused(kernel, "expected an operand that is only read, found a result")
        access = stage.accesses[number]
        before = (viewed_memref(o.value) for s in leaf.stages[: leaf.main] for o in s.outputs)
        if viewed_memref(access.value) in before:
            raise self.refused(
                kernel,
                f"expected {name} from outside, found what fuse_producer computes in each tile; leave one "
                "of them out",
            )
        return access

    def whole_leaf(self, kernel: Kernel) -> Leaf:
        """Return the only leaf; an error if there are tiles or versions."""
        self.check_places(kernel)
        leaf = kernel.leaves[0]
        if len(kernel.leaves) > 1 or leaf.rooms or leaf.scopes or leaf.directives or leaf.packed:
            raise self.refused(
                kernel,
                "expected the kernel as a whole, found it in parts; put it before tile and when",
            )
        return leaf

    def unwritten(self, kernel: Kernel) -> list[Leaf]:
        """Return the leaves; an error if their loops have directives, which come last."""
        self.check_places(kernel)
        if any(leaf.directives for leaf in kernel.leaves):
            raise self.refused(
                kernel,
                "expected loops that nothing has been said of how to write them out, found some; "
                "put it before interchange, vectorize, unroll, unroll_and_jam and outline",
            )
        if any(leaf.stage.loops != kernel.leaves[0].stage.loops for leaf in kernel.leaves):
            raise self.refused(
                kernel, "expected one reduction, found parts of it; put it before separate"
            )
        return list(kernel.leaves)

    def check_places(self, kernel: Kernel) -> None:
        """Raises `RelaxError` if the body counts the iterations of a loop from its beginning."""
        if (found := placed(kernel.op.body.block)) is not None:
            raise self.refused(
                kernel,
                f"expected a body that computes with elements alone, found one that counts the iterations "
                f"of d{found.loop}; leave the loops whole, split_reduction takes d{found.loop}",
            )


def is_positional(own: Field[object]) -> bool:
    """Return whether an argument has no default."""
    return own.default is MISSING
