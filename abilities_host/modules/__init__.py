"""Modules: optional parts of packs, started and torn down while the host runs."""

__all__ = ("Modules", "Off", "Standing", "arrange", "judge")

from abilities_host.modules.arranging import arrange as arrange
from abilities_host.modules.arranging import judge as judge
from abilities_host.modules.modules import Modules as Modules
from abilities_host.modules.standing import Off as Off
from abilities_host.modules.standing import Standing as Standing
