"""Bots to begin from: two policy modules and an endpoint, each complete in one file."""
