"""Registry: the one way an ability comes to exist, and every way to find it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from abilities_host.ability import Ability
from abilities_host.category import Category
from abilities_host.domain import Domain
from abilities_host.errors import (
    DuplicateName,
    InvalidArgument,
    LookupFailed,
    RegistrationError,
    UnknownCategory,
)
from abilities_host.names import check_ability_name, check_category_slug
from abilities_host.query import Query
from abilities_host.registration import (
    AbilityBuilder,
    build_category,
    draft_of,
    filtered,
)
from abilities_host.schema.check import SchemaLimits
from abilities_host.schema.validate import ValidatorCache
from abilities_host.signature import describe_function
from abilities_host.wrapped import Wrapped, wrap_execute

Check = Callable[[Ability], None]
ArgsFilter = Callable[[str, str, dict[str, Any]], Mapping[str, Any] | None]


class Registry:
    """Categories, domains and abilities of one host.

    Args:
        checks: each is asked about a new ability and may raise RegistrationError.
        schema_limits: size and depth of schemas.
        limit: abilities at most.
    """

    def __init__(
        self,
        *,
        checks: Iterable[Check] = (),
        schema_limits: SchemaLimits | None = None,
        limit: int = 20_000,
    ) -> None:
        self._checks: Final = tuple(checks)
        self._args_filter: ArgsFilter = lambda *_: None
        self._has_filter: Callable[[str], bool] = lambda _: False
        self._schema_limits: Final = schema_limits or SchemaLimits()
        self._limit: Final = limit
        self._validators: Final = ValidatorCache()
        self._wrapped: Final[dict[str, Wrapped]] = {}
        self._categories: Final[dict[str, Category]] = {}
        self._domains: Final[dict[str, Domain]] = {}
        self._domain_packs: Final[dict[str, str]] = {}
        self._listeners: Final[list[Callable[[], None]]] = []
        self.version = 0

    def __repr__(self) -> str:
        return (
            f"Registry({len(self._wrapped)} abilities, "
            f"{len(self._categories)} categories, {len(self._domains)} domains)"
        )

    # --- categories -----------------------------------------------------------

    def register_category(
        self, slug: str, *, pack: str = "", **arguments: Any
    ) -> Category:
        """Declare a category.

        Args:
            slug: lower-case words joined by single dashes.
            pack: who declares it.
            **arguments: `label` and `description`, non-empty strings; `meta`, a
                mapping.

        Returns:
            The frozen record.

        Raises:
            RegistrationError: when it cannot be; the first registration stays.
        """
        check_category_slug(slug, pack=pack)
        if slug in self._categories:
            owner = self._categories[slug].pack
            raise DuplicateName("category", slug, owner, pack=pack)
        category = build_category(slug, arguments, pack)
        self._categories[slug] = category
        self._changed()
        return category

    def unregister_category(self, slug: str) -> Category:
        """Take a category away; abilities that stand in it stay, as in WordPress.

        Args:
            slug: of a registered category.

        Returns:
            The removed record.

        Raises:
            LookupFailed: when there is none.
        """
        category = self.get_category(slug)
        del self._categories[slug]
        self._changed()
        return category

    def get_category(self, slug: str) -> Category:
        """Give a category.

        Args:
            slug: of a registered category.

        Returns:
            The record.

        Raises:
            LookupFailed: when there is none; it guesses the one meant.
        """
        category = self.find_category(slug)
        if category is None:
            raise LookupFailed("category", slug, self._categories)
        return category

    def find_category(self, slug: str) -> Category | None:
        """Give a category, or None."""
        return self._categories.get(slug)

    def has_category(self, slug: str) -> bool:
        """Answer whether a category is registered."""
        return slug in self._categories

    def list_categories(self) -> tuple[Category, ...]:
        """Give every category, in the order of registration."""
        return tuple(self._categories.values())

    # --- domains --------------------------------------------------------------

    def register_domain(self, domain: Domain, *, pack: str = "") -> Domain:
        """Declare a kind of thing that abilities change.

        Args:
            domain: see `Domain`.
            pack: who declares it.

        Returns:
            The domain.

        Raises:
            RegistrationError: when its name is taken or it is no domain.
        """
        name: object = getattr(domain, "name", None)
        is_domain: bool = isinstance(domain, Domain)  # the pack may hand over anything
        if not is_domain or not isinstance(name, str):
            expected = "a Domain with name, canonical, capture and restore"
            raise InvalidArgument(str(name), "domain", expected, domain, pack=pack)
        if name in self._domains:
            owner = self._domain_packs[name]
            raise DuplicateName("domain", name, owner, pack=pack)
        self._domains[name] = domain
        self._domain_packs[name] = pack
        return domain

    def get_domain(self, name: str) -> Domain:
        """Give a domain.

        Args:
            name: of a registered domain.

        Returns:
            The domain.

        Raises:
            LookupError: when there is none.
        """
        try:
            return self._domains[name]
        except KeyError:
            msg = f"there is no domain {name!r}"
            raise LookupError(msg) from None

    def list_domains(self) -> tuple[Domain, ...]:
        """Give every domain, in the order of registration."""
        return tuple(self._domains.values())

    # --- abilities ------------------------------------------------------------

    def register_ability(
        self, name: str, *, pack: str = "", **arguments: Any
    ) -> Ability:
        """Declare an ability: name, filter, checks, sanitise, wrap, keep.

        Args:
            name: ``namespace/name`` of lower-case letters, digits and dashes.
            pack: who declares it.
            **arguments: `label`, `description`, `category`, `execute_callback` and
                `permission_callback` are required; `input_schema`, `output_schema`,
                `meta`, `requires`, `changes`, `verify_callback`, `time_limit` in
                seconds, `renamed_from` and `is_route` are not.

        Returns:
            The frozen record; nothing on it can be run.

        Raises:
            RegistrationError: when it cannot be served; the first registration of a
                name stays.
        """
        check_ability_name(name, pack=pack)
        if name in self._wrapped:
            owner = self._wrapped[name].ability.pack
            raise DuplicateName("ability", name, owner, pack=pack)
        draft = draft_of(name, arguments, pack)
        if self._has_filter(pack):
            change = self._args_filter
            draft = filtered(name, draft, lambda a: change(pack, name, a), pack)
        self._check_category(name, draft.category, pack)
        ability = AbilityBuilder(name, draft, pack, self._schema_limits).build()
        self._check_new(ability)
        self._wrapped[name] = wrap_execute(
            ability,
            execute_callback=draft.execute_callback,
            permission_callback=draft.permission_callback,
            verify_callback=draft.verify_callback,
            validators=self._validators,
        )
        self._changed()
        return ability

    def ability(
        self, name: str, *, pack: str = "", **arguments: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declare a typed function as an ability; its signature is the schema.

        Args:
            name: ``namespace/name``.
            pack: who declares it.
            **arguments: as for `register_ability`; `description` defaults to the
                docstring, the schemas to what the signature says.

        Returns:
            A decorator that gives the function back unchanged.

        Raises:
            RegistrationError: from the decorator, as `register_ability`.
        """

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            described = describe_function(name, function, pack=pack)
            given = described.as_arguments() | arguments
            self.register_ability(name, pack=pack, **given)
            return function

        return decorate

    def unregister_ability(self, name: str) -> Ability:
        """Take an ability away, at any time.

        Args:
            name: of a registered ability.

        Returns:
            The removed record.

        Raises:
            LookupFailed: when there is none.
        """
        ability = self.get_ability(name)
        del self._wrapped[name]
        self._changed()
        return ability

    def get_ability(self, name: str) -> Ability:
        """Give an ability.

        Args:
            name: of a registered ability.

        Returns:
            The record.

        Raises:
            LookupFailed: when there is none; it guesses the one meant.
        """
        ability = self.find_ability(name)
        if ability is None:
            raise LookupFailed("ability", name, self._wrapped)
        return ability

    def find_ability(self, name: str) -> Ability | None:
        """Give an ability, or None."""
        wrapped = self._wrapped.get(name)
        return wrapped.ability if wrapped else None

    def has_ability(self, name: str) -> bool:
        """Answer whether an ability is registered."""
        return name in self._wrapped

    def list_abilities(self) -> tuple[Ability, ...]:
        """Give every ability, in the order of registration."""
        return tuple(wrapped.ability for wrapped in self._wrapped.values())

    def query(
        self,
        *,
        namespace: str | None = None,
        category: str | None = None,
        meta: Mapping[str, Any] | None = None,
        search: str = "",
        include: Callable[[Ability], bool] | None = None,
    ) -> tuple[Ability, ...]:
        """Give the abilities for which every condition holds.

        Args:
            namespace: exact; a trailing slash is allowed.
            category: exact slug.
            meta: nested values that must be equal, also in type.
            search: words in name, label or description, without case and accents.
            include: a last word on each ability.

        Returns:
            The matches, in the order of registration.
        """
        query = Query(
            namespace=namespace,
            category=category,
            meta=meta or {},
            search=search,
            include=include,
        )
        return query.select(self.list_abilities())

    # --- for the host ---------------------------------------------------------

    def set_args_filter(
        self,
        args_filter: ArgsFilter,
        has_filter: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """Ask a filter about every ability registered from now on.

        Args:
            args_filter: called with pack, name and copies of the arguments.
            has_filter: whether there is anything to call for a pack.
        """
        self._args_filter = args_filter
        self._has_filter = has_filter

    def on_change(self, listener: Callable[[], None]) -> None:
        """Have a function called after each change of what is registered."""
        self._listeners.append(listener)

    def remove_pack(self, pack: str) -> None:
        """Take everything of one pack away; it could not be kept whole.

        Args:
            pack: identity of the pack.
        """
        for name, wrapped in list(self._wrapped.items()):
            if wrapped.ability.pack == pack:
                del self._wrapped[name]
        for slug, category in list(self._categories.items()):
            if category.pack == pack:
                del self._categories[slug]
        for name in [n for n, owner in self._domain_packs.items() if owner == pack]:
            del self._domains[name], self._domain_packs[name]
        self._changed()

    def _get_wrapped(self, name: str) -> Wrapped | None:
        """Give what only the envelope may run; the host passes it on, nobody else."""
        return self._wrapped.get(name)

    def _changed(self) -> None:
        self.version += 1
        for listener in self._listeners:
            listener()

    def _check_category(self, name: str, category: Any, pack: str) -> None:
        if isinstance(category, str) and category and category not in self._categories:
            raise UnknownCategory(name, category, list(self._categories), pack=pack)

    def _check_new(self, ability: Ability) -> None:
        if len(self._wrapped) >= self._limit:
            problem = f"the host serves at most {self._limit} abilities."
            raise RegistrationError(
                "too_many_abilities", ability.name, problem, pack=ability.pack
            )
        if uri := ability.component.uri:
            for other in self.query(include=lambda a: a.component.uri == uri):
                owner = other.pack or other.name
                raise DuplicateName("resource", uri, owner, pack=ability.pack)
        for check in self._checks:
            check(ability)
