"""Where rows are kept: the interface, its migrations and the SQLite store."""
