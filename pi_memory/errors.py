"""Every error that a user can meet, each with a hint that says what to do next.

PiMemoryError                exit 1    500
├── SettingsError            exit 78         a setting is unknown or malformed
├── StartError               exit 3          the process cannot start: port in use, newer database
├── RequestError                       400   the request itself is wrong; names the field
│   ├── Unauthorized                   401
│   ├── Forbidden                      403
│   ├── NotFound                       404
│   ├── Conflict                       409
│   │   └── Forgotten                         a content that was to be forgotten is offered again
│   ├── TooLarge                       413
│   └── Unprocessable                  422
└── Unavailable                        503   come back later: loading, busy, stopping
    ├── TooMany                        429   too many wrong tokens
    ├── ModelError                           a chat model or its server failed
    ├── EmbedderError                        an embedder failed
    └── StoreError                           the database failed
        └── NotSaved                         no room, no permission, or a lock: nothing of it is on the disk
"""

import re

CREDENTIALS = re.compile(r"(?<=://)\S*@")
"""User and password in a URL; a password may contain any character."""


def without_passwords(text: str) -> str:
    """`text` with the user and password of every URL removed."""
    return CREDENTIALS.sub("", text)


class PiMemoryError(Exception):
    """The base of our errors: what went wrong (`message`) and what to do (`hint`), without passwords of URLs."""

    exit_code = 1
    status = 500

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(without_passwords(message))
        self.message = without_passwords(message)
        self.hint = without_passwords(hint)


class SettingsError(PiMemoryError):
    exit_code = 78


class StartError(PiMemoryError):
    exit_code = 3


class RequestError(PiMemoryError):
    exit_code = 2
    status = 400


class Unauthorized(RequestError):
    status = 401


class Forbidden(RequestError):
    status = 403


class NotFound(RequestError):
    status = 404


class Conflict(RequestError):
    status = 409


class Forgotten(Conflict):
    pass


class TooLarge(RequestError):
    status = 413


class Unprocessable(RequestError):
    status = 422


class Unavailable(PiMemoryError):
    """An error that may pass: answered with `Retry-After: retry_after` (seconds)."""

    status = 503

    def __init__(self, message: str, *, hint: str = "", retry_after: int = 5) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


def no_memory() -> Unavailable:
    """What a `MemoryError` means for a client."""
    hint = "Send less, end other programs, or raise the limit that the daemon runs under (MemoryMax)."
    return Unavailable("There is too little memory for this", hint=hint)


class TooMany(Unavailable):
    status = 429


class ModelError(Unavailable):
    pass


class EmbedderError(Unavailable):
    pass


class StoreError(Unavailable):
    pass


class NotSaved(StoreError):
    pass
