"""The exceptions of the host; each builds its own sentence from its data.

AbilitiesError
├── RegistrationError            a pack declared something that cannot be served
│   ├── InvalidName · InvalidSlug · InvalidArgument · UnknownArgument
│   ├── DuplicateName · UnknownCategory · ForeignNamespace · ForbiddenFilter
│   ├── InvalidSchema
│   └── RegistrationClosed
├── LookupFailed                 something asked for by name is not registered
├── PackError                    a pack could not be loaded or kept
├── CallError                    why a run was refused or failed; becomes an Outcome
│   ├── AbilityNotFound · InvalidInput · MissingInputSchema · PermissionDenied
│   ├── WriteVetoed · PolicyMissing · WriteInReadonly · NeedsAnswer
│   ├── TargetInvalid · TargetBusy · HostBusy · NestingTooDeep · PackAbandoned
│   ├── CallbackFailed · AbilityFailed · AbilityTimeout · CallCancelled
│   ├── InvalidOutput · CaptureFailed
│   └── StoreUnwritable · StoreUnreadable · HostStopping · RecordFailed
├── Drifted                      a domain's state is not the expected one
├── ConfigError                  file, line, key and what was expected
├── StoreError                   StoreForeign · StoreNewer · StoreCorrupt
│                                StoreUnsafe · StoreBusy · StoreMissing
└── StartRefused                 the host would not keep its promises
"""

from abilities_host.errors.base import AbilitiesError as AbilitiesError
from abilities_host.errors.base import listed as listed
from abilities_host.errors.base import nearest as nearest
from abilities_host.errors.calls import AbilityFailed as AbilityFailed
from abilities_host.errors.calls import AbilityNotFound as AbilityNotFound
from abilities_host.errors.calls import AbilityTimeout as AbilityTimeout
from abilities_host.errors.calls import CallbackFailed as CallbackFailed
from abilities_host.errors.calls import CallCancelled as CallCancelled
from abilities_host.errors.calls import CallError as CallError
from abilities_host.errors.calls import CaptureFailed as CaptureFailed
from abilities_host.errors.calls import Drifted as Drifted
from abilities_host.errors.calls import Fault as Fault
from abilities_host.errors.calls import HostBusy as HostBusy
from abilities_host.errors.calls import HostStopping as HostStopping
from abilities_host.errors.calls import InvalidInput as InvalidInput
from abilities_host.errors.calls import InvalidOutput as InvalidOutput
from abilities_host.errors.calls import LedgerMissing as LedgerMissing
from abilities_host.errors.calls import MissingInputSchema as MissingInputSchema
from abilities_host.errors.calls import NeedsAnswer as NeedsAnswer
from abilities_host.errors.calls import NestingTooDeep as NestingTooDeep
from abilities_host.errors.calls import PackAbandoned as PackAbandoned
from abilities_host.errors.calls import PermissionDenied as PermissionDenied
from abilities_host.errors.calls import PolicyMissing as PolicyMissing
from abilities_host.errors.calls import RecordFailed as RecordFailed
from abilities_host.errors.calls import StoreUnreadable as StoreUnreadable
from abilities_host.errors.calls import StoreUnwritable as StoreUnwritable
from abilities_host.errors.calls import TargetBusy as TargetBusy
from abilities_host.errors.calls import TargetInvalid as TargetInvalid
from abilities_host.errors.calls import WriteInReadonly as WriteInReadonly
from abilities_host.errors.calls import WriteVetoed as WriteVetoed
from abilities_host.errors.registration import DuplicateName as DuplicateName
from abilities_host.errors.registration import ForbiddenFilter as ForbiddenFilter
from abilities_host.errors.registration import ForeignNamespace as ForeignNamespace
from abilities_host.errors.registration import InvalidArgument as InvalidArgument
from abilities_host.errors.registration import InvalidName as InvalidName
from abilities_host.errors.registration import InvalidSchema as InvalidSchema
from abilities_host.errors.registration import InvalidSlug as InvalidSlug
from abilities_host.errors.registration import LookupFailed as LookupFailed
from abilities_host.errors.registration import PackError as PackError
from abilities_host.errors.registration import RegistrationClosed as RegistrationClosed
from abilities_host.errors.registration import RegistrationError as RegistrationError
from abilities_host.errors.registration import UnknownArgument as UnknownArgument
from abilities_host.errors.registration import UnknownCategory as UnknownCategory
from abilities_host.errors.startup import ConfigError as ConfigError
from abilities_host.errors.startup import ServiceTaken as ServiceTaken
from abilities_host.errors.startup import StartRefused as StartRefused
from abilities_host.errors.startup import StoreBusy as StoreBusy
from abilities_host.errors.startup import StoreCorrupt as StoreCorrupt
from abilities_host.errors.startup import StoreError as StoreError
from abilities_host.errors.startup import StoreForeign as StoreForeign
from abilities_host.errors.startup import StoreMissing as StoreMissing
from abilities_host.errors.startup import StoreNewer as StoreNewer
from abilities_host.errors.startup import StoreUnsafe as StoreUnsafe
