"""How packs are brought in, and what becomes of one that is broken."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hooks.world import (
    AGENT,
    NotesPack,
    ability_of,
    keeping,
    plugin,
    running,
    states,
)

from abilities_host import (
    Declaration,
    DefaultStep,
    ProposedWrite,
    RegistryView,
    Veto,
    hookimpl,
)
from abilities_host.config import load_config
from abilities_host.errors import (
    ForeignNamespace,
    InvalidArgument,
    RegistrationError,
    UnknownArgument,
)
from abilities_host.hooks.packs import Pack, local_pack
from abilities_host.opening import open_host
from abilities_host.testing import write_config

SHORT = "[limits]\nhook_seconds = 0.5"
HEALTHY = ("healthy", "")


def found(
    identity: str,
    load: Callable[[], Any],
    *,
    version: str = "",
    is_policy: bool = False,
) -> Pack:
    """Make a pack as the finder gives it."""
    return Pack(identity, identity.partition("/")[2], version, is_policy, load)


class Boom(BaseException):
    """No Exception, so that a careless handler would let it through."""


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError


def raising(error: BaseException) -> Callable[..., Any]:
    def hook() -> None:
        raise error

    return hook


def raising_async(error: BaseException) -> Callable[..., Any]:
    async def hook() -> None:
        raise error

    return hook


def allow(write: ProposedWrite) -> None:
    return None


# --- one broken pack ------------------------------------------------------------------


ERRORS = [
    pytest.param(ImportError("no module x"), "ImportError: no module x", id="import"),
    pytest.param(SyntaxError("bad"), "SyntaxError: bad", id="syntax"),
    pytest.param(Boom("x"), "Boom: x", id="base-exception"),
    pytest.param(Mute(), "Mute: <Mute>", id="unwritable"),
    pytest.param(ValueError("x" * 900), f"ValueError: {'x' * 500}…", id="long"),
]


@pytest.mark.parametrize(("error", "said"), ERRORS)
async def test_one_of_three_packs_raises_at_import_and_two_work(
    tmp_path: Path, error: BaseException, said: str
) -> None:
    packs = [
        local_pack("one", NotesPack("one")),
        found("broken/pack", raising(error)),
        local_pack("two", NotesPack("two")),
    ]
    async with running(tmp_path, *packs) as host:
        outcomes = [
            await host.execute(name, {}, actor=AGENT) for name in ("one/add", "two/get")
        ]
        shown = states(host)
        listed = [pack for pack in host.packs if not pack.is_healthy]
    assert [outcome.status for outcome in outcomes] == ["ok", "ok"]
    assert shown == {
        "local/one": HEALTHY,
        "broken/pack": ("set aside", f"import: it raised {said}"),
        "local/two": HEALTHY,
    }
    assert [pack.identity for pack in listed] == ["broken/pack"]


@pytest.mark.parametrize("kind", [raising, raising_async])
@pytest.mark.parametrize(
    "hook",
    ["declare_pack", "register_categories", "register_abilities", "default_steps"],
)
@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param(ValueError("why"), "ValueError: why", id="exception"),
        pytest.param(Boom("why"), "Boom: why", id="base-exception"),
        pytest.param(asyncio.CancelledError(), "CancelledError: ", id="cancelled"),
        pytest.param(TimeoutError("why"), "TimeoutError: why", id="timeout-error"),
    ],
)
async def test_a_hook_that_raises_sets_its_pack_aside_whole(
    tmp_path: Path, kind: Any, hook: str, error: BaseException, said: str
) -> None:
    bad = NotesPack("bad")
    setattr(bad, hook, getattr(plugin(**{hook: kind(error)}), hook))
    packs = [local_pack("bad", bad), local_pack("good", NotesPack("good"))]
    async with running(tmp_path, *packs) as host:
        names = [ability.name for ability in host.registry.list_abilities()]
        slugs = [category.slug for category in host.registry.list_categories()]
        shown = states(host)
    assert (names, slugs) == (["good/add", "good/get"], ["good"])
    assert shown == {
        "local/bad": ("set aside", f"{hook}: it raised {said}"),
        "local/good": HEALTHY,
    }


async def hang() -> None:
    await asyncio.Event().wait()


async def hang_and_swallow() -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        await asyncio.Event().wait()


@pytest.mark.parametrize("hook", ["declare_pack", "register_abilities"])
@pytest.mark.parametrize("hanging", [hang, hang_and_swallow])
async def test_a_hook_that_hangs_sets_its_pack_aside_after_its_time(
    tmp_path: Path, hook: str, hanging: Any
) -> None:
    bad = local_pack("bad", plugin(**{hook: hanging}))
    good = local_pack("good", NotesPack("good"))
    async with running(tmp_path, bad, good, config=SHORT) as host:
        assert states(host) == {
            "local/bad": ("set aside", f"{hook}: it did not finish within 0.5 s."),
            "local/good": HEALTHY,
        }


async def test_a_thread_that_was_given_up_registers_nothing_any_more(
    tmp_path: Path,
) -> None:
    release, ended = threading.Event(), threading.Event()
    refused: list[RegistrationError] = []

    def register_abilities(registry: RegistryView) -> None:
        registry.register_ability("slow/one", **ability_of(category="good"))
        release.wait()
        try:
            registry.register_ability("slow/two", **ability_of(category="good"))
        except RegistrationError as error:
            refused.append(error)
        ended.set()

    slow = local_pack("slow", plugin(register_abilities=register_abilities))
    good = local_pack("good", NotesPack("good"))
    async with running(tmp_path, slow, good, config=SHORT) as host:
        release.set()
        assert await asyncio.to_thread(ended.wait, 20)
        names = [ability.name for ability in host.registry.list_abilities()]
    assert names == ["good/add", "good/get"]
    assert [error.code for error in refused] == ["registration_closed"]


def misspelt(write: ProposedWrite) -> None:
    return None


def wrong_argument(wirte: ProposedWrite) -> None:
    return None


def wrapping(write: ProposedWrite) -> Any:
    return (yield)


async def filtering(name: str) -> None:
    return None


def wrapper() -> Any:
    return type("Wrapper", (), {"before_write": hookimpl(wrapping, wrapper=True)})()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(
            lambda: plugin(before_wrte=misspelt),
            "there is no hook 'before_wrte'. Did you mean 'before_write'?",
            id="misspelt",
        ),
        pytest.param(
            lambda: plugin(on_startup=misspelt),
            "there is no hook 'on_startup'.",
            id="unknown",
        ),
        pytest.param(
            wrapper,
            "before_write is a wrapper; a wrapper could swallow a veto",
            id="wrapper",
        ),
        pytest.param(
            lambda: plugin(filter_ability_args=filtering),
            "filter_ability_args is async, but registering does not wait; write a "
            "plain def",
            id="async-filter",
        ),
    ],
)
async def test_a_hook_that_cannot_be_asked_is_an_error_at_load(
    tmp_path: Path, make: Any, reason: str
) -> None:
    bad, good = local_pack("bad", make()), local_pack("good", NotesPack("good"))
    async with running(tmp_path, bad, good) as host:
        outcome = await host.execute("good/add", {}, actor=AGENT)
        assert states(host)["local/bad"] == ("set aside", f"loading hooks: {reason}")
    assert outcome.is_ok


async def test_an_argument_that_no_hook_has_is_an_error_that_names_it(
    tmp_path: Path,
) -> None:
    bad = local_pack("bad", plugin(before_write=wrong_argument))
    async with running(tmp_path, bad) as host:
        state, reason = states(host)["local/bad"]
    assert state == "set aside"
    assert "wirte" in reason
    assert "before_write" in reason


async def test_two_entry_points_to_one_object_are_one_pack_too_many(
    tmp_path: Path,
) -> None:
    notes = NotesPack()
    packs = [local_pack("one", notes), local_pack("two", notes)]
    async with running(tmp_path, *packs) as host:
        names = [ability.name for ability in host.registry.list_abilities()]
        shown = states(host)
    assert names == ["notes/add", "notes/get"]
    assert shown == {
        "local/one": HEALTHY,
        "local/two": (
            "set aside",
            "loading hooks: its entry point leads to the same object as another pack's",
        ),
    }


async def test_two_packs_of_one_identity_leave_the_first_alone(tmp_path: Path) -> None:
    packs = [local_pack("notes", NotesPack()), local_pack("notes", NotesPack("b"))]
    async with running(tmp_path, *packs) as host:
        outcome = await host.execute("notes/add", {}, actor=AGENT)
        second = host.packs[1]
    assert outcome.is_ok
    assert (second.state, second.reason) == (
        "set aside",
        "loading: another pack has the same identity",
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(("notes",), "it returned tuple, not a Declaration", id="tuple"),
        pytest.param(
            Declaration(namespaces="notes"),  # type: ignore[arg-type]  # a common mistake
            "namespaces must be a tuple of strings, such as ('notes',)",
            id="text",
        ),
        pytest.param(
            Declaration(requires_packages=(1,)),  # type: ignore[arg-type]  # it must be refused
            "requires_packages must be a tuple of strings, such as ('notes',)",
            id="number",
        ),
    ],
)
async def test_a_declaration_that_cannot_be_read_is_refused(
    tmp_path: Path, answer: Any, reason: str
) -> None:
    def declare_pack() -> Any:
        return answer

    bad = local_pack("bad", plugin(declare_pack=declare_pack))
    async with running(tmp_path, bad) as host:
        assert states(host)["local/bad"] == ("set aside", f"declare_pack: {reason}")


@pytest.mark.parametrize("answer", [5, "text", {"a": 1}, [1], ["core/x"]])
async def test_default_steps_that_are_none_set_the_pack_aside(
    tmp_path: Path, answer: Any
) -> None:
    def default_steps() -> Any:
        return answer

    bad = local_pack("bad", plugin(default_steps=default_steps))
    async with running(tmp_path, bad) as host:
        assert states(host)["local/bad"] == (
            "set aside",
            "default_steps: it must return a list of DefaultStep",
        )


# --- what a pack needs and claims ---------------------------------------------------


def declaring(*namespaces: str, needs: tuple[str, ...] = ()) -> Any:
    def declare_pack() -> Declaration:
        return Declaration(namespaces=namespaces, requires_packages=needs)

    return plugin(declare_pack=declare_pack)


@pytest.mark.parametrize(
    ("needed", "reason"),
    [
        pytest.param("pluggy>=1", "", id="met"),
        pytest.param(
            "no-such-package-here>=1",
            "it needs 'no-such-package-here>=1', which is not installed",
            id="absent",
        ),
        pytest.param("pluggy>=999", "it needs 'pluggy>=999', but ", id="too-old"),
        pytest.param(
            "!!", "'!!' is not a requirement such as 'rich>=13'", id="no-name"
        ),
    ],
)
async def test_a_pack_whose_packages_are_not_there_is_set_aside_with_the_reason(
    tmp_path: Path, needed: str, reason: str
) -> None:
    pack = local_pack("needy", declaring("needy", needs=(needed,)))
    async with running(tmp_path, pack) as host:
        state, shown = states(host)["local/needy"]
    assert state == ("set aside" if reason else "healthy")
    assert shown.startswith(f"requires_packages: {reason}" if reason else "")


RESERVED = ["abilities", "core", "database", "dispatcher", "files", "ledger", "memory"]


@pytest.mark.parametrize("namespace", RESERVED)
async def test_a_reserved_namespace_is_refused_to_a_stranger(
    tmp_path: Path, namespace: str
) -> None:
    claimed = local_pack("stranger", declaring("fine", namespace))
    by_name = local_pack(namespace, plugin(before_write=allow))
    async with running(tmp_path, claimed, by_name) as host:
        shown = states(host)
    reason = f"declare_pack: namespace {namespace!r} is reserved; claim another one"
    assert shown == dict.fromkeys(
        ("local/stranger", f"local/{namespace}"), ("set aside", reason)
    )


async def test_a_reserved_namespace_belongs_to_the_packs_of_this_distribution(
    tmp_path: Path,
) -> None:
    pack = found("abilities-host/files", lambda: NotesPack("files"))
    async with running(tmp_path, pack) as host:
        assert (await host.execute("files/get", {}, actor=AGENT)).is_ok


def rivals() -> list[Pack]:
    return [
        found("dist-a/one", lambda: declaring("shared", "own-a")),
        found("dist-b/two", lambda: declaring("shared")),
        found("dist-c/three", lambda: declaring("own-a")),
    ]


CLAIM = (
    "declare_pack: namespace 'shared' is claimed by dist-a/one and dist-b/two; "
    'decide with [plugins.namespaces] shared = "…"'
)
OWN_CLAIM = (
    "declare_pack: namespace 'own-a' is claimed by dist-a/one and dist-c/three; "
    'decide with [plugins.namespaces] own-a = "…"'
)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(
            "",
            [("set aside", CLAIM), ("set aside", CLAIM), ("set aside", OWN_CLAIM)],
            id="nobody-has-decided",
        ),
        pytest.param(
            '[plugins.namespaces]\nshared = "dist-b/two"',
            [("set aside", CLAIM), HEALTHY, HEALTHY],
            id="decided",
        ),
        pytest.param(
            '[plugins.namespaces]\nshared = "Dist_A/one"\nown-a = "one"',
            [HEALTHY, ("set aside", CLAIM), ("set aside", OWN_CLAIM)],
            id="decided-in-another-spelling",
        ),
    ],
)
async def test_two_claims_quarantine_both_until_the_operator_decides(
    tmp_path: Path, config: str, expected: list[tuple[str, str]]
) -> None:
    async with running(tmp_path, *rivals(), config=config) as host:
        assert list(states(host).values()) == expected


async def test_a_pack_registers_in_its_own_namespaces_only(tmp_path: Path) -> None:
    given = ability_of(category="notes")

    def register_abilities(registry: RegistryView) -> None:
        kept = [
            registry.register_ability("other/thing", **given),
            registry.register_ability("mine/a", **given, renamed_from=("notes/add",)),
            registry.register_ability("mine/b", **given, is_route=True),
            registry.register_ability("mine/c", **given, pack="local/notes"),
            registry.register_ability("mine/d", **given),
        ]
        assert [bool(ability) for ability in kept] == [False] * 4 + [True]

    mine = local_pack("mine", plugin(register_abilities=register_abilities))
    async with running(tmp_path, local_pack("n", NotesPack()), mine) as host:
        names = [ability.name for ability in host.registry.list_abilities()]
        refused = host.packs[1].refused
    routes = "left out; only the dispatcher's abilities are routes"
    fix = "Claim the namespace in declare_pack, or rename the ability."
    assert names == ["notes/add", "notes/get", "mine/d"]
    assert [
        sentence.partition(" (pack 'local/mine'): ")[::2] for sentence in refused
    ] == [
        ("'other/thing'", f"this pack may register only in mine. {fix}"),
        ("'notes/add'", f"this pack may register only in mine. {fix}"),
        ("'mine/b'", f"is_route must be {routes}, but bool came."),
        ("'mine/c'", f"there is no argument 'pack'. There are: {', '.join(given)}."),
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("other/thing", {}, ForeignNamespace),
        ("late/one", {"is_route": True}, InvalidArgument),
        ("late/one", {"renamed_from": ("notes/add",)}, ForeignNamespace),
        ("late/one", {"pack": "local/notes"}, UnknownArgument),
    ],
)
async def test_the_typed_form_is_no_way_round_the_view(
    tmp_path: Path, name: str, arguments: dict[str, Any], error: type[Exception]
) -> None:
    kept: list[RegistryView] = []
    packs = [local_pack("n", NotesPack()), local_pack("late", keeping(kept))]
    given: dict[str, Any] = {
        "label": "One",
        "description": "One.",
        "category": "notes",
        "permission_callback": lambda: True,
    }
    async with running(tmp_path, *packs) as host:
        with pytest.raises(error):
            kept[0].ability(name, **given, **arguments)(lambda: 1)
        assert not host.registry.has_ability(name)
        kept[0].ability("late/one", **given)(lambda: 1)
        assert (await host.execute("late/one", actor=AGENT)).unwrap() == 1


class FilesDomain:
    name = "files"

    def canonical(self, target: str) -> str:
        return target

    async def capture(self, target: str) -> Any:
        return target

    async def restore(self, target: str, expected: Any, state: Any) -> None:
        return


async def test_a_stranger_cannot_take_the_domain_of_a_reserved_namespace(
    tmp_path: Path,
) -> None:
    kept: list[RegistryView] = []
    async with running(tmp_path, local_pack("late", keeping(kept))) as host:
        with pytest.raises(ForeignNamespace):
            kept[0].register_domain(FilesDomain())
        assert host.registry.list_domains() == ()


async def test_the_filter_of_a_pack_is_never_asked_about_another(
    tmp_path: Path,
) -> None:
    asked: list[str] = []

    def filter_ability_args(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        asked.append(name)
        return {"label": "Taken over"}

    nosy = plugin(filter_ability_args=filter_ability_args)
    packs = [local_pack("nosy", nosy), local_pack("notes", NotesPack())]
    async with running(tmp_path, *packs) as host:
        labels = [ability.label for ability in host.registry.list_abilities()]
    assert (asked, labels) == ([], ["A label", "A label"])


# --- policy ---------------------------------------------------------------------------


async def codes(folder: Path, *packs: Pack, config: str = "") -> tuple[str, str, str]:
    """Run a write and a read; give both codes and the plugin that is named."""
    notes = local_pack("notes", NotesPack())
    async with running(folder, notes, *packs, config=config) as host:
        write = await host.execute("notes/add", {}, actor=AGENT)
        read = await host.execute("notes/get", {}, actor=AGENT)
    plugin_named = "" if write.error is None else write.error.details["plugin"]
    return write.code, read.code, plugin_named


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(raising(ImportError("gone")), id="import-fails"),
        pytest.param(lambda: plugin(before_wrte=misspelt), id="misspelt-hook"),
        pytest.param(wrapper, id="wrapper"),
        pytest.param(lambda: declaring("guard"), id="no-before-write"),
        pytest.param(object, id="no-hooks"),
        pytest.param(lambda: None, id="nothing"),
        pytest.param(
            lambda: plugin(
                before_write=allow, register_abilities=raising(ValueError())
            ),
            id="fails-later",
        ),
        pytest.param(
            lambda: plugin(before_write=allow, default_steps=raising(ValueError())),
            id="fails-last",
        ),
    ],
)
async def test_a_broken_policy_plugin_stops_the_writes_and_the_reads_go_on(
    tmp_path: Path, broken: Callable[[], Any]
) -> None:
    guard = found("dist/guard", broken, is_policy=True)
    assert await codes(tmp_path, guard) == ("policy_missing", "", "dist/guard")


@pytest.mark.parametrize(
    ("config", "version", "expected"),
    [
        pytest.param(
            'required = ["other/guard"]',
            "1.0",
            ("policy_missing", "", "other/guard"),
            id="missing",
        ),
        pytest.param(
            'required = ["my-dist/guard>=2"]',
            "1.0",
            ("policy_missing", "", "my-dist/guard>=2"),
            id="wrong-version",
        ),
        pytest.param('required = ["my-dist/guard>=1"]', "1.0", ("", "", ""), id="met"),
        pytest.param(
            'required = ["My.Dist/guard"]', "1.0", ("", "", ""), id="other-spelling"
        ),
        pytest.param(
            'required = ["my-dist/guard"]\nblocked = ["my-dist/guard"]',
            "1.0",
            ("policy_missing", "", "my-dist/guard"),
            id="required-and-blocked",
        ),
    ],
)
async def test_a_required_plugin_must_be_there_in_its_version(
    tmp_path: Path, config: str, version: str, expected: tuple[str, str, str]
) -> None:
    def load() -> Any:
        return plugin(before_write=allow)

    guard = found("My_Dist/guard", load, version=version)
    assert await codes(tmp_path, guard, config=f"[plugins]\n{config}") == expected


async def test_a_blocked_policy_plugin_stops_the_writes_unless_it_is_optional(
    tmp_path: Path,
) -> None:
    def guard() -> Pack:
        return found("dist/guard", raising(ImportError()), is_policy=True)

    blocked = 'blocked = ["guard"]'
    assert [
        await codes(tmp_path / "a", guard(), config=f"[plugins]\n{blocked}"),
        await codes(tmp_path / "b", guard(), config='[plugins]\noptional = ["guard"]'),
        await codes(
            tmp_path / "c",
            guard(),
            config=f'[plugins]\n{blocked}\noptional = ["dist/guard"]',
        ),
    ] == [("policy_missing", "", "dist/guard"), ("", "", ""), ("", "", "")]


async def test_a_blocked_pack_is_never_imported(tmp_path: Path) -> None:
    imported: list[str] = []

    def load() -> Any:
        imported.append("notes")
        return NotesPack()

    config = '[plugins]\nblocked = ["dist/notes"]'
    pack = found("dist/notes", load)
    async with running(tmp_path, pack, config=config) as host:
        assert states(host) == {"dist/notes": ("blocked", "[plugins] blocked names it")}
    assert imported == []


# --- plugins_dir --------------------------------------------------------------------

PACK_FILE = '''
from abilities_host import hookimpl

@hookimpl
def register_categories(registry):
    registry.register_category("hello", label="Hello", description="Greetings.")

@hookimpl
def register_abilities(registry):
    @registry.ability("hello/say", label="Say", category="hello",
                      permission_callback=lambda: True)
    async def say(name: str = "world") -> str:
        """Greet somebody."""
        return f"Hello {name}"
'''


async def test_a_python_file_in_plugins_dir_is_a_pack(tmp_path: Path) -> None:
    def prepare() -> Any:
        folder = tmp_path / "packs"
        folder.mkdir(mode=0o700)
        (folder / "hello.py").write_text(PACK_FILE)
        (folder / "broken.py").write_text("import no_such_module_here")
        (folder / "open.py").write_text(PACK_FILE)
        for file in folder.glob("*.py"):
            file.chmod(0o666 if file.stem == "open" else 0o600)
        (folder / "no_pack.txt").write_text("nothing")
        path = write_config(tmp_path, 'plugins_dir = "packs"\n')
        return load_config(path, environ={}, cwd=tmp_path)

    loaded = await asyncio.to_thread(prepare)
    async with open_host(loaded) as host:
        ours = {
            identity: state
            for identity, state in states(host).items()
            if identity.startswith("plugins_dir/")
        }
        outcome = await host.execute("hello/say", {"name": "Ann"}, actor=AGENT)
    gone = "No module named 'no_such_module_here'"
    others = tmp_path / "packs" / "open.py"
    refusal = f"others may write {others}, so it is not run; chmod go-w '{others}'"
    assert outcome.unwrap() == "Hello Ann"
    assert ours == {
        "plugins_dir/broken": (
            "set aside",
            f"import: it raised ModuleNotFoundError: {gone}",
        ),
        "plugins_dir/hello": HEALTHY,
        "plugins_dir/open": (
            "set aside",
            f"import: it raised PermissionError: {refusal}",
        ),
    }


# --- the start ------------------------------------------------------------------------

STEPS = (
    "configuration",
    "store",
    "migrations",
    "packs found",
    "categories",
    "args filter",
    "abilities",
    "packs open",
    "default steps",
    "modules",
    "servers",
    "watchers",
)


async def test_the_start_is_a_list_and_the_stop_its_reverse(tmp_path: Path) -> None:
    async with running(tmp_path, local_pack("notes", NotesPack())) as host:
        assert host.events == [f"start {step}" for step in STEPS]
    assert host.events == [
        *(f"start {step}" for step in STEPS),
        *(f"stop {step}" for step in reversed(STEPS)),
    ]


async def test_default_steps_are_applied_before_anybody_looks(tmp_path: Path) -> None:
    class Steps(NotesPack):
        @hookimpl
        async def default_steps(self) -> list[DefaultStep]:
            return [DefaultStep(1, off=("notes/add",))]

    async with running(tmp_path, local_pack("notes", Steps())) as host:
        names = [ability.name for ability in await host.list_abilities(AGENT)]
    assert names == ["notes/get"]


async def test_a_pack_may_decide_and_register_at_once(tmp_path: Path) -> None:
    class Careful(NotesPack):
        @hookimpl
        async def before_write(self, write: ProposedWrite) -> Veto:
            return Veto(f"not {write.ability.name}")

    pack = local_pack("notes", Careful(), is_policy=True)
    async with running(tmp_path, pack) as host:
        outcome = await host.execute("notes/add", {}, actor=AGENT)
    assert str(outcome.error) == (
        "The write 'notes/add' was stopped by 'local/notes': not notes/add"
    )
