"""The frame of each call: lifetimes, offsets, sizes, and the report of them."""
