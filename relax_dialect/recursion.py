"""The old name of `relax_dialect.analysis.recursion`, for one release."""

import warnings

from relax_dialect.analysis.recursion import *  # noqa: F403

warnings.warn(
    "relax_dialect.recursion is now relax_dialect.analysis.recursion",
    DeprecationWarning,
    stacklevel=2,
)
