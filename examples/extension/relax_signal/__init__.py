"""Filters of signals: an extension of Relax on xDSL."""

from relax_dialect.extensions import Extension

EXTENSION = Extension(
    dialects={"signal": "relax_signal.ops:Signal"},
    passes={"signal-join-filters": "relax_signal.join_filters:JoinFiltersPass"},
    optimizations={2: ("signal-join-filters",)},  # it changes rounding
    interpreter=("relax_signal.semantics",),
    legalize=("relax_signal.rules",),
    kinds=("relax_signal.schedule:FILTER",),
)
