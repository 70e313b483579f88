"""Whether the floats of narrow constants are read by operators that can decode them."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from relax_dialect.rewrites.quantization.narrowing.decoding import STEPS, is_narrow
from relax_dialect.rewrites.quantization.narrowing.table_rows import narrow_table
from relax_dialect.rewrites.quantization.narrowing.weights import LEAST, narrow_weight


@dataclass
class Readers:
    """Finds the operators that read decoded constants; each is decided once."""

    known: dict[Operation, bool] = field(default_factory=dict[Operation, bool])

    def decode(self, op: Operation, elements: int) -> bool:
        """Return whether an operator makes wide elements of narrow ones that its readers decode by
        themselves: its result need not be computed ahead."""
        if type(op) not in STEPS or elements < LEAST or is_narrow(op.results[0].type):
            return False
        return any(is_narrow(value.type) for value in op.operands) and self._all(op.results[0])

    def _all(self, value: SSAValue) -> bool:
        """Return whether all that uses a value are such readers, maybe after other decoding operators."""
        work, seen, found = [value], set[SSAValue](), False
        while work:
            users = [use.operation for use in work.pop().uses]
            for user in users:
                if type(user) in STEPS and user.results[0] not in seen:
                    seen.add(user.results[0])
                    work.append(user.results[0])
                elif type(user) not in STEPS:
                    found = True
                    if not self._reads(user):
                        return False
            if not users:
                return False
        return found

    def _reads(self, op: Operation) -> bool:
        if op not in self.known:
            self.known[op] = narrow_weight(op) is not None or narrow_table(op) is not None
        return self.known[op]
