"""The old name of `relax_dialect.ir.call_graph`, for one release."""

import warnings

from relax_dialect.ir.call_graph import *  # noqa: F403

warnings.warn(
    "relax_dialect.call_graph is now relax_dialect.ir.call_graph", DeprecationWarning, stacklevel=2
)
