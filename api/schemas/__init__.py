"""The shapes of what comes in and goes out; no query and no rule of the domain."""
