"""The parts of programs below the ops: types, traits, purity, scopes, orders, symbols, places."""
