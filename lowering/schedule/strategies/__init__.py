"""The schedules that kernels get which bring none, one file for each kind."""
