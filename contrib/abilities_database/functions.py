"""Functions: what a query may call, by name."""

from typing import Final

_TEXTS: Final = (
    "char concat concat_ws format glob hex instr length like lower ltrim "
    "octet_length printf quote replace rtrim soundex substr substring trim unhex "
    "unicode upper zeroblob"
)
_NUMBERS: Final = (
    "abs acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp "
    "floor ln log log10 log2 mod pi pow power radians random round sign sin sinh "
    "sqrt tan tanh trunc"
)
_TIMES: Final = (
    "current_date current_time current_timestamp date datetime julianday strftime "
    "time timediff unixepoch"
)
_CHOICES: Final = (
    "coalesce if ifnull iif likelihood likely nullif subtype typeof unlikely"
)
_GROUPS: Final = (
    "avg count cume_dist dense_rank first_value group_concat lag last_value lead "
    "max median min nth_value ntile percent_rank percentile percentile_cont "
    "percentile_disc rank row_number string_agg sum total"
)
_JSON: Final = (
    "-> ->> json json_array json_array_length json_error_position json_extract "
    "json_group_array json_group_object json_insert json_object json_patch "
    "json_pretty json_quote json_remove json_replace json_set json_type "
    "json_valid"
)
_SEARCH: Final = "bm25 highlight match matchinfo offsets snippet"
_FAMILIES: Final = (_TEXTS, _NUMBERS, _TIMES, _CHOICES, _GROUPS, _JSON, _SEARCH)

SAFE_FUNCTIONS: Final = frozenset(" ".join(_FAMILIES).split())
"""They compute from their arguments, the clock or chance, and do no more."""

FILE_FUNCTIONS: Final = frozenset({"load_extension"})

SERIES: Final = frozenset({"json_each", "json_tree"})
"""They stand where a table stands."""
