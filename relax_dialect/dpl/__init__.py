"""The dataflow pattern language: patterns of graphs, matched and rewritten.

>>> x, scale = wildcard(), is_constant()
>>> pattern = is_op("multiply")(is_op("relu")(x), scale)
>>> for m in pattern.find_all(module):
...     print(m[x], m[scale])
"""

from relax_dialect.dpl.errors import PatternError, PatternLimitError, RewriteError
from relax_dialect.dpl.language import (
    dominates,
    extract,
    find_all,
    has_attr,
    has_dtype,
    has_shape,
    has_type,
    is_call,
    is_call_dps_packed,
    is_call_packed,
    is_call_tir,
    is_const,
    is_constant,
    is_expr,
    is_function,
    is_if,
    is_input,
    is_let,
    is_op,
    is_shape,
    is_tuple,
    is_tuple_get_item,
    is_var,
    match,
    named,
    only_used_by,
    repeat,
    same_shape_as,
    together,
    used_by,
    wildcard,
)
from relax_dialect.dpl.match import Match
from relax_dialect.dpl.partition import partition
from relax_dialect.dpl.pattern_registry import FusionPattern, get_patterns, register_patterns
from relax_dialect.dpl.patterns import Pattern
from relax_dialect.dpl.rewriting import apply_rules, rewrite
from relax_dialect.dpl.rules import FunctionRule, PatternRule, rule
from relax_dialect.dpl.templates import TemplateRule, template_rule, typed
from relax_dialect.ops.kinds import (
    K_BROADCAST,
    K_COMM_REDUCE,
    K_ELEMWISE,
    K_INJECTIVE,
    K_OPAQUE,
    K_OUT_ELEMWISE_FUSABLE,
    K_TUPLE,
)

__all__ = [
    "K_BROADCAST",
    "K_COMM_REDUCE",
    "K_ELEMWISE",
    "K_INJECTIVE",
    "K_OPAQUE",
    "K_OUT_ELEMWISE_FUSABLE",
    "K_TUPLE",
    "FunctionRule",
    "FusionPattern",
    "Match",
    "Pattern",
    "PatternError",
    "PatternLimitError",
    "PatternRule",
    "RewriteError",
    "TemplateRule",
    "apply_rules",
    "dominates",
    "extract",
    "find_all",
    "get_patterns",
    "has_attr",
    "has_dtype",
    "has_shape",
    "has_type",
    "is_call",
    "is_call_dps_packed",
    "is_call_packed",
    "is_call_tir",
    "is_const",
    "is_constant",
    "is_expr",
    "is_function",
    "is_if",
    "is_input",
    "is_let",
    "is_op",
    "is_shape",
    "is_tuple",
    "is_tuple_get_item",
    "is_var",
    "match",
    "named",
    "only_used_by",
    "partition",
    "register_patterns",
    "repeat",
    "rewrite",
    "rule",
    "same_shape_as",
    "template_rule",
    "together",
    "typed",
    "used_by",
    "wildcard",
]
