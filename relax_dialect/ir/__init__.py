"""The IR below the ops: types, traits, purity, scopes, orders, symbols and source locations."""
