"""Tokens of clients: who a program is, what it may do, and until when."""

__all__ = (
    "Change",
    "InvalidEnd",
    "InvalidGrace",
    "InvalidScope",
    "InvalidTokenName",
    "Refusal",
    "TokenBook",
    "TokenEnded",
    "TokenError",
    "TokenExists",
    "TokenRecord",
    "Tokens",
    "TooManyTokens",
    "actor_of",
    "now",
    "public_id",
)

from abilities_host.tokens.acting import actor_of as actor_of
from abilities_host.tokens.book import Refusal as Refusal
from abilities_host.tokens.book import TokenBook as TokenBook
from abilities_host.tokens.change import Change as Change
from abilities_host.tokens.errors import InvalidEnd as InvalidEnd
from abilities_host.tokens.errors import InvalidGrace as InvalidGrace
from abilities_host.tokens.errors import InvalidScope as InvalidScope
from abilities_host.tokens.errors import InvalidTokenName as InvalidTokenName
from abilities_host.tokens.errors import TokenEnded as TokenEnded
from abilities_host.tokens.errors import TokenError as TokenError
from abilities_host.tokens.errors import TokenExists as TokenExists
from abilities_host.tokens.errors import TooManyTokens as TooManyTokens
from abilities_host.tokens.moment import now as now
from abilities_host.tokens.record import TokenRecord as TokenRecord
from abilities_host.tokens.shape import public_id as public_id
from abilities_host.tokens.tokens import Tokens as Tokens
