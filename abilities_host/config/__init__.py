"""Configuration: `abilities.toml`, environment and flags, read once and frozen."""

from abilities_host.config.live import Adopted as Adopted
from abilities_host.config.live import adopt as adopt
from abilities_host.config.live import is_live as is_live
from abilities_host.config.load import LoadedConfig as LoadedConfig
from abilities_host.config.load import load_config as load_config
from abilities_host.config.load import protected_paths_of as protected_paths_of
from abilities_host.config.required import RequiredPlugin as RequiredPlugin
from abilities_host.config.servers import ServerSettings as ServerSettings
from abilities_host.config.settings import HostConfig as HostConfig
from abilities_host.config.stored import check_stored as check_stored
from abilities_host.config.stored import stored_key as stored_key
from abilities_host.config.stored import with_stored as with_stored
from abilities_host.config.stored import written_value as written_value
from abilities_host.config.table import Setting as Setting
from abilities_host.config.table import settings_table as settings_table
