"""The programs of the command line."""

import atexit
import gc

from relax_dialect.threads import RARELY

# Nearly all that a program of its own makes stays, from what it imports on, and goes with its process.
gc.set_threshold(*RARELY)
atexit.register(gc.freeze)
