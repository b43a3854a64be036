"""Installed checks: what ``doctor`` says of the protocol packages."""

from collections.abc import Iterator

from abilities_host.cli.findings import Finding
from abilities_host.installed import look_for_misfits


def check_installed() -> Iterator[Finding]:
    """Look at the protocol packages of this Python.

    Yields:
        A warning for each that is there twice, imported from elsewhere, or of a version
        that another cannot work with; one good word when there is none.
    """
    misfits = look_for_misfits()
    for misfit in misfits:
        yield Finding("warning", "packages", misfit.sentence, misfit.fix)
    if not misfits:
        yield Finding("ok", "packages", "The protocol packages fit together.")
