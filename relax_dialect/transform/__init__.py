"""What passes share: regions and what is in them, cloning, capturing, binding, liveness."""
