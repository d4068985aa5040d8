"""The only door of psycopg: connections, the two drivers of moves, migrations, presence, LISTEN."""
