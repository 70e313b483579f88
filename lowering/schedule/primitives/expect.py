"""expect: the kernel and the CPU that a schedule was measured for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lowering.schedule.kernels.digest import digest
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class Expect(Primitive):
    """Check what a schedule is for, and change nothing.

        expect(cpu=x86_64_v3, kernel=k1f9c3ab2e07d)

    `relax-tune` writes it before the first schedule of a prim func. `kernel` is the digest of all of its
    ops, as they are before any of them is scheduled.

    Refused: another CPU, another kernel.
    """

    NAME: ClassVar = "expect"
    TAKES_STAGES: ClassVar = True

    cpu: str = ""
    kernel: str = ""

    def apply(self, kernel: Kernel) -> None:
        if self.cpu not in ("", found := kernel.cpu.identity):
            raise self.refused(
                kernel,
                f"expected the CPU {self.cpu}, which it was measured on, found {found}; run relax-tune for "
                "this one, or take the step out",
            )
        if self.kernel not in ("", found := digest(kernel.function)):
            raise self.refused(
                kernel,
                f"expected the kernel {self.kernel}, which it was measured for, found {found} of the same "
                "name, as in another model or of other sizes; run relax-tune for this one",
            )
