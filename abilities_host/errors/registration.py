"""What a pack declared and cannot be served, and names that are not there."""

from collections.abc import Iterable, Sequence

from abilities_host.errors.base import AbilitiesError, listed, nearest


class RegistrationError(AbilitiesError):
    """Raised by `register_*` when a pack declares something that cannot be served.

    While a pack's registration hook runs it is kept as a `Quarantined` record
    instead, so that the pack's other abilities are still served.

    Attributes:
        code: a stable word for programs, such as ``ability_invalid_name``.
        subject: the ability name or category slug it is about.
        pack: the pack that declared it, empty when unknown.
    """

    def __init__(
        self, code: str, subject: str, problem: str, *, pack: str = ""
    ) -> None:
        self.code = code
        self.subject = subject
        self.problem = problem
        self.pack = pack
        super().__init__(code, subject, problem)

    def __str__(self) -> str:
        by = f" (pack {self.pack!r})" if self.pack else ""
        return f"{self.subject!r}{by}: {self.problem}"


class InvalidName(RegistrationError):
    """Raised when an ability name is not ``namespace/name`` in lower case."""

    def __init__(self, name: object, fix: str = "", *, pack: str = "") -> None:
        problem = (
            "an ability name is 'namespace/name' of lower-case letters, digits and "
            "dashes, with exactly one slash."
        )
        if fix:
            problem += f" Write {fix!r}."
        super().__init__("ability_invalid_name", str(name), problem, pack=pack)


class InvalidSlug(RegistrationError):
    """Raised when a category slug is not lower-case words joined by single dashes."""

    def __init__(self, slug: object, fix: str = "", *, pack: str = "") -> None:
        problem = (
            "a category slug is lower-case letters and digits, words joined by single "
            "dashes."
        )
        if fix:
            problem += f" Write {fix!r}."
        super().__init__("category_invalid_slug", str(slug), problem, pack=pack)


class InvalidArgument(RegistrationError):
    """Raised when a registration argument is missing or has the wrong type.

    Attributes:
        argument: the argument's name.
        expected: what it should have been, in words.
        received: the type that came, or ``nothing``.
    """

    def __init__(
        self,
        subject: str,
        argument: str,
        expected: str,
        received: object = None,
        *,
        pack: str = "",
    ) -> None:
        self.argument = argument
        self.expected = expected
        self.received = "nothing" if received is None else type(received).__name__
        problem = f"{argument} must be {expected}, but {self.received} came."
        super().__init__("invalid_argument", subject, problem, pack=pack)


class UnknownArgument(RegistrationError):
    """Raised when a registration argument does not exist; guesses the one meant."""

    def __init__(
        self, subject: str, argument: str, known: Sequence[str], *, pack: str = ""
    ) -> None:
        self.argument = argument
        hint = nearest(argument, known) or f" There are: {listed(known, 20)}."
        problem = f"there is no argument {argument!r}.{hint}"
        super().__init__("unknown_argument", subject, problem, pack=pack)


class DuplicateName(RegistrationError):
    """Raised when a name is taken; the first registration stays."""

    def __init__(self, kind: str, name: str, owner: str, *, pack: str = "") -> None:
        self.owner = owner
        by = f" by pack {owner!r}" if owner else ""
        problem = f"this {kind} is already registered{by}; the first one stays."
        super().__init__(f"duplicate_{kind}", name, problem, pack=pack)


class UnknownCategory(RegistrationError):
    """Raised when an ability names a category that is not registered."""

    def __init__(
        self, name: str, category: str, known: Sequence[str], *, pack: str = ""
    ) -> None:
        self.category = category
        hint = nearest(category, known) or f" There are: {listed(known)}."
        problem = (
            f"category {category!r} is not registered.{hint} "
            "Register it in register_categories, which runs first."
        )
        super().__init__("unknown_category", name, problem, pack=pack)


class ForeignNamespace(RegistrationError):
    """Raised when a pack registers in a namespace that it has not claimed."""

    def __init__(self, name: str, claimed: Sequence[str], *, pack: str) -> None:
        problem = (
            f"this pack may register only in {listed(claimed)}. Claim the namespace "
            "in declare_pack, or rename the ability."
        )
        super().__init__("foreign_namespace", name, problem, pack=pack)


class ForbiddenFilter(RegistrationError):
    """Raised when an args filter changes what only the author may decide."""

    def __init__(self, name: str, argument: str, *, pack: str) -> None:
        self.argument = argument
        problem = (
            f"the args filter changed {argument!r}; a filter may change label, "
            "description, schemas and other meta of its own pack's abilities."
        )
        super().__init__("forbidden_filter", name, problem, pack=pack)


class InvalidSchema(RegistrationError):
    """Raised when a schema is not JSON Schema, too large, or could not be checked.

    Attributes:
        path: JSON pointer of the place inside the schema.
    """

    def __init__(
        self, subject: str, argument: str, path: str, problem: str, *, pack: str = ""
    ) -> None:
        self.argument = argument
        self.path = path
        text = f"{argument} at {path or '/'}: {problem}"
        super().__init__("invalid_schema", subject, text, pack=pack)


class RegistrationClosed(RegistrationError):
    """Raised when a pack that was given up on still tries to register."""

    def __init__(self, subject: str, *, pack: str) -> None:
        problem = "this pack was set aside because its hook did not finish in time."
        super().__init__("registration_closed", subject, problem, pack=pack)


class LookupFailed(AbilitiesError, LookupError):
    """Raised by `get_*` for a name that is not registered; guesses the one meant."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        super().__init__(f"There is no {kind} {name!r}.{nearest(str(name), known)}")


class PackError(AbilitiesError):
    """Raised when a pack cannot be loaded or kept; `doctor` shows the sentence.

    Attributes:
        pack: the pack's identity, ``distribution/entry-point``.
        stage: what was being done, such as ``import`` or ``register_abilities``.
        reason: what went wrong and what to do about it.
    """

    def __init__(self, pack: str, stage: str, reason: str) -> None:
        self.pack = pack
        self.stage = stage
        self.reason = reason
        super().__init__(f"Pack {pack!r} was set aside at {stage}: {reason}")
