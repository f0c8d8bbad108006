"""What all pages share: they ask the daemon's own API, fill templates, and answer whole pages or parts of them.

A part is a block of the page's template: htmx asks for the same address and says in `HX-Target` what it replaces.
"""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Message

from pi_memory import __version__
from pi_memory.errors import Forbidden, Forgotten, PiMemoryError
from pi_memory.http.clients import allow
from pi_memory.http.endpoint import Endpoint
from pi_memory.http.guard import LOGIN, STATIC
from pi_memory.http.named_tokens import TokenScope
from pi_memory.parts import Parts
from pi_memory.web import formats

HTML = "text/html; charset=utf-8"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Vary": "HX-Request",
}
TEMPLATES = Path(__file__).with_name("templates")
FOR_ALL = (LOGIN, "/ui/logout", f"{STATIC}{{name}}")
"""Pages for whoever has a token, whatever it opens."""
AGAIN = "What you had forgotten is stored only if you add it again, under Memories"
OURS = ("same-origin", "none")
"""Values of `Sec-Fetch-Site` of requests that our own page, or the user, has caused."""

Handler = Callable[[Request, Parts], Awaitable[Response]]


def page(
    path: str, handle: Handler, *, method: str = "GET", needs_memory: bool = False, needs: TokenScope = "read"
) -> Endpoint:
    """A page, or what a form of one sends; an error is answered in HTML. `needs` is the scope of what it does itself:
    what it asks the API has its own.
    """

    async def answered(request: Request, parts: Parts) -> Response:
        request.scope["last_event"] = parts.live.last_id  # what changes from now on is news to the page
        try:
            _refuse_strangers(request)
            allow(request, needs, f"{method} {path}", within_namespace=path in FOR_ALL)
            await _environment()
            if needs_memory and not parts.settings.memory.enabled:
                return rendered(request, "off.html", status=409)
            return await handle(request, parts)
        except PiMemoryError as error:
            return failed(request, error)

    # Asked for again above, where a refusal is answered in HTML.
    return Endpoint(
        method,
        path,
        answered,
        "A page.",
        media_type="text/html",
        needs_memory=False,
        needs="read",
        within_namespace=True,
    )


def _refuse_strangers(request: Request) -> None:
    """Raises `Forbidden` for a change that another page has caused, even one of this machine."""
    site = request.headers.get("sec-fetch-site", "none")
    if request.method != "GET" and site not in OURS:
        raise Forbidden("Another page may not change anything", hint="Use the form of this page.")


# The API.

KEPT = ("type", "asgi", "http_version", "scheme", "server", "client", "app", "state")
"""What a request to the API has of the page's."""


async def ask(request: Request, method: str, path: str, body: Any = None, **query: Any) -> Any:
    """What the daemon's API answers to `method path?query`, decoded; None where it answers nothing.

    The same routes, functions and checks as for any other client. A query that is None or empty is left out. Raises
    what the endpoint raises.
    """
    given = {name: value for name, value in query.items() if value not in (None, "")}
    scope = {
        **{key: request.scope[key] for key in KEPT if key in request.scope},
        "root_path": "",
        "method": method,
        "path": path,
        "raw_path": quote(path).encode(),
        "query_string": urlencode(given).encode(),
        "headers": [],
    }
    answer = bytearray()

    async def receive() -> Message:
        return {"type": "http.request", "body": b"" if body is None else msgspec.json.encode(body)}

    async def send(message: Message) -> None:
        answer.extend(message.get("body", b""))

    await request.app.router(scope, receive, send)
    if not answer:
        return None
    return answer.decode() if path.endswith(".md") else msgspec.json.decode(answer)


async def form(request: Request) -> dict[str, str]:
    """The fields of a form, without blanks around them; line ends as the texts have them."""
    pairs = parse_qsl((await request.body()).decode(errors="replace"), keep_blank_values=True)
    return {name: value.replace("\r\n", "\n").strip() for name, value in pairs}


# Templates.


@functools.cache
def environment() -> Any:
    """jinja2's environment with all templates compiled. Takes some time once: call it on a thread first."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=formats.visible,
        auto_reload=False,
    )
    made.filters |= formats.FILTERS
    made.globals |= {"version": __version__}
    made.globals["p"] = made.get_template("parts.html").module
    for name in made.list_templates():
        made.get_template(name)
    return made


async def _environment() -> None:
    if not environment.cache_info().currsize:
        await asyncio.to_thread(environment)


def is_part(request: Request) -> bool:
    """Whether htmx asks, for a part of a page."""
    return "hx-request" in request.headers


def wants(request: Request, id_: str) -> bool:
    """Whether htmx asks for what replaces the element of this id."""
    return request.headers.get("hx-target", "").endswith(f"#{id_}")


def rendered(
    request: Request, template: str, part: str | None = None, /, *, status: int = 200, **values: Any
) -> Response:
    """A whole page, or of its template the block `part` when htmx asks."""
    found = environment().get_template(template)
    values |= {"path": request.url.path, "since": request.scope["last_event"]}
    text = block(found, part, values) if part is not None and is_part(request) else found.render(values)
    return Response(text, status, HEADERS, HTML)


def block(template: Any, name: str, values: Mapping[str, Any]) -> str:
    """One block of a template."""
    context = template.new_context(dict(values))
    return "".join(template.blocks[name](context))


def fragment(template: str, part: str, /, **values: Any) -> str:
    """One block of a template, by its name."""
    return block(environment().get_template(template), part, values)


def done(request: Request, html: str, back: str) -> Response:
    """The answer to a form: what takes the place of its element; without htmx the page to go on with."""
    return Response(html, 200, HEADERS, HTML) if is_part(request) else RedirectResponse(back, 303, HEADERS)


def said(message: str, *, undo: int | None = None) -> str:
    """A notice, wherever on the page the form stood; with the event that takes it back."""
    return str(environment().globals["p"].notice(message, undo))


def into(selector: str, html: str, how: str) -> str:
    """What htmx puts into another element than the one that it asked for."""
    return f'<hx-partial hx-target="{selector}" hx-swap="{how}">{html}</hx-partial>'


def failed(request: Request, error: PiMemoryError) -> Response:
    """An error: as a notice where htmx asks, else as a page."""
    hint = AGAIN if isinstance(error, Forgotten) else error.hint
    message = f"{error.message}. {hint}".strip(" .") + "."
    if is_part(request):
        return Response(said(message), error.status, HEADERS, HTML)
    return rendered(request, "error.html", status=error.status, message=message)


def here(request: Request, default: str) -> str:
    """The path of the page that a form was sent from, if it is one of ours."""
    path = urlsplit(request.headers.get("referer", "")).path
    return path if path == "/" or path.startswith("/ui/") else default


def listed(answer: Any, name: str) -> Sequence[dict[str, Any]]:
    return cast(Sequence[dict[str, Any]], answer[name])
