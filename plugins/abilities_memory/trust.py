"""Trust: whether a person who changes what no seal is kept of is really here."""

import secrets
from typing import Final

from abilities_host import Site
from abilities_host.accounts import Accounts, Unlocked
from abilities_host.gate import Gate, NotTrusted, verifies

_FORM: Final = b"abilities-host memory presence 1 "


class Trust:
    """Checks people by the key that they have; for a seal the gate does so itself.

    Args:
        site: the host, as this pack may use it.
        gate: knows the public halves of keys.
    """

    def __init__(self, site: Site, gate: Gate) -> None:
        self._gate: Final = gate
        self._accounts: Final = Accounts(site.store)

    async def check(self, human: Unlocked) -> None:
        """Check that a person has the published key of an account that is on.

        Args:
            human: who decides.

        Raises:
            NotTrusted: when somebody made it up, or the account is off.
            AccountError: when the public keys cannot be used.
            StoreError: when the store cannot be read.
        """
        public = (await self._gate.public_keys()).get(human.name)
        message = _FORM + secrets.token_bytes(16)
        if public is None or not verifies(public, human.sign(message), message):
            raise NotTrusted(human.name)
        on = {each.name for each in await self._accounts.list() if each.is_active}
        if human.name not in on:
            raise NotTrusted(human.name)
