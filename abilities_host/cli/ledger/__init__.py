"""The commands ``ledger``: what was written, by whom, and how it is put back."""
