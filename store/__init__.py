"""The database: tables, migrations, queries and commands; the only place that knows SQL."""
