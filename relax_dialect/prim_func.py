"""The old name of `relax_dialect.prim.prim_func`, for one release."""

import warnings

from relax_dialect.prim.prim_func import *  # noqa: F403

warnings.warn(
    "relax_dialect.prim_func is now relax_dialect.prim.prim_func", DeprecationWarning, stacklevel=2
)
