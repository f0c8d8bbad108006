"""Logging in: the token becomes a cookie that scripts cannot read and other sites cannot send."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pi_memory.errors import TooMany, Unauthorized
from pi_memory.http.guard import COOKIE, LOGIN
from pi_memory.http.named_tokens import cookie_of
from pi_memory.parts import Parts
from pi_memory.web.site import form, page, rendered

YEAR = 365 * 86_400


async def show(request: Request, parts: Parts) -> Response:
    return rendered(request, "login.html", message="")


async def log_in(request: Request, parts: Parts) -> Response:
    access = request.scope["state"]["access"]
    try:
        token = (await form(request)).get("token", "")
        await access.check(token, request.client.host if request.client else "")
    except (Unauthorized, TooMany) as error:
        return rendered(request, "login.html", message=f"{error.message}.", status=error.status)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(COOKIE, cookie_of(token), max_age=YEAR, httponly=True, samesite="strict", path="/")
    return answer


async def log_out(request: Request, parts: Parts) -> Response:
    answer = RedirectResponse(LOGIN, 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict", path="/")
    return answer


ENDPOINTS = [
    page(LOGIN, show),
    page(LOGIN, log_in, method="POST"),
    page("/ui/logout", log_out, method="POST"),
]
