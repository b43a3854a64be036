"""Texts: every word of the pages, in one place; a language is another catalogue."""

from collections.abc import Mapping
from typing import Final

from abilities_host.frozen import FrozenDict

ENGLISH: Final[Mapping[str, str]] = FrozenDict(
    {
        # --- the frame -------------------------------------------------------
        "skip": "Skip to the content",
        "navigation": "Pages",
        "signed_in": "Signed in as {name}, {role}",
        "logout": "Sign out",
        "role.operator": "operator",
        "role.reviewer": "reviewer",
        "plain": "{sentence}",
        # --- signing in -------------------------------------------------------
        "login.title": "Sign in",
        "login.name": "Account",
        "login.secret": "Secret",
        "login.send": "Sign in",
        "login.wrong": "No account has this name and this secret.",
        "login.too_soon.one": "Wait one minute before the next try.",
        "login.too_soon.many": "Wait {count} minutes before the next try.",
        "login.too_many": "Too many tries from this address. Wait a minute.",
        "login.off": "This account is switched off, for good.",
        "login.ended": "Your session has ended. Nothing was changed.",
        "login.failures.one": "One try for your account failed since the last time. "
        "If that was not you, change your secret: abilities admin secret {name}",
        "login.failures.many": "{count} tries for your account failed since the last "
        "time. If that was not you, change your secret: abilities admin secret {name}",
        "login.none": "Nobody has an account here yet.",
        "login.how": "Run this at a terminal of the machine. It gives a link that "
        "works once, to make the first account:",
        "login.out": "You are signed out.",
        # --- the first account ------------------------------------------------
        "first.title": "The first account",
        "first.intro": "You will be an operator: you decide what agents propose, and "
        "look after this host. Nobody can look your secret up or reset it.",
        "first.name": "Name",
        "first.name.help": "a to z, 0 to 9, '.', '-' and '_', beginning with a letter.",
        "first.secret": "Secret",
        "first.secret.help": "At least 10 characters; a few words are good. Keep it "
        "where no agent can read it.",
        "first.again": "The same again",
        "first.differ": "The two secrets are not the same.",
        "first.send": "Make the account",
        "first.gone": "This link does not work any more. It is good for 15 minutes, "
        "and works once. Run 'abilities admin link' for another.",
        "first.done": "Your account is made.",
        # --- asking again -----------------------------------------------------
        "confirm.title": "Confirm",
        "confirm.approve": "You are about to approve something that agents will be "
        "told and held to.",
        "confirm.withdraw": "You are about to withdraw something that was approved.",
        "confirm.switch-on": "You are about to give agents something they may not do "
        "now.",
        "confirm.token": "You are about to let a program in.",
        "confirm.restore": "You are about to put something back in place of what is "
        "there.",
        "confirm.why": "An agent may use this browser too, and does not know your "
        "secret. You are not asked again for five minutes.",
        "confirm.secret": "Secret of {name}",
        "confirm.send": "Confirm",
        "confirm.back": "Do not, and go back",
        # --- what can go wrong ------------------------------------------------
        "error.title": "That did not work",
        "error.back": "To the first page",
        "error.bearer": "Tokens of programs open nothing here. Sign in as a person.",
        "error.foreign": "Your browser does not say that this came from these pages. "
        "Use a current browser, over https or on this machine.",
        "error.token": "This form was not made for your session, or is too old. "
        "Nothing was changed. Go back, load the page again and repeat it.",
        "error.role": "This needs the role {role}. An operator can give it: abilities "
        "admin role {name} {role}",
        "error.400": "The browser sent something that cannot be understood.",
        "error.403": "This is not allowed.",
        "error.404": "There is no such page.",
        "error.405": "This cannot be done here.",
        "error.408": "The form took too long to arrive. Nothing was changed.",
        "error.413": "The form is too large. Nothing was changed.",
        "error.415": "This is no form.",
        "error.500": "Something went wrong. The log of the host says what.",
        "error.503": "The store cannot be used at the moment. 'abilities doctor' says "
        "why.",
        "error.504": "This took too long.",
        # --- home -------------------------------------------------------------
        "home.title": "Home",
        "home.waiting": "What waits for you",
        "home.nothing": "Nothing waits for you.",
        "home.guidance.one": "piece of guidance to review",
        "home.guidance.many": "pieces of guidance to review",
        "home.definition.one": "changed definition of an ability",
        "home.definition.many": "changed definitions of abilities",
        "home.other.one": "entry of the kind {kind}",
        "home.other.many": "entries of the kind {kind}",
        "home.decide": "Decide",
        "home.queue": "At a terminal: abilities queue list",
        "home.alarms": "Alarms",
        "home.alarms.none": "Everything that was approved is as it was left.",
        "home.packs": "Packs that are not served",
        "home.packs.none": "Every pack is served.",
        "home.state": "This host",
        "home.off": "The kill switch is on: no server answers.",
        "home.read_only": "Every write is off.",
        "home.abilities.one": "One ability is registered.",
        "home.abilities.many": "{count} abilities are registered.",
        # --- review -----------------------------------------------------------
        "review.title": "Review",
        "review.nothing": "Nothing waits for a review.",
        "review.none": "No healthy pack keeps the project's memory here.",
        "review.list": "Waiting",
        "review.place": "{place} of {count}",
        "review.more.one": "and one more",
        "review.more.many": "and {count} more",
        "review.text": "What agents will be told",
        "review.rationale": "Why",
        "review.advice": "advice",
        "review.facts": "Where it comes from",
        "review.proposed_by": "Proposed by",
        "review.proposed_at": "When",
        "review.source": "Source",
        "review.topic": "Topic",
        "review.scope": "About",
        "review.recall": "Comes up with",
        "review.priority": "Priority",
        "review.class": "Class",
        "review.hash": "Hash",
        "review.source.manual": "written by a person",
        "review.source.agent_proposal": "an agent's proposal",
        "review.source.session_summary_derived": "from the summary of a session",
        "review.duplicates": "Says nearly the same as",
        "review.replaces": "In place of {id}, which is {status}",
        "review.replaces.gone": "In place of {id}, which is not there any more",
        "review.same": "Both say the same.",
        "review.rule": "What it stops",
        "review.rule.none": "Nothing. It has no rule, so it is advice.",
        "review.rule.broken": "Its rule cannot be enforced",
        "review.rule.broken.then": "Approved, it stops every write that it covers.",
        "review.rule.exact": "The rule, exactly",
        "review.forbids": "It would have stopped",
        "review.releases": "It would not stop any more",
        "review.impact.unknown": "Nobody knows: there is no record to look it up in.",
        "review.impact.none": "Nothing in the last {days} days.",
        "review.impact.one": "One change in the last {days} days.",
        "review.impact.many": "{count} changes in the last {days} days.",
        "review.impact.cut": "Not all of that time was looked at, so there may be "
        "more.",
        "review.impact.examples": "The newest of them",
        "review.when": "When",
        "review.who": "Who",
        "review.ability": "Ability",
        "review.target": "Target",
        "review.approve": "Approve",
        "review.reject": "Reject",
        "review.previous": "Previous",
        "review.next": "Next",
        "review.decide": "Your decision",
        "review.keys": "Keys",
        "review.approved": "{id} is approved.",
        "review.rejected": "{id} is rejected.",
        "status.pending": "pending",
        "status.approved": "approved",
        "status.rejected": "rejected",
        "status.archived": "archived",
        "scope.everywhere": "everywhere",
        "scope.number": "number {number}",
        "scope.nothing": "nothing in particular",
        "type.guardrail": "guardrail",
        "type.fact": "fact",
        "type.convention": "convention",
        "type.instruction": "instruction",
    }
)
CATALOGUES: Final[Mapping[str, Mapping[str, str]]] = FrozenDict({"en": ENGLISH})
"""Language to its texts; what one lacks is said in English."""

_LANGUAGES: Final = 20


class Texts:
    """The words in one language.

    Args:
        language: a key of `CATALOGUES`.

    Attributes:
        language: as browsers write it.
    """

    def __init__(self, language: str = "en") -> None:
        self.language: Final = language
        self._own: Final = CATALOGUES[language]

    def text(self, key: str, **values: object) -> str:
        """Give a text.

        Args:
            key: of the text.
            **values: for its braces.

        Returns:
            Plain text, not yet safe for HTML.

        Raises:
            KeyError: when there is no such text, or a value is missing.
        """
        found = self._own[key] if key in self._own else ENGLISH[key]
        return found.format(**values) if values else found

    def many(self, key: str, count: int, **values: object) -> str:
        """Give a text about a number of things.

        Args:
            key: of the texts ``key.one`` and ``key.many``.
            count: how many there are.
            **values: for the braces, besides ``count``.
        """
        form = "one" if count == 1 else "many"
        return self.text(f"{key}.{form}", count=f"{count:,}", **values)

    def has(self, key: str) -> bool:
        """Answer whether there is a text, such as for a kind that a pack added."""
        return key in ENGLISH


def texts_for(accepted: str) -> Texts:
    """Choose the language that a browser likes best.

    Args:
        accepted: its header ``Accept-Language``; anything.

    Returns:
        English when there is none of the others.
    """
    wishes = []
    for place, part in enumerate(accepted.split(",")[:_LANGUAGES]):
        tag, _, weight = part.strip().partition(";q=")
        wishes.append((-_weight(weight), place, tag.strip().lower().partition("-")[0]))
    for _, _, language in sorted(wishes):
        if language in CATALOGUES:
            return Texts(language)
    return Texts()


def _weight(written: str) -> float:
    try:
        return float(written) if written else 1.0
    except ValueError:
        return 0.0
