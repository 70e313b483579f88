"""What all of the lowering shares: the target, pass options, progress, reproducers, the C compiler."""
