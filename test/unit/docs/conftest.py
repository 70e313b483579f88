"""What tests of the documentation share."""

from unoptimised import unoptimised  # noqa: F401 - a fixture
