"""Who asks: the owner, somebody with the token, or somebody with a named token, which may open less."""

from msgspec import Struct
from starlette.requests import Request

from pi_memory.errors import Forbidden
from pi_memory.http.named_tokens import LEVELS, TokenScope
from pi_memory.memories import namespaces


class Client(Struct, frozen=True):
    """`name` is empty for somebody with the token, who goes by their address; `digest` is that of a named token.
    `namespace` is the only one that the client sees, None for all.
    """

    name: str = ""
    scope: TokenScope = "all"
    namespace: str | None = None
    digest: str = ""


OWNER, WITH_TOKEN = Client("owner"), Client()


def client_of(request: Request) -> Client | None:
    """None for a stranger, who sees what everybody may."""
    client: Client | None = request.scope["state"]["client"]
    return client


def allow(request: Request, needs: TokenScope, what: str, *, within_namespace: bool = False) -> None:
    """Raises `Forbidden` where the client's token does not reach. `what` is for the audit log."""
    client, state = client_of(request), request.scope["state"]
    if client is None:
        return
    state["asked"] = what
    if LEVELS.index(client.scope) < LEVELS.index(needs):
        hint = f"Use one with the scope {needs}: pi-memory token add."
        raise _refusal(request, f"The scope of this token is {client.scope}", hint)
    if client.namespace is not None and not within_namespace:
        hint = "It searches, lists and adds memories there; for all else use a token without a namespace."
        raise _refusal(request, f"This token is for {client.namespace} only", hint)
    if needs != "read" and request.query_params.get("dry_run", "0") in ("0", "false"):
        state["did"] = what


def may_do_all(request: Request) -> bool:
    """Whether the client may do everything: only then may what it says have something forgotten."""
    client = client_of(request)
    return client is not None and client.scope == "all"


def seen(request: Request, chosen: namespaces.Scope | None) -> namespaces.Scope | None:
    """Of the namespaces that are asked for, None for all, those that the client may see. Raises `Forbidden`."""
    client = client_of(request)
    if client is None or client.namespace is None:
        return chosen
    own = client.namespace
    found = (name if namespaces.covers(name, (own,)) else own for name in chosen or (own,) if _meet(name, own))
    if both := tuple(dict.fromkeys(found)):
        return both
    raise _refusal(request, f"This token is for {own} only", "Leave out the namespace and the project.")


def _refusal(request: Request, message: str, hint: str) -> Forbidden:
    state = request.scope["state"]
    state["refused"] = state["asked"]
    return Forbidden(message, hint=hint)


def _meet(name: str, other: str) -> bool:
    return namespaces.covers(name, (other,)) or namespaces.covers(other, (name,))
