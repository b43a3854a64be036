"""The order of every run, whatever surface it came from."""

from abilities_host.calls import Outcome, Request
from abilities_host.ending import Ending
from abilities_host.parts import Parts
from abilities_host.run import Run


class Envelope:
    """The one door through.

    Args:
        parts: everything it is given; it knows neither plugins nor surfaces.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def execute(self, request: Request) -> Outcome:
        """Run an ability; the order of these lines is the promise.

        The place among the running calls is taken before the targets are locked, so
        that a call that waits for one holds nothing and leaves no intent behind.

        Args:
            request: what a surface hands over.

        Returns:
            How it ended; refusals and failures are outcomes, never exceptions.

        Raises:
            asyncio.CancelledError: when the caller was cancelled; the run's ending
                goes on without it.
        """
        run = Run(self._parts, request)
        try:
            await run.find()
            run.check_scope()
            run.repair_arguments()
            run.check_input()
            await run.check_permission()
            await run.take_place()
            if run.write is not None:
                await run.capture_before()
                await run.ask_policy()
                await run.record_intent()
            await run.perform()
        except BaseException as error:  # noqa: BLE001 - every end is an outcome
            run.error = error
        return await Ending(run).reach()
