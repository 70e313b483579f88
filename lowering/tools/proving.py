"""`relax-opt --prove`: z3 proves of each pass that it preserves the functions' results."""

from __future__ import annotations

import argparse
import sys

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.errors import RelaxError
from relax_dialect.prove import Limits, Over, hint, prove, report, require_z3


class Proofs:
    """The proofs of the passes of a pipeline."""

    def __init__(self, args: argparse.Namespace):
        require_z3("--prove")
        self.limits, self.over = Limits(args.prove_limit), Over(args.prove_over)
        self.refuted: list[str] = []
        self._before: ModuleOp | None = None

    def between(
        self, done: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        """Prove the finished pass."""
        if done is not None and self._before is not None:
            if str(self._before) == str(module):
                print(f"{done.name}: nothing changed", file=sys.stderr)
            else:
                refuted = report(done.name, prove(self._before, module, self.limits, self.over))
                self.refuted += [f"{done.name} of {function}" for function in refuted]
        self._before = module.clone() if following is not None else None

    def finish(self) -> None:
        """Fail if a pass was refuted."""
        if self.refuted:
            raise RelaxError(
                f"--prove: expected passes that keep every result, found counterexamples to "
                f"{', '.join(self.refuted)}; run the programs that are printed above"
                f"{hint(self.over, '--prove-over reals')}"
            )
