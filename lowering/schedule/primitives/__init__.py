"""The primitives of schedules, one file each: what a schedule may do to a kernel."""
