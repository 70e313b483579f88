"""Analyses of programs, under the names of TVM's `relax.analysis`.

A variable is an SSA value, its binding the op that defines it; a symbolic variable is its name. Wherever
TVM takes an expression, an op is taken: a function, a block, or a single binding.
"""

from relax_dialect.analysis.compile_time import computable_at_compile_time
from relax_dialect.analysis.function_analysis import (
    all_global_vars,
    called_global_vars,
    contains_impure_call,
    detect_recursion,
    find_impure_call,
    remove_all_unused,
    well_formed,
)
from relax_dialect.analysis.reshape_pattern import has_reshape_pattern
from relax_dialect.analysis.struct_info import (
    BaseCheckResult,
    collect_non_negative_expressions,
    definable_tir_vars_in_struct_info,
    erase_to_well_defined,
    get_static_type,
    struct_info_base_check,
    struct_info_lca,
    tir_vars_in_struct_info,
)
from relax_dialect.analysis.symbolic_variables import (
    bound_symbolic_vars,
    defined_symbolic_vars,
    free_symbolic_vars,
)
from relax_dialect.analysis.variables import (
    all_vars,
    bound_vars,
    free_vars,
    get_var2val,
    name_to_binding,
    udchain,
    used_vars,
)

__all__ = [
    "BaseCheckResult",
    "all_global_vars",
    "all_vars",
    "bound_symbolic_vars",
    "bound_vars",
    "called_global_vars",
    "collect_non_negative_expressions",
    "computable_at_compile_time",
    "contains_impure_call",
    "definable_tir_vars_in_struct_info",
    "defined_symbolic_vars",
    "detect_recursion",
    "erase_to_well_defined",
    "find_impure_call",
    "free_symbolic_vars",
    "free_vars",
    "get_static_type",
    "get_var2val",
    "has_reshape_pattern",
    "name_to_binding",
    "remove_all_unused",
    "struct_info_base_check",
    "struct_info_lca",
    "tir_vars_in_struct_info",
    "udchain",
    "used_vars",
    "well_formed",
]
