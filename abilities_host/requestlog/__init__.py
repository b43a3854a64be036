"""The log of requests, their numbers and their traces; never what they said."""
