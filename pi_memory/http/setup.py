"""`/settings`, `/agents`, `/namespaces`: what this daemon is set to, who answers, and where memories are filed."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory import settings
from pi_memory.errors import without_passwords
from pi_memory.http.clients import seen
from pi_memory.http.endpoint import Endpoint, answer
from pi_memory.memories.namespaces import covers
from pi_memory.parts import Parts

SECRET = ("PI_MEMORY_TOKEN", "PI_MEMORY_OPENAI_API_KEY")
HIDDEN = "(hidden)"


class ShownSetting(msgspec.Struct):
    """`source` is a settings file, `environment`, `command line` or `default`. A secret's value is hidden."""

    key: str
    value: str
    default: str
    source: str
    help: str


class ShownSettings(msgspec.Struct):
    settings: list[ShownSetting]


class ShownAgent(msgspec.Struct):
    """`about` is the first line of its file."""

    agent: str
    about: str


class ShownAgents(msgspec.Struct):
    agents: list[ShownAgent]


class ShownNamespace(msgspec.Struct):
    namespace: str
    memories: int


class ShownNamespaces(msgspec.Struct):
    namespaces: list[ShownNamespace]


async def in_effect(request: Request, parts: Parts) -> Response:
    return answer(ShownSettings([_setting(option, parts.settings) for option in settings.options()]))


def _setting(option: settings.Option, given: settings.Settings) -> ShownSetting:
    value = getattr(getattr(given, option.group), option.name)
    shown = HIDDEN if option.key in SECRET and value else without_passwords(_text(value))
    source = given.sources.get(option.key, "default")
    return ShownSetting(option.key, shown, _text(option.default), source, option.help)


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


async def agents(request: Request, parts: Parts) -> Response:
    found = sorted(parts.agents.items())
    return answer(ShownAgents([ShownAgent(name, text.partition("\n")[0].strip("# ")) for name, text in found]))


async def namespaces(request: Request, parts: Parts) -> Response:
    own = seen(request, None)
    counts = {name: n for name, n in parts.search.namespaces().items() if own is None or covers(name, own)}
    return answer(ShownNamespaces([ShownNamespace(name, counts[name]) for name in sorted(counts)]))


ENDPOINTS = [
    Endpoint(
        "GET",
        "/settings",
        in_effect,
        "The settings in effect, and where each was given.",
        needs_memory=False,
        needs="all",
        answer=ShownSettings,
    ),
    Endpoint("GET", "/agents", agents, "Who can answer a chat.", needs_memory=False, answer=ShownAgents),
    Endpoint(
        "GET",
        "/namespaces",
        namespaces,
        "Where memories are filed, and how many that hold.",
        within_namespace=True,
        answer=ShownNamespaces,
    ),
]
