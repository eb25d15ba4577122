"""Bot runtimes: house bots, sandboxed modules and HTTP endpoints, behind the protocols of `base`."""
