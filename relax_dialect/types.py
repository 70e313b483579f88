"""The old name of `relax_dialect.ir.types`, for one release."""

import warnings

from relax_dialect.ir.types import *  # noqa: F403

warnings.warn("relax_dialect.types is now relax_dialect.ir.types", DeprecationWarning, stacklevel=2)
