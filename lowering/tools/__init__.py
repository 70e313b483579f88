"""The programs of the command line."""

import atexit
import gc

from relax_dialect.threads import RARELY

# Most objects of a separate program live from the imports to the end of its process.
gc.set_threshold(*RARELY)
atexit.register(gc.freeze)
