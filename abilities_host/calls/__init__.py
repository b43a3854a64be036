"""Who calls, what is running, what would be written, and how it ended."""

from abilities_host.calls.actor import Actor as Actor
from abilities_host.calls.actor import ActorKind as ActorKind
from abilities_host.calls.call import Call as Call
from abilities_host.calls.call import Running as Running
from abilities_host.calls.call import Surroundings as Surroundings
from abilities_host.calls.decisions import Ask as Ask
from abilities_host.calls.decisions import Denied as Denied
from abilities_host.calls.decisions import NeedsInput as NeedsInput
from abilities_host.calls.decisions import ProposedWrite as ProposedWrite
from abilities_host.calls.decisions import Veto as Veto
from abilities_host.calls.evaluation import Evaluation as Evaluation
from abilities_host.calls.evaluation import RecordedWrite as RecordedWrite
from abilities_host.calls.evaluation import Verdict as Verdict
from abilities_host.calls.limits import Limits as Limits
from abilities_host.calls.outcome import Change as Change
from abilities_host.calls.outcome import Form as Form
from abilities_host.calls.outcome import Outcome as Outcome
from abilities_host.calls.outcome import Status as Status
from abilities_host.calls.recorder import Recorder as Recorder
from abilities_host.calls.request import Answer as Answer
from abilities_host.calls.request import Progress as Progress
from abilities_host.calls.request import Request as Request
from abilities_host.calls.undo import Undo as Undo
