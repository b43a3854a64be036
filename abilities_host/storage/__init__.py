"""Where rows are kept: the interface, its migrations and the SQLite store."""

from abilities_host.storage.base import Statement as Statement
from abilities_host.storage.base import Store as Store
from abilities_host.storage.base import Transaction as Transaction
from abilities_host.storage.migrations import Migration as Migration
