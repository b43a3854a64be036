"""What may be registered as a resource or a prompt, and how a template matches."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server.world import READ, ability

from abilities_host.component import Component
from abilities_host.errors import RegistrationError
from abilities_host.registry import Registry
from abilities_host.server.tool import tool_of
from abilities_host.uritemplate import BadTemplate, parse_template

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}}


def registered(mcp: Any, schema: Any = None, **changed: Any) -> Component:
    meta = {**READ, "mcp": mcp}
    return ability(**{"input_schema": schema, "meta": meta, **changed}).component


def refusal(mcp: Any, schema: Any = None, **changed: Any) -> str:
    with pytest.raises(RegistrationError) as caught:
        registered(mcp, schema, **changed)
    return caught.value.problem


def test_an_ability_is_a_tool_unless_it_says_otherwise() -> None:
    said = [registered(mcp) for mcp in (None, {}, {"public": True}, {"type": "tool"})]

    assert said == [Component()] * 4
    assert registered({"type": "prompt"}) == Component("prompt")
    assert registered({"content": True}) == Component(gives_content=True)


HINTS = {"anthropic/alwaysLoad": True, "anthropic/searchHint": "notes"}


def test_hints_for_single_clients_go_with_the_tool_and_others_are_refused() -> None:
    said = ability(meta={**READ, "mcp": {"hints": HINTS}})
    sent = tool_of(said, "2026-07-28", is_write=False)["_meta"]
    refused = [
        refusal({"hints": hints})
        for hints in (
            ["anthropic/alwaysLoad"],
            {"anthropic/alwaysLod": True},
            {"anthropic/alwaysLoad": "yes"},
            {"anthropic/searchHint": "x" * 201},
        )
    ]

    assert {key: sent[key] for key in HINTS} == HINTS
    assert "meta.mcp.hints must be a mapping" in refused[0]
    assert "Did you mean 'anthropic/alwaysLoad'?" in refused[1]
    assert "meta.mcp.hints.anthropic/alwaysLoad must be a bool" in refused[2]
    assert "meta.mcp.hints.anthropic/searchHint must be a str" in refused[3]


def test_a_resource_says_its_address_type_and_size() -> None:
    said = {"type": "resource", "uri": "a+b:c d".replace(" ", "-"), "size": 7}

    whole = registered({**said, "mimeType": "text/html; profile=mcp-app"})
    template = registered({"type": "resource", "uri": "a://{n}"}, NUMBER)

    mime = "text/html; profile=mcp-app"
    assert whole == Component("resource", "a+b:c-d", mime, 7)
    assert template.template == parse_template("a://{n}")


@pytest.mark.parametrize(
    ("mcp", "schema", "problem"),
    [
        ("x", None, "meta.mcp must be a mapping, but str came."),
        (
            {"type": "resorce"},
            None,
            (
                "meta.mcp.type must be 'tool', 'resource' or 'prompt' (Did you mean "
                "'resource'?), but str came."
            ),
        ),
        (
            {"type": []},
            None,
            (
                "meta.mcp.type must be 'tool', 'resource' or 'prompt', "
                "but FrozenList came."
            ),
        ),
        (
            {"uri": "a://b"},
            None,
            (
                "meta.mcp.uri must be left out of a tool (it belongs to a resource: "
                "say meta.mcp.type), but str came."
            ),
        ),
        (
            {"type": "prompt", "arguments": []},
            None,
            (
                "meta.mcp.arguments must be left out (a prompt's arguments come from "
                "input_schema), but FrozenList came."
            ),
        ),
        (
            {"type": "resource", "uri": "a://b", "mimeType": "text"},
            None,
            "meta.mcp.mimeType must be a type such as 'text/plain', but str came.",
        ),
        (
            {"type": "resource", "uri": "a://b", "size": True},
            None,
            "meta.mcp.size must be a number of bytes, but bool came.",
        ),
        (
            {"content": 1},
            None,
            "meta.mcp.content must be True or False, but int came.",
        ),
        (
            {"type": "resource", "uri": "a://{m}"},
            NUMBER,
            (
                "input_schema must be an object with the property 'm', a variable of "
                "meta.mcp.uri, but dict came."
            ),
        ),
        (
            {"type": "resource", "uri": "a://b"},
            {**NUMBER, "required": ["n"]},
            (
                "input_schema must be an object that does not require 'n': "
                "meta.mcp.uri lacks it, but dict came."
            ),
        ),
        (
            {"type": "prompt"},
            {"type": "string"},
            "input_schema must be an object for a prompt, but dict came.",
        ),
        (
            {"type": "resource", "uri": "a://{n"},
            NUMBER,
            (
                "meta.mcp.uri must be a template (a variable is written {name}, or "
                "{+name} where it may hold slashes), but str came."
            ),
        ),
    ],
)
def test_what_no_client_could_use_is_refused_with_the_reason(
    mcp: Any, schema: Any, problem: str
) -> None:
    assert refusal(mcp, schema) == problem


@pytest.mark.parametrize(
    "uri", [None, "", "b", "a:", "a://b c", "1a://b", 7, "a:" * 1025]
)
def test_a_resource_without_a_usable_address_is_refused(uri: Any) -> None:
    problem = refusal({"type": "resource", "uri": uri})

    expected = "an address such as 'notes://today', at most 2048 long"
    assert problem.startswith(f"meta.mcp.uri must be {expected}")


@pytest.mark.parametrize("kind", ["resource", "prompt"])
@pytest.mark.parametrize("notes", [{}, {"readonly": False}])
def test_what_may_change_something_is_neither_resource_nor_prompt(
    kind: str, notes: dict[str, bool]
) -> None:
    said = {"type": kind, **({"uri": "a://b"} if kind == "resource" else {})}
    meta = {"annotations": notes, "mcp": said}

    problem = refusal(said, meta=meta)

    must = f"meta.annotations.readonly must be True for a {kind} (it is only ever read)"
    assert problem.startswith(must)


def test_blocks_of_content_have_no_schema() -> None:
    problem = refusal({"content": True}, output_schema={"type": "object"})

    assert problem.startswith("output_schema must be left out where meta.mcp.content")


def test_an_address_belongs_to_the_first_resource_that_has_it() -> None:
    registry = Registry()
    registry.register_category("test", label="Test", description="For tests.")
    said: dict[str, Any] = {
        "label": "A",
        "description": "For tests.",
        "category": "test",
        "execute_callback": lambda: "read",
        "permission_callback": lambda: True,
        "meta": {**READ, "mcp": {"type": "resource", "uri": "a://b"}},
    }
    registry.register_ability("test/one", **said)

    with pytest.raises(RegistrationError) as caught:
        registry.register_ability("test/two", **said)

    error = caught.value
    assert (error.code, error.subject) == ("duplicate_resource", "a://b")
    assert error.problem == (
        "this resource is already registered by pack 'test/one'; the first one stays."
    )


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        ("a://{n}", "a://7", {"n": "7"}),
        ("a://{n}", "a://7/8", None),
        ("a://{n}", "a://", None),
        ("a://{n}", "b://7", None),
        ("a://{n}/x", "a://7/x", {"n": "7"}),
        ("a://{n}/x", "a://7/y", None),
        ("a://{n}/x", "a://x/x/x", None),
        ("a://{+p}", "a://b/c?d#e", {"p": "b/c?d#e"}),
        ("a://{+p}.md", "a://b.md/c.md", {"p": "b.md/c"}),
        ("a://{p}-{q}", "a://b-c-d", {"p": "b", "q": "c-d"}),
        ("a://{p}", "a://b%2Fc%20d", {"p": "b/c d"}),
        ("a://{p}", "a://%ff", None),
        ("{p}:x", "b:x", None),
    ],
)
def test_an_address_is_read_into_variables(
    template: str, uri: str, values: dict[str, str] | None
) -> None:
    if template.startswith("{"):
        with pytest.raises(BadTemplate, match="something between"):
            parse_template(template)
    else:
        assert parse_template(template).match(uri) == values


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("a://{p}{q}", "there must be something between two variables"),
        ("a://{p}/{p}", "each variable may stand there once"),
        ("a://{p*}", "a variable is written {name}"),
        ("a://{?p}", "a variable is written {name}"),
        ("a://p}", "a variable is written {name}"),
    ],
)
def test_what_could_not_be_matched_is_refused(template: str, reason: str) -> None:
    with pytest.raises(BadTemplate, match=reason.replace("{", r"\{")):
        parse_template(template)


@given(st.text(alphabet="abc123-é", min_size=1), st.text(alphabet="xyz/", min_size=1))
def test_what_is_put_into_a_template_comes_out_of_it(one: str, other: str) -> None:
    template = parse_template("a://{one}/{+other}")

    assert template.match(f"a://{one}/{other}") == {"one": one, "other": other}
