"""The memory of functions on memrefs: how long values need it, and where in a frame they lie."""
