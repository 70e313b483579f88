"""Support for all of the lowering: the target, pass options, progress, reproducers, the C compiler."""
