"""The shape of the tree: small files, small functions, doors where they should be."""

import ast
import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import abilities_host

ROOT = Path(__file__).parent.parent
SOURCES = ("abilities_host", "plugins", "contrib")
MODULES = sorted(
    path.relative_to(ROOT)
    for folder in SOURCES
    for path in (ROOT / folder).rglob("*.py")
)
MODULE_LINES = 400
FUNCTION_LINES = 24


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[0]
    start = first.lineno
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        start = (first.end_lineno or 0) + 1
    return (node.end_lineno or 0) - start + 1


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_opens_with_a_sentence_and_is_short(module: Path) -> None:
    text = (ROOT / module).read_text()
    docstring = ast.get_docstring(ast.parse(text)) or ""
    assert docstring.split("\n")[0].endswith(".")
    assert text.count("\n") <= MODULE_LINES


def test_functions_fit_in_a_glance() -> None:
    long = {
        f"{module}:{function.name}": _length(function)
        for module in MODULES
        for function in _functions(ast.parse((ROOT / module).read_text()))
        if _length(function) > FUNCTION_LINES
    }
    assert long == {}


def test_the_root_exports_exactly_what_it_says() -> None:
    imported = {
        alias.asname
        for node in ast.parse(Path(abilities_host.__file__).read_text()).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(abilities_host.__all__) == imported
    assert list(abilities_host.__all__) == sorted(
        abilities_host.__all__, key=lambda name: (not name.isupper(), name)
    )


def test_every_pack_of_the_tree_has_its_entry_point_and_its_contract() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {
        path.parent.name: path.read_text()
        for folder in ("plugins", "contrib")
        for path in (ROOT / folder).glob("*/__init__.py")
    }
    # A package without hooks is no pack: nothing loads it.
    packs = {name for name, text in packages.items() if "hookimpl" in text}
    declared = project["project"]["entry-points"]
    groups = ("abilities_host", "abilities_host.policy")
    named = {value for group in groups for value in declared.get(group, {}).values()}
    installed = {each.value for name in groups for each in entry_points(group=name)}
    roots = set(project["tool"]["importlinter"]["root_packages"])
    assert named == packs
    assert packs <= installed
    assert roots == packages.keys() | {"abilities_host"}


def test_packs_use_the_root_names_only() -> None:
    offered = ("accounts", "gate", "ledger", "memory", "pages", "storage", "testing")
    allowed = {"abilities_host", *(f"abilities_host.{name}" for name in offered)}
    reached = {
        f"{module}: {node.module}"
        for module in MODULES
        if module.parts[0] != "abilities_host"
        for node in ast.walk(ast.parse((ROOT / module).read_text()))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("abilities_host")
        and node.module not in allowed
    }
    assert reached == set()


def test_nobody_but_the_hooks_touches_pluggy() -> None:
    users = {
        str(module.parent)
        for module in MODULES
        for node in ast.walk(ast.parse((ROOT / module).read_text()))
        if (isinstance(node, ast.ImportFrom) and node.module == "pluggy")
        or (isinstance(node, ast.Import) and node.names[0].name == "pluggy")
    }
    assert users == {"abilities_host/hooks"}
