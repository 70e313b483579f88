"""The primitives of schedules, one file each: transformations of a kernel."""
