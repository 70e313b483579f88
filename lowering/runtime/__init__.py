"""From emitted C to functions that numpy calls: the C compiler, its cache, shared objects, values."""
