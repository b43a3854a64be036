"""Frame: the words of sign-in, confirmation and what can go wrong."""

from collections.abc import Mapping
from typing import Final

from abilities_host.frozen import FrozenDict

FRAME: Final[Mapping[str, str]] = FrozenDict(
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
        "confirm.restore": "You are about to change what is there now, in your name.",
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
    }
)
