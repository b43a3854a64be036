"""Signature: a typed function read as schemas and a callback."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_type_hints

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
)
from pydantic.errors import PydanticUserError

from abilities_host.errors import InvalidArgument, InvalidInput

_NAMED: Final = {
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.KEYWORD_ONLY,
}


@dataclass(frozen=True, slots=True)
class Described:
    """What a function says about itself.

    Attributes:
        description: its docstring, empty when it has none.
        input_schema: from its parameters; None when it takes none.
        output_schema: from its return annotation; None when it has none.
        callback: takes the arguments as a mapping, and the call if it wants it.
    """

    description: str
    input_schema: Mapping[str, Any] | None
    output_schema: Mapping[str, Any] | None
    callback: Callable[..., Any]

    def as_arguments(self) -> dict[str, Any]:
        """Give it as arguments of `register_ability`."""
        return {
            "description": self.description,
            "input_schema": self.input_schema,
            "output_schema": self.output_schema,
            "execute_callback": self.callback,
        }


def describe_function(
    name: str, function: Callable[..., Any], *, pack: str = ""
) -> Described:
    """Read a function's signature with pydantic.

    Args:
        name: the ability's name, for errors.
        function: a plain or async function; a parameter named `call` gets the call.
        pack: who wrote it, for errors.

    Returns:
        Schemas and callback.

    Raises:
        InvalidArgument: when a parameter cannot be said in JSON Schema.
    """
    try:
        hints = get_type_hints(function, include_extras=True)
        model = _model_of(function, hints)
        returned = hints.get("return", inspect.Signature.empty)
        output = _adapter_of(returned)
        return Described(
            description=inspect.getdoc(function) or "",
            input_schema=_schema(model) if model.model_fields else None,
            output_schema=_output_schema(output),
            callback=_callback(name, function, model, output),
        )
    except (PydanticUserError, NameError, TypeError) as error:
        expected = f"a function whose types fit JSON Schema ({error})"
        raise InvalidArgument(
            name, "execute_callback", expected, function, pack=pack
        ) from error


def _model_of(function: Callable[..., Any], hints: dict[str, Any]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "call":
            continue
        if parameter.kind not in _NAMED:
            msg = f"parameter {parameter.name!r} cannot be given by name"
            raise TypeError(msg)
        needed = parameter.default is parameter.empty
        default = ... if needed else parameter.default
        # Under its own name a parameter `json` would hide a method of the model.
        alias = Field(alias=parameter.name)
        hint: Any = Annotated[hints.get(parameter.name, Any), alias]
        fields[f"argument_{len(fields)}"] = (hint, default)
    config = ConfigDict(extra="forbid", arbitrary_types_allowed=False)
    return create_model("Arguments", __config__=config, **fields)


def _adapter_of(returned: Any) -> TypeAdapter[Any] | None:
    if returned in (inspect.Signature.empty, None, type(None), Any):
        return None
    return TypeAdapter(returned)


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return _untitled(model.model_json_schema())


def _output_schema(adapter: TypeAdapter[Any] | None) -> dict[str, Any] | None:
    return _untitled(adapter.json_schema(mode="serialization")) if adapter else None


def _untitled(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop the titles pydantic makes up; they cost tokens and say the name again."""
    made = {key: value for key, value in schema.items() if key != "title"}
    for key in ("properties", "$defs"):
        if key in made:
            made[key] = {name: _untitled(item) for name, item in made[key].items()}
    return made


def _callback(
    name: str,
    function: Callable[..., Any],
    model: type[BaseModel],
    output: TypeAdapter[Any] | None,
) -> Callable[..., Any]:
    takes_call = "call" in inspect.signature(function).parameters

    def prepare(arguments: Any, call: Any) -> dict[str, Any]:
        values = _read(name, model, arguments)
        return values | ({"call": call} if takes_call else {})

    def finish(answer: Any) -> Any:
        return answer if output is None else _dumped(output, answer)

    if inspect.iscoroutinefunction(function):

        async def run(arguments: Any, call: Any) -> Any:
            return finish(await function(**prepare(arguments, call)))

        return run

    def run_in_thread(arguments: Any, call: Any) -> Any:
        return finish(function(**prepare(arguments, call)))

    return run_in_thread


def _read(name: str, model: type[BaseModel], arguments: Any) -> dict[str, Any]:
    try:
        read = model.model_validate(arguments or {})
    except ValidationError as error:
        raise InvalidInput(name, _problems(error)) from None
    return {
        str(field.alias): getattr(read, name)
        for name, field in model.model_fields.items()
    }


def _dumped(output: TypeAdapter[Any], answer: Any) -> Any:
    """Write what the function gave; the output schema says whether it fits."""
    return output.dump_python(answer, mode="json", by_alias=True, warnings=False)


def _problems(error: ValidationError) -> list[dict[str, str]]:
    details = error.errors(
        include_url=False, include_input=False, include_context=False
    )
    return [
        {
            "path": "".join(f"/{part}" for part in item["loc"]),
            "message": item["msg"],
            "expected": item["type"],
            "received": "something else",
            "keyword": item["type"],
        }
        for item in details[:16]
    ]
