"""The operators' canonicalization patterns, which xDSL's own `canonicalize` applies.

They are rules, and the rule sets depend on the operators: the package that has both registers its rules
here (`canonicalize_by`), as a function that loads them when an op is first canonicalized.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait

Source: TypeAlias = Callable[[], RewritePattern]

_SOURCES: list[Source] = []


def canonicalize_by(source: Source) -> None:
    """Register one more canonicalization pattern of operators, which ignores ops it does not apply to."""
    _SOURCES.append(source)
    _patterns.cache_clear()


@cache
def _patterns() -> tuple[RewritePattern, ...]:
    return tuple(source() for source in _SOURCES)


class CanonicalizedByRules(HasCanonicalizationPatternsTrait):
    """The op is canonicalized by the rules that match it."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return _patterns()
