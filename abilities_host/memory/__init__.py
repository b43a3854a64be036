"""What agents shall know of a project, as the host and other packs may use it."""

from abilities_host.memory.guidance import Class as Class
from abilities_host.memory.guidance import Guidance as Guidance
from abilities_host.memory.guidance import GuidancePage as GuidancePage
from abilities_host.memory.guidance import Scope as Scope
from abilities_host.memory.guidance import Source as Source
from abilities_host.memory.guidance import Status as Status
from abilities_host.memory.guidance import Type as Type
from abilities_host.memory.happening import Action as Action
from abilities_host.memory.happening import Happening as Happening
from abilities_host.memory.portability import Imported as Imported
from abilities_host.memory.proposal import Proposal as Proposal
from abilities_host.memory.protocol import ProjectMemory as ProjectMemory
from abilities_host.memory.review import Impact as Impact
from abilities_host.memory.review import Review as Review
from abilities_host.memory.rulebook import InForce as InForce
from abilities_host.memory.rulebook import LostRule as LostRule
from abilities_host.memory.rulebook import Rulebook as Rulebook
from abilities_host.memory.rulebook import StandingRule as StandingRule
from abilities_host.memory.topic import State as State
from abilities_host.memory.topic import Topic as Topic
