"""Local rewrites: patterns of xDSL, applied by its walker.

```python
class FoldRoundTrip(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FromBuiltinOp, rewriter: PatternRewriter) -> None:
        if (value := round_trip(op)) is not None:
            rewriter.replace(op, (), [value])

apply_patterns(function, [FoldRoundTrip()])
```

Each op is visited once, in the order of the text, and new ops are not: a pattern that matches its own
output does not hang. Dead ops stay. New ops have the location of the op that they replace, and a mistake in
the program is raised as it is, without the dump of the module that xDSL's walker adds to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)

from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import inherit


def apply_patterns(
    root: Operation,
    patterns: Sequence[RewritePattern],
    *,
    inner_first: bool = False,
    last_first: bool = False,
) -> bool:
    """Apply the first of some patterns that matches to every op inside another one; whether any did.

    `inner_first` visits the ops in the regions of an op before it, `last_first` users before operands.
    """
    walker = PatternRewriteWalker(
        GreedyRewritePatternApplier(list(patterns), dce_enabled=False),
        walk_regions_first=inner_first,
        apply_recursively=False,
        walk_reverse=last_first,
        listener=_locations(),
    )
    try:
        changes = [walker.rewrite_region(region) for region in root.regions]
    except RelaxError as error:
        vars(error).pop("__notes__", None)
        raise
    return any(changes)


def _locations() -> PatternRewriterListener:
    """Set the location of new ops to that of the op erased next, which they replace."""
    made: list[Operation] = []

    def erased(op: Operation) -> None:
        inherit(made, op.location)
        made.clear()

    return PatternRewriterListener(
        operation_insertion_handler=[made.append], operation_removal_handler=[erased]
    )


def replace(
    rewriter: PatternRewriter, op: Operation, new: Sequence[Operation], results: Sequence[SSAValue]
) -> None:
    """Replace an op by others and its results by values, which alone take their names.

    `PatternRewriter.replace` names the results of all new ops after that of the old one.
    """
    rewriter.insert(list(new))
    for old, result in zip(op.results, results):
        result.name_hint = old.name_hint or result.name_hint
    rewriter.replace(op, (), results)
