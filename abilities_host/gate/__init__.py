"""The human gate: what only takes effect once a person with a secret has seen it."""

__all__ = (
    "Alarm",
    "CountsWaiting",
    "Gate",
    "Kind",
    "NotTrusted",
    "Seal",
    "StaleHash",
    "Survey",
    "Waiting",
    "hash_of",
    "journal_beside",
    "verifies",
)

from abilities_host.gate.errors import NotTrusted as NotTrusted
from abilities_host.gate.errors import StaleHash as StaleHash
from abilities_host.gate.gate import Gate as Gate
from abilities_host.gate.journal import journal_beside as journal_beside
from abilities_host.gate.kind import CountsWaiting as CountsWaiting
from abilities_host.gate.kind import Kind as Kind
from abilities_host.gate.kind import Waiting as Waiting
from abilities_host.gate.seal import Seal as Seal
from abilities_host.gate.seal import hash_of as hash_of
from abilities_host.gate.seal import verifies as verifies
from abilities_host.gate.survey import Alarm as Alarm
from abilities_host.gate.survey import Survey as Survey
