"""Building blocks on memrefs: views, subscripts, tilings, shared functions on vectors and tiles."""
