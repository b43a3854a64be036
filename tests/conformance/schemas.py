"""The schemas that the conformance suite looks for, word for word."""

from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]

_TEXT: Final = {"type": "string"}
_OPTIONS: Final = ("option1", "option2", "option3")
_TITLED: Final = [
    {"const": f"value{number}", "title": f"{word} Option"}
    for number, word in enumerate(("First", "Second", "Third"), 1)
]


def text_form(name: str) -> dict[str, Any]:
    """Ask for one text."""
    return {"type": "object", "properties": {name: _TEXT}, "required": [name]}


NAME: Final[Schema] = text_form("name")
OK: Final[Schema] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
}
CONTACT: Final[Schema] = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}
DEFAULTS: Final[Schema] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
}
CHOICES: Final[Schema] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": _OPTIONS},
        "titledSingle": {"type": "string", "oneOf": _TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {
            "type": "array",
            "items": {"type": "string", "enum": _OPTIONS},
        },
        "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
    },
}
REGION: Final[Schema] = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}
KEYWORDS: Final[Schema] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": _TEXT, "city": _TEXT},
        }
    },
    "properties": {
        "name": _TEXT,
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": _TEXT,
        "email": _TEXT,
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {
        "properties": {"contactMethod": {"const": "phone"}},
        "required": ["contactMethod"],
    },
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
