"""The old name of `relax_dialect.ir.traits`, for one release."""

import warnings

from relax_dialect.ir.traits import *  # noqa: F403

warnings.warn(
    "relax_dialect.traits is now relax_dialect.ir.traits", DeprecationWarning, stacklevel=2
)
