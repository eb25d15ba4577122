"""The routes: each reads, calls the store, and returns what a schema shows."""
