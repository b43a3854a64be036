"""What needs a program that this machine has not is not collected."""

from operating.programs import left_out

collect_ignore = left_out()
