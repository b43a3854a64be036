"""Host for abilities that agents may call, with permission, veto and record."""

__all__ = (
    "MISSING",
    "Ability",
    "AbilityFailed",
    "Actor",
    "Answer",
    "Ask",
    "Call",
    "CallError",
    "Category",
    "Change",
    "Changes",
    "Client",
    "Declaration",
    "DefaultStep",
    "Denied",
    "Domain",
    "Drifted",
    "Evaluation",
    "FileLock",
    "Held",
    "HidesSecrets",
    "Module",
    "NeedsInput",
    "Outcome",
    "PlanUndo",
    "Profile",
    "ProposedWrite",
    "RecordedWrite",
    "Recorder",
    "RegistrationError",
    "RegistryView",
    "Restoration",
    "RestoresAll",
    "ShowsStates",
    "Site",
    "State",
    "StoreError",
    "Target",
    "Undo",
    "Verdict",
    "Veto",
    "exposed_name",
    "fold",
    "holds_secret",
    "hookimpl",
    "masked",
    "original_name",
    "run_in_thread",
)

from abilities_host.ability import Ability as Ability
from abilities_host.ability import Changes as Changes
from abilities_host.ability import PlanUndo as PlanUndo
from abilities_host.calls import Actor as Actor
from abilities_host.calls import Answer as Answer
from abilities_host.calls import Ask as Ask
from abilities_host.calls import Call as Call
from abilities_host.calls import Change as Change
from abilities_host.calls import Denied as Denied
from abilities_host.calls import Evaluation as Evaluation
from abilities_host.calls import NeedsInput as NeedsInput
from abilities_host.calls import Outcome as Outcome
from abilities_host.calls import ProposedWrite as ProposedWrite
from abilities_host.calls import RecordedWrite as RecordedWrite
from abilities_host.calls import Recorder as Recorder
from abilities_host.calls import Undo as Undo
from abilities_host.calls import Verdict as Verdict
from abilities_host.calls import Veto as Veto
from abilities_host.category import Category as Category
from abilities_host.declaration import Declaration as Declaration
from abilities_host.declaration import DefaultStep as DefaultStep
from abilities_host.domain import MISSING as MISSING
from abilities_host.domain import Domain as Domain
from abilities_host.domain import HidesSecrets as HidesSecrets
from abilities_host.domain import Restoration as Restoration
from abilities_host.domain import RestoresAll as RestoresAll
from abilities_host.domain import ShowsStates as ShowsStates
from abilities_host.domain import State as State
from abilities_host.domain import Target as Target
from abilities_host.errors import AbilityFailed as AbilityFailed
from abilities_host.errors import CallError as CallError
from abilities_host.errors import Drifted as Drifted
from abilities_host.errors import RegistrationError as RegistrationError
from abilities_host.errors import StoreError as StoreError
from abilities_host.filelock import FileLock as FileLock
from abilities_host.folding import fold as fold
from abilities_host.hooks import hookimpl as hookimpl
from abilities_host.locks import Held as Held
from abilities_host.masking import holds_secret as holds_secret
from abilities_host.masking import masked as masked
from abilities_host.module import Module as Module
from abilities_host.names import exposed_name as exposed_name
from abilities_host.names import original_name as original_name
from abilities_host.schema.client import Client as Client
from abilities_host.schema.profiles import Profile as Profile
from abilities_host.site import Site as Site
from abilities_host.threads import run_in_thread as run_in_thread
from abilities_host.view import RegistryView as RegistryView
