"""Functions of `R.`: signatures, bindings, calls, types."""
