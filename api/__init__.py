"""The REST API, its client, and the `fudaba` command."""
