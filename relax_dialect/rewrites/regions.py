"""The old name of `relax_dialect.transform.regions`, for one release."""

import warnings

from relax_dialect.transform.regions import *  # noqa: F403

warnings.warn(
    "relax_dialect.rewrites.regions is now relax_dialect.transform.regions",
    DeprecationWarning,
    stacklevel=2,
)
