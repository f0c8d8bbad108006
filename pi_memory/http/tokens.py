"""`/tokens`: names tokens, lists and withdraws them."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pi_memory.clock import iso
from pi_memory.http.endpoint import Endpoint, answer, body
from pi_memory.http.named_tokens import NamedToken, TokenFile, TokenScope
from pi_memory.parts import Parts


class NewToken(msgspec.Struct, forbid_unknown_fields=True):
    """`namespace`: the only one that it opens; then `scope` is read or chat."""

    name: str
    scope: TokenScope = "read"
    namespace: str | None = None


class ShownToken(msgspec.Struct):
    """`used_at` is stored with the next change of the tokens, and at a clean stop."""

    name: str
    scope: TokenScope
    namespace: str | None
    made_at: str
    used_at: str | None


class MadeToken(ShownToken):
    """`token` is shown this once."""

    token: str


class ShownTokens(msgspec.Struct):
    tokens: list[ShownToken]


async def show(request: Request, parts: Parts) -> Response:
    return answer(ShownTokens([ShownToken(*_fields(token)) for token in _tokens(request).listed()]))


async def add(request: Request, parts: Parts) -> Response:
    new = await body(request, NewToken)
    token, made = await _tokens(request).add(new.name, new.scope, new.namespace, now=parts.clock())
    return answer(MadeToken(*_fields(made), token), status=201)


async def remove(request: Request, parts: Parts) -> Response:
    await _tokens(request).remove(request.path_params["name"])
    return Response(status_code=204)


def _tokens(request: Request) -> TokenFile:
    tokens: TokenFile = request.scope["state"]["access"].tokens
    return tokens


def _fields(token: NamedToken) -> tuple[str, TokenScope, str | None, str, str | None]:
    used_at = None if token.used_at is None else iso(token.used_at)
    return token.name, token.scope, token.namespace, iso(token.made_at), used_at


ENDPOINTS = [
    Endpoint(
        "GET",
        "/tokens",
        show,
        "The named tokens: what each opens, and when it was used last.",
        needs_memory=False,
        needs="all",
        answer=ShownTokens,
    ),
    Endpoint(
        "POST",
        "/tokens",
        add,
        "Make a token with a name.",
        needs_memory=False,
        body=NewToken,
        answer=MadeToken,
        status=201,
    ),
    Endpoint("DELETE", "/tokens/{name}", remove, "Withdraw a token, at once.", needs_memory=False, status=204),
]
