"""Reading: a file as text or as base64, page by page."""

import mimetypes
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from abilities_files.folder import Folder
from abilities_files.refusals import Binary
from abilities_files.settings import Settings

PAGE = 32_768
LARGEST_PAGE = 131_072


def read_file(root: Folder, settings: Settings, arguments: Mapping[str, Any]) -> Any:
    """Read one page of a file.

    Args:
        root: the root.
        settings: the largest file.
        arguments: path, and optionally offset, limit and encoding; offset and limit
            count characters of text, or bytes.

    Returns:
        The page and where the next one begins, None at the end.

    Raises:
        AbilityFailed: when it cannot be read so.
    """
    with root.spot(arguments["path"]) as spot:
        data, _ = spot.read(settings.max_bytes)
    text = _choose_text(data, arguments.get("encoding", "auto"), spot.path)
    whole: str | bytes = data if text is None else text
    offset = arguments.get("offset", 0)
    page = whole[offset : offset + arguments.get("limit", PAGE)]
    end = offset + len(page)
    is_truncated = end < len(whole)
    return {
        "path": spot.path,
        "size": len(data),
        **_show(page, spot.path),
        "truncated": is_truncated,
        "next_offset": end if is_truncated else None,
    }


def decode_text(data: bytes) -> str | None:
    """Decode UTF-8 text.

    Args:
        data: the contents of a file.

    Returns:
        The text with its line ends as they are, or None when it is not text.
    """
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _choose_text(data: bytes, encoding: str, path: str) -> str | None:
    text = None if encoding == "base64" else decode_text(data)
    if text is None and encoding == "text":
        raise Binary(path)
    return text


def _show(page: str | bytes, path: str) -> dict[str, str]:
    if isinstance(page, str):
        return {"kind": "text", "text": page}
    mime = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return {"kind": "binary", "base64": b64encode(page).decode(), "mime": mime}
