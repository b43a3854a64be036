"""Words that turn a verb into a claim, or take the claim back."""

from typing import Final


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ADVERBS: Final = _set(
    "also just already then successfully both now since fully finally simply manually "
    "subsequently later first recently all not never been therefore thus instead "
    "next again probably maybe perhaps automatically "
    "correctly completely safely together "
    "ja depois tambem entao ambos agora finalmente seguida so logo"
)
STARTS: Final = _set(
    "i we and or then but mas porem , ; : . - \u2013 — • ( ) which ✓ ✔"
)
DETERMINERS: Final = _set(
    "the a an this that these those my its our your newly any each every no last of"
)
OTHERS: Final = _set(
    "someone somebody user users client customer colleague person owner admin editor "
    "others else they he she alguem pessoa utilizador cliente colega outro "
    "outra outros dono editora"
)
BREAKS: Final = _set(", ; : . - \u2013 — but mas porem ( )")
STOPS: Final = _set(
    "; . \u2013 — but mas porem because porque although embora while enquanto however"
)
JOINTS: Final = _set("and or then , but e ou")
LISTING: Final = _set(", or ou nor")
LINKING: Final = _set("of to de do da dos das em no na a")
HAVING: Final = _set("have has had 've")
BEING: Final = _set("be ser")
BY: Final = _set("by por pelo pela pelos pelas")
AGENTS: Final = frozenset(
    ("by the", "by a", "by an", "by our", "pelo", "pela", "pelos", "pelas")
)
NOTHING: Final = {
    "en": _set("nothing no none neither"),
    "pt": _set("nada nenhum nenhuma ninguem"),
}
TOLD: Final = _set("according told said saying says segundo disse diz dizer escrito")
EARLIER: Final = _set("had tinha tinham that que")
AUXILIARY: Final = _set("was were been got foi foram sido")
NEGATORS: Final = {
    "en": _set(
        "not no never nothing none neither without wasn't weren't hasn't hadn't"
    ),
    "pt": _set("nao nunca jamais nem nada sem nenhuma nenhum"),
}
HYPOTHESES: Final = {
    "en": _set(
        "if unless whether would should could might may must will when until before "
        "once almost nearly be is are being wouldn't shouldn't couldn't mentions says "
        "shows states explains describes claims suggests reports"
    ),
    "pt": _set(
        "se caso quando quase teria teriam seria ser sera serem antes ate deve devia "
        "pode podia talvez possa tivesse houvesse fosse "
        "menciona diz refere mostra explica descreve indica"
    ),
}
HEDGES: Final = _set(
    "think probably maybe perhaps apparently seems presumably possibly supposedly "
    "believe unsure supposed unclear acho provavelmente talvez possivelmente parece "
    "supostamente creio julgo aparentemente alegadamente"
)
UNREAL: Final = ("dry run", "dry-run", "ensaio", "simulation", "simulacao", "simulated")
FAILED: Final = _set(
    "failed fails refused denied rejected vetoed blocked unsuccessful unsuccessfully "
    "falhou falharam recusado recusada recusados recusadas negado negada vetado vetada "
    "bloqueado bloqueada rejeitado rejeitada"
)
FAILURES: Final = ("without success", "sem sucesso", "sem exito", "did not work")
UNABLE: Final = _set(
    "failed unable couldn't impossible falhei falhamos incapaz impossivel"
)
MANAGED: Final = _set("managed consegui conseguimos")
ABLE: Final = MANAGED | _set(
    "could manage able possivel pude pudemos pode podia puderam poude"
)
NOT: Final = _set("not didn't wasn't nao")
TRIES: Final = _set(
    "tried attempted attempt request tentei tentamos tentativa pedido try"
)
"""What says that something was attempted; the rest of the sentence says how it went."""

VERBAL: Final = _set(
    "to not will would should can could may might must do did don't didn't couldn't "
    "can't won't please i we you and , : let's never"
)
"""What an English plain form follows when it is a verb and no noun."""

DERIVED: Final = _set(
    "copy copies backup backups version versions summary list test tests draft cache "
    "copia copias versao versoes resumo lista teste testes rascunho seguranca"
)
"""What is made of a thing without changing it."""

LINKS: Final = _set(
    "link links reference references redirect ligacao ligacoes referencia"
)
EDITS: Final = _set(
    "change changes edit edits correction corrections alteracao alteracoes mudanca "
    "mudancas correccao correccoes correcao modificacao"
)
NAMES: Final = _set("name nome")
JOINS: Final = _set("and e , or ou as well")
BEGINNERS: Final = _set(
    "is was were are has have had remains stays describes explains esta ficou foi "
    "foram existe tem explica descreve ja nao"
)
"""What a name is followed by that has a verb of its own."""

IN: Final = {
    "en": _set("in into inside within on"),
    "pt": _set("em no na nos nas num numa dentro"),
}
TO: Final = {"en": _set("to onto"), "pt": _set("para ao aos")}
OF: Final = {"en": _set("of"), "pt": _set("de do da dos das")}
ELSEWHERE: Final = {
    "en": _set(
        "with for about at by using per via before after as since like so that which "
        "where under against than see without instead when if except besides excluding"
    ),
    "pt": _set(
        "com sobre por pelo pela segundo antes depois conforme que onde como sem "
        "partir ver quando se vez menos excepto exceto salvo"
    ),
}
ABBREVIATIONS: Final = _set(
    "approx art cap cf dr dra eg etc ex exa exmo fig ie inc lda ltd max min mr mrs ms "
    "no nr num obs op pag pg prof ref sec seg sr sra st tel vol vs"
)
