"""Named human accounts: who may approve, and how a person proves to be one."""

__all__ = (
    "Account",
    "AccountDisabled",
    "AccountError",
    "AccountExists",
    "AccountPublished",
    "Accounts",
    "Cost",
    "Human",
    "InvalidAccountName",
    "LastOperator",
    "NeedsAccount",
    "NeedsRole",
    "PublicKeysBroken",
    "PublicKeysUnusable",
    "Role",
    "SealKeyBroken",
    "SealKeyReplaced",
    "TooSoon",
    "Unlocked",
    "UnsuitableSecret",
    "WrongSecret",
    "check_role",
    "keys_beside",
)

from abilities_host.accounts.account import Account as Account
from abilities_host.accounts.account import Human as Human
from abilities_host.accounts.accounts import Accounts as Accounts
from abilities_host.accounts.errors import AccountDisabled as AccountDisabled
from abilities_host.accounts.errors import AccountError as AccountError
from abilities_host.accounts.errors import AccountExists as AccountExists
from abilities_host.accounts.errors import AccountPublished as AccountPublished
from abilities_host.accounts.errors import InvalidAccountName as InvalidAccountName
from abilities_host.accounts.errors import LastOperator as LastOperator
from abilities_host.accounts.errors import NeedsAccount as NeedsAccount
from abilities_host.accounts.errors import NeedsRole as NeedsRole
from abilities_host.accounts.errors import PublicKeysBroken as PublicKeysBroken
from abilities_host.accounts.errors import PublicKeysUnusable as PublicKeysUnusable
from abilities_host.accounts.errors import SealKeyBroken as SealKeyBroken
from abilities_host.accounts.errors import SealKeyReplaced as SealKeyReplaced
from abilities_host.accounts.errors import TooSoon as TooSoon
from abilities_host.accounts.errors import UnsuitableSecret as UnsuitableSecret
from abilities_host.accounts.errors import WrongSecret as WrongSecret
from abilities_host.accounts.hashing import Cost as Cost
from abilities_host.accounts.published import keys_beside as keys_beside
from abilities_host.accounts.role import Role as Role
from abilities_host.accounts.role import check_role as check_role
from abilities_host.accounts.unlocked import Unlocked as Unlocked
