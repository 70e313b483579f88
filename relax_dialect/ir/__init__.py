"""What programs are made of, below the ops: types, traits, purity, scopes, orders, symbols, places."""
