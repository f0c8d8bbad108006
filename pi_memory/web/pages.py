"""The table of all pages, and the files that they load."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from pi_memory.errors import NotFound
from pi_memory.http.endpoint import Endpoint
from pi_memory.parts import Parts
from pi_memory.web import chat, focus, health, login, memories, said
from pi_memory.web.site import page

STATIC = Path(__file__).with_name("static")
FILES = {path.name: path for path in STATIC.iterdir()}
FOR_A_YEAR = {"Cache-Control": "private, max-age=31536000, immutable"}
"""The address of a file has the release in it."""


async def static(request: Request, parts: Parts) -> Response:
    name = request.path_params["name"]
    if name not in FILES:
        raise NotFound(f"There is no file {name}", hint="Load the page again.")
    return FileResponse(FILES[name], headers=FOR_A_YEAR)


ENDPOINTS: list[Endpoint] = [
    page("/ui/static/{name}", static),
    *login.ENDPOINTS,
    *chat.ENDPOINTS,
    *memories.ENDPOINTS,
    *focus.ENDPOINTS,
    *said.ENDPOINTS,
    *health.ENDPOINTS,
]
