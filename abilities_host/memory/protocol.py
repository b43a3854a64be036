"""ProjectMemory: what a pack that keeps guidance offers to commands and pages."""

from collections.abc import Mapping
from typing import Any, Protocol

from abilities_host.accounts import Unlocked
from abilities_host.gate import Alarm
from abilities_host.memory.guidance import (
    Guidance,
    GuidancePage,
    GuidanceQuery,
    Source,
    Status,
)
from abilities_host.memory.happening import Happening
from abilities_host.memory.portability import Imported
from abilities_host.memory.proposal import Proposal
from abilities_host.memory.review import Review
from abilities_host.memory.topic import Topic


class ProjectMemory(Protocol):
    """All guidance of a host; found with ``services.find(ProjectMemory)``.

    What takes an `Unlocked` changes what agents are told or held to. Nobody but
    `Accounts.unlock` makes one, and a false one makes seals that nobody accepts.
    """

    # --- reading --------------------------------------------------------------

    async def list(
        self,
        status: Status | None = None,
        *,
        topic: str | None = None,
        after: int = 0,
        limit: int = 50,
    ) -> GuidancePage:
        """Give guidance of any status, oldest first, without what was forgotten."""
        ...

    async def search(
        self, query: GuidanceQuery, *, after: int = 0, limit: int = 50
    ) -> GuidancePage:
        """Give guidance that is looked for, oldest first, without what was forgotten.

        Args:
            query: which.
            after: `GuidancePage.next` of the page before.
            limit: how many, 1 to 500.

        Returns:
            One page. For words it looks through 3,000 numbers at most, and has a
            `next` although it found less.

        Raises:
            StoreError: when it cannot be read.
        """
        ...

    async def get(self, id_: str) -> Guidance:
        """Give guidance of any status; raises `CallError` without it."""
        ...

    async def counts(self) -> Mapping[Status, int]:
        """Count guidance by status; every status is there."""
        ...

    async def history(self, about: str, *, limit: int = 100) -> tuple[Happening, ...]:
        """Give what was done to guidance, or to ``topic:`` and a name, oldest first."""
        ...

    async def topics(self) -> tuple[Topic, ...]:
        """Give every topic by name."""
        ...

    async def review(self, id_: str) -> Review:
        """Give everything a person is to see before deciding.

        Args:
            id_: of the guidance.

        Returns:
            What it says, with its hash, and what would follow.

        Raises:
            CallError: when there is none of this id.
        """
        ...

    async def alarms(self) -> tuple[Alarm, ...]:
        """Give what is not as a person left it."""
        ...

    async def context(self, tokens: int) -> str:
        """Write approved guidance for the instructions of a server.

        Args:
            tokens: that the text may cost.

        Returns:
            Marked as data, each with who approved it; empty without any.
        """
        ...

    # --- without effect on agents ---------------------------------------------

    async def propose(
        self, proposal: Proposal, *, by: str, source: Source = "manual"
    ) -> Guidance:
        """Keep a proposal for review, always as a new one."""
        ...

    async def reject(self, id_: str, *, by: str) -> Guidance:
        """Say no to what is pending; it is kept."""
        ...

    async def archive(self, id_: str, *, by: str) -> Guidance:
        """Set aside what is pending; what is approved is withdrawn instead."""
        ...

    # --- with the secret of a person ------------------------------------------

    async def approve(self, id_: str, seen_hash: str, human: Unlocked) -> Guidance:
        """Approve guidance as a person saw it, and archive what it supersedes.

        Args:
            id_: of the guidance.
            seen_hash: from `review`.
            human: who decides.

        Returns:
            What is in force now.

        Raises:
            CallError: when it is another text by now, not pending, or the person's key
                is not trusted; nothing is changed.
        """
        ...

    async def withdraw(self, id_: str, seen_hash: str, human: Unlocked) -> Guidance:
        """Archive what is approved; see `approve`."""
        ...

    async def forget(self, id_: str, human: Unlocked) -> Guidance:
        """Remove for good what guidance says; approved is to be withdrawn before."""
        ...

    async def acknowledge(self, id_: str, human: Unlocked) -> None:
        """End the alarm about guidance that was approved and is gone."""
        ...

    async def put_topic(self, topic: Topic, human: Unlocked) -> Topic:
        """Make or change a topic; what it says is put in place of all that was."""
        ...

    # --- other hosts ----------------------------------------------------------

    async def export(self) -> dict[str, Any]:
        """Give all guidance, topics and seals as one JSON document."""
        ...

    async def bring_in(
        self, document: Any, *, by: str, human: Unlocked | None = None
    ) -> Imported:
        """Take guidance from a document, all of it or nothing.

        Args:
            document: JSON values: an export, or what `read_carl` made of a folder.
            by: name of the account, or id of the actor.
            human: keeps approvals whose seal verifies; without it everything lands
                pending, and topics stay as they are.

        Returns:
            What came of it.

        Raises:
            CallError: when the document cannot be understood; nothing was taken.
        """
        ...

    # --- patterns -------------------------------------------------------------

    async def propose_patterns(self) -> tuple[Guidance, ...]:
        """Propose what the record shows again and again; nothing twice."""
        ...
