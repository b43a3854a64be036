"""A demonstration: real servers, real clients, a scratch folder; 0 if all went well."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from demo.stage import Stage, StoryBroken
from demo.story import tell_story


def leaves(group: BaseExceptionGroup[StoryBroken]) -> Iterator[StoryBroken]:
    """The protocol's own task groups wrap what is raised inside of them."""
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from leaves(error)
        else:
            yield error


def main() -> int:
    """Tell the story once."""
    broken: list[StoryBroken] = []
    with TemporaryDirectory(prefix="abilities-demo-") as folder:
        try:
            asyncio.run(tell_story(Stage(Path(folder))))
        except* StoryBroken as group:
            broken += leaves(group)
    for error in broken:
        sys.stderr.write(f"The story broke: {error}.\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
