"""Named tokens: what each opens, and the file that keeps their digests.

The file stands beside the database and in no backup: a restore brings no withdrawn token back. From a token follows the
cookie of the page, and from that the digest: neither can be had from the file.
"""

import asyncio
import hashlib
import hmac
import logging
import string
from pathlib import Path
from typing import Literal

import msgspec

from pi_memory import private
from pi_memory.atomic_file import commit, prepare
from pi_memory.errors import Conflict, NotFound, RequestError, StoreError
from pi_memory.memories import namespaces

TokenScope = Literal["read", "chat", "all"]
"""Each includes those before it. `read` changes nothing; `chat` also says and remembers, and erases nothing."""
LEVELS: tuple[TokenScope, ...] = ("read", "chat", "all")

FILE = "tokens.json"
PREFIX = "pim-"
"""How a named token begins: one that was withdrawn is refused, also of the owner."""
MOST = 64
LONGEST_NAME = 32
CHARACTERS = frozenset(string.ascii_lowercase + string.digits + "._-")

logger = logging.getLogger(__name__)


class NamedToken(msgspec.Struct, omit_defaults=True):
    """`namespace` is the only one that it opens, None for all; times are Unix seconds."""

    name: str
    digest: str
    made_at: float
    scope: TokenScope = "read"
    namespace: str | None = None
    used_at: float | None = None


def cookie_of(token: str) -> str:
    """What a browser keeps of a token once somebody has logged in: it opens as much, and says nothing of it."""
    return hmac.new(token.encode(), b"pi-memory's page", "sha256").hexdigest()


def digest_of(cookie: str) -> str:
    return hashlib.sha256(cookie.encode()).hexdigest()


class TokenFile:
    """The named tokens. What changes is written at once; when they were used is written along, and by `close`."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._tokens = {token.digest: token for token in _read(self._file)}
        self._writing, self._is_unwritten = asyncio.Lock(), False

    def find(self, digest: str) -> NamedToken | None:
        return self._tokens.get(digest)

    def used(self, digest: str, now: float) -> None:
        if token := self.find(digest):
            token.used_at, self._is_unwritten = now, True

    def listed(self) -> list[NamedToken]:
        return sorted(self._tokens.values(), key=lambda token: token.name)

    async def add(self, name: str, scope: TokenScope, namespace: str | None, *, now: float) -> tuple[str, NamedToken]:
        """A new token, which is kept nowhere, and what is kept of it. Raises `RequestError`, and `StoreError`."""
        _check(name, scope, namespace)
        async with self._writing:
            if any(token.name == name for token in self._tokens.values()):
                raise Conflict(f"There is a token {name} already", hint="Choose another name, or remove that one.")
            if len(self._tokens) >= MOST:
                raise Conflict(f"There are {MOST} tokens already", hint="Remove one that nobody uses.")
            token = f"{PREFIX}{private.new_token()}"
            seen = None if namespace is None else namespaces.parse(namespace)
            made = NamedToken(name, digest_of(cookie_of(token)), now, scope, seen)
            await self._write([*self._tokens.values(), made])
            self._tokens[made.digest] = made
        return token, made

    async def remove(self, name: str) -> None:
        """Withdraw a token: in RAM at once, then in the file. Raises `NotFound`, and `StoreError`."""
        found = next((token for token in self._tokens.values() if token.name == name), None)
        if found is None:
            raise NotFound("There is no such token", hint="GET /tokens lists them.")
        del self._tokens[found.digest]
        async with self._writing:
            await self._write(list(self._tokens.values()))

    async def close(self) -> None:
        """Write when each was used. Raises `StoreError`."""
        async with self._writing:
            if self._is_unwritten:
                await self._write(list(self._tokens.values()))

    async def _write(self, tokens: list[NamedToken]) -> None:
        text = msgspec.json.encode(tokens).decode()
        try:
            await asyncio.to_thread(lambda: commit(prepare(self._file, f"{text}\n"), self._file))
            self._is_unwritten = False
        except OSError as error:
            hint = "Free some space, and try again: a token that was withdrawn would be back with the next start."
            raise StoreError(f"Cannot write {self._file}: {error.strerror}", hint=hint) from error


def _check(name: str, scope: TokenScope, namespace: str | None) -> None:
    if not (0 < len(name) <= LONGEST_NAME and CHARACTERS.issuperset(name) and name[0].isalnum()):
        raise RequestError(
            "name: no token can be called that",
            hint=f"1 to {LONGEST_NAME} of a-z 0-9 . _ -, beginning with a letter or digit.",
        )
    if namespace is not None and scope == "all":
        raise RequestError(
            "scope: `all` is about more than a namespace", hint="Give read or chat, or leave the namespace out."
        )


def _read(file: Path) -> list[NamedToken]:
    """The tokens of a file; none, with a line in the log, of one that others could write or that is damaged."""
    try:
        if not private.is_private(file):
            raise ValueError("other users could read or write it")
        return msgspec.json.decode(file.read_bytes(), type=list[NamedToken])
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        logger.warning("%s is not used, so no named token is valid: %s. Make them anew", file, error)
        return []
