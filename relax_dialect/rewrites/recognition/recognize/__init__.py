"""Rules that recognise operators in their expanded forms; `relax-recognize-operators` runs them."""
