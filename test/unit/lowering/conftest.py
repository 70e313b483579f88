"""What tests of the lowering share."""

from unoptimised import unoptimised  # noqa: F401 - a fixture
