"""The commands ``memory``: what agents shall know, and the people who decide it."""
