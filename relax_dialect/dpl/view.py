"""The old name of `relax_dialect.dpl.look_through`, for one release."""

import warnings

from relax_dialect.dpl.look_through import *  # noqa: F403

warnings.warn(
    "relax_dialect.dpl.view is now relax_dialect.dpl.look_through", DeprecationWarning, stacklevel=2
)
