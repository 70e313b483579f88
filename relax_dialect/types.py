"""The old name of `relax_dialect.ir.types`, for one release."""

import warnings

from relax_dialect.ir.builtin_types import *  # noqa: F403
from relax_dialect.ir.lattice import *  # noqa: F403
from relax_dialect.ir.spelling import *  # noqa: F403
from relax_dialect.ir.type_variables import *  # noqa: F403
from relax_dialect.ir.types import *  # noqa: F403

warnings.warn("relax_dialect.types is now relax_dialect.ir.types", DeprecationWarning, stacklevel=2)
