"""Named human accounts: who may approve, and how a person proves to be one."""

__all__ = (
    "Account",
    "AccountDisabled",
    "AccountError",
    "AccountExists",
    "Accounts",
    "Cost",
    "Human",
    "InvalidAccountName",
    "LastAccount",
    "NeedsAccount",
    "PublicKeysBroken",
    "SealKeyBroken",
    "SealKeyReplaced",
    "TooSoon",
    "Unlocked",
    "UnsuitableSecret",
    "WrongSecret",
    "keys_beside",
)

from abilities_host.accounts.account import Account as Account
from abilities_host.accounts.account import Human as Human
from abilities_host.accounts.accounts import Accounts as Accounts
from abilities_host.accounts.errors import AccountDisabled as AccountDisabled
from abilities_host.accounts.errors import AccountError as AccountError
from abilities_host.accounts.errors import AccountExists as AccountExists
from abilities_host.accounts.errors import InvalidAccountName as InvalidAccountName
from abilities_host.accounts.errors import LastAccount as LastAccount
from abilities_host.accounts.errors import NeedsAccount as NeedsAccount
from abilities_host.accounts.errors import PublicKeysBroken as PublicKeysBroken
from abilities_host.accounts.errors import SealKeyBroken as SealKeyBroken
from abilities_host.accounts.errors import SealKeyReplaced as SealKeyReplaced
from abilities_host.accounts.errors import TooSoon as TooSoon
from abilities_host.accounts.errors import UnsuitableSecret as UnsuitableSecret
from abilities_host.accounts.errors import WrongSecret as WrongSecret
from abilities_host.accounts.hashing import Cost as Cost
from abilities_host.accounts.published import keys_beside as keys_beside
from abilities_host.accounts.unlocked import Unlocked as Unlocked
