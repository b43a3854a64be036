"""Verb forms: how verbs of change are spelt in English and Portuguese."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

Action = Literal["created", "updated", "deleted", "moved", "undone"]
Language = Literal["en", "pt"]
Tense = Literal["past", "participle", "plain", "other"]
Manner = Literal["", "add", "copy", "make", "write", "deed", "read", "open"]


@dataclass(frozen=True, slots=True)
class Form:
    """One spelling of a verb.

    Attributes:
        action: what was done to the object; None for a verb that changes nothing.
        language: of the spelling.
        tense: ``past`` is said by who did it, in English it is the participle too;
            ``plain`` is an infinitive, a gerund or an order; ``other`` was done by
            somebody else.
        manner: what the object is, where that is special.
    """

    action: Action | None
    language: Language
    tense: Tense
    manner: Manner = ""


_Verbs = Iterable[tuple[Action | None, Manner, str]]
_Spell = Callable[[str], Iterator[tuple[str, Tense]]]

_ENGLISH: Final[_Verbs] = (
    ("created", "", "create generate build/built draft author"),
    ("created", "add", "add insert attach"),
    ("created", "write", "write/wrote/written upload"),
    ("created", "copy", "copy duplicate"),
    (
        "updated",
        "",
        (
            "update change edit modify fix correct rewrite/rewrote/rewritten refactor "
            "replace amend overwrite/overwrote/overwritten adjust extend patch "
            "rework reformat bump improve simplify tweak set/set reorganize reorganise "
            "rephrase shorten expand translate reorder toggle configure reset/reset"
        ),
    ),
    ("updated", "add", "append"),
    ("updated", "write", "save store put/put"),
    ("updated", "make", "make/made"),
    ("deleted", "", "delete remove erase drop purge trash"),
    ("moved", "", "move rename relocate"),
    ("undone", "", "undo/undid/undone revert restore"),
    (
        None,
        "read",
        (
            "read/read list check compare search review inspect examine view verify "
            "test look ask plan skip forget/forgot/forgotten leave/left consult scan "
            "analyse analyze query find/found study consider discuss propose suggest "
            "touch need want mention describe explain see/saw/seen keep/kept run/ran"
        ),
    ),
    (None, "open", "open"),
)

_PORTUGUESE: Final[_Verbs] = (
    ("created", "", "criar gerar redigir elaborar"),
    ("created", "add", "acrescentar adicionar inserir juntar"),
    ("created", "write", "escrever/escrevi/escrito carregar"),
    ("created", "copy", "copiar duplicar"),
    (
        "updated",
        "",
        (
            "actualizar atualizar alterar editar modificar corrigir mudar "
            "reescrever/reescrevi/reescrito substituir ajustar reorganizar "
            "refazer/refiz/refeito melhorar simplificar emendar reformular configurar "
            "encurtar traduzir trocar completar preencher"
        ),
    ),
    ("updated", "write", "guardar gravar colocar"),
    ("updated", "make", "fazer/fiz/feito"),
    ("deleted", "", "apagar eliminar remover retirar excluir"),
    ("moved", "", "mover renomear transferir"),
    (
        "undone",
        "",
        "anular desfazer/desfiz/desfeito reverter restaurar repor/repus/reposto",
    ),
    (
        None,
        "read",
        (
            "ler/li/lido rever listar consultar comparar verificar analisar procurar "
            "pesquisar ver/vi/visto perceber propor/propus/proposto planear sugerir "
            "confirmar mexer/mexi/mexido tocar esquecer precisar querer correr "
            "manter/mantive/mantido deixar testar examinar explicar"
        ),
    ),
    (None, "open", "abrir/abri/aberto"),
)


def _english(word: str) -> Iterator[tuple[str, Tense]]:
    base, past, participle = [*word.split("/"), "", ""][:3]
    past = past or _regular_past(base)
    yield base, "plain"
    yield _gerund(base), "plain"
    yield past, "past"
    yield participle or past, "past"


def _regular_past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    doubled = {"drop": "dropped", "plan": "planned", "skip": "skipped"}
    doubled |= {"scan": "scanned"}
    return doubled.get(base, base + "ed")


def _gerund(base: str) -> str:
    if base.endswith("e") and base != "see":
        return base[:-1] + "ing"
    doubled = {"set", "reset", "put", "drop", "plan", "skip", "scan", "run", "forget"}
    return base + (base[-1] if base in doubled else "") + "ing"


def _portuguese(word: str) -> Iterator[tuple[str, Tense]]:
    base, first, participle = [*word.split("/"), "", ""][:3]
    stem, vowel = base[:-2], base[-2]
    yield base, "plain"
    yield stem + vowel + "ndo", "plain"
    yield first or _first_person(stem, vowel), "past"
    participle = participle or stem + {"a": "ado"}.get(vowel, "ido")
    for ending in ("o", "a", "os", "as"):
        yield participle[:-1] + ending, "participle"
    yield stem + {"a": "amos", "e": "emos"}.get(vowel, "imos"), "past"
    for ending in {"a": ("ou", "aram")}.get(vowel, ("eu", "iu", "eram", "iram")):
        yield stem + ending, "other"


def _first_person(stem: str, vowel: str) -> str:
    if vowel != "a":
        return stem + "i"
    hard = {"c": "qu", "g": "gu"}.get(stem[-1])
    return (stem[:-1] + hard if hard else stem) + "ei"


def _forms() -> Iterator[tuple[str, Form]]:
    known: tuple[tuple[_Verbs, Language, _Spell], ...] = (
        (_PORTUGUESE, "pt", _portuguese),
        (_ENGLISH, "en", _english),
    )
    for verbs, language, spell in known:
        for action, manner, words in verbs:
            for word in words.split():
                for spelling, tense in spell(word):
                    yield spelling, Form(action, language, tense, manner)
    yield "rolled back", Form("undone", "en", "past")
    yield "roll back", Form("undone", "en", "plain")


FORMS: Final = dict(_forms())
"""Folded spelling to what it says; two words where the second is ``back``."""

_DEEDS: Final[tuple[tuple[Action, Language, str], ...]] = (
    ("created", "en", "creation"),
    ("updated", "en", "update change edit write modification"),
    ("deleted", "en", "deletion removal"),
    ("moved", "en", "move renaming"),
    ("undone", "en", "undo rollback restoration reversal"),
    ("created", "pt", "criacao"),
    ("updated", "pt", "actualizacao atualizacao alteracao edicao escrita gravacao"),
    ("deleted", "pt", "eliminacao remocao"),
    ("moved", "pt", "mudanca transferencia"),
    ("undone", "pt", "anulacao reposicao reversao"),
)

NOUNS: Final = {
    noun: Form(action, language, "plain", "deed")
    for action, language, nouns in _DEEDS
    for noun in nouns.split()
}
"""What a deed is called, for sentences such as *the deletion of x failed*."""
