"""Projection: the author's schema as one client family can be shown it."""

from abilities_host.schema.projection.project import (
    LeftOut,
    Projected,
    project,
    project_output,
)
from abilities_host.schema.projection.reverse import ReverseMap

__all__ = ["LeftOut", "Projected", "ReverseMap", "project", "project_output"]
