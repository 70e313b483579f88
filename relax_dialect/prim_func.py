"""The old name of `relax_dialect.prim.signature`, for one release."""

import warnings

from relax_dialect.prim.signature import *  # noqa: F403

warnings.warn(
    "relax_dialect.prim_func is now relax_dialect.prim.signature", DeprecationWarning, stacklevel=2
)
