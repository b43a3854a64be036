"""The record of writes, as the host, its commands and other packs may use it."""

from abilities_host.ledger.digest import Digest as Digest
from abilities_host.ledger.digest import Window as Window
from abilities_host.ledger.entry import Entry as Entry
from abilities_host.ledger.entry import Kind as Kind
from abilities_host.ledger.entry import Listed as Listed
from abilities_host.ledger.entry import Page as Page
from abilities_host.ledger.entry import Query as Query
from abilities_host.ledger.protocol import Ledger as Ledger
from abilities_host.ledger.protocol import Progress as Progress
from abilities_host.ledger.shown import ShownStates as ShownStates
from abilities_host.ledger.upkeep import Forgotten as Forgotten
from abilities_host.ledger.upkeep import Pruned as Pruned
from abilities_host.ledger.upkeep import Verification as Verification
