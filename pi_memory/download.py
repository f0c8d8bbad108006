"""Fetch a file from a model hub. The only file that knows `huggingface_hub`.

Its `hf_hub_download` deletes what has come when the process ends, which on a slow line never finishes, and compares
sizes, not hashes. So the bytes go into a part file beside the target: the next run resumes it, and it gets its name
when its hash is right. Addresses, metadata, tokens, errors and the progress bar are the library's, by its public names.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
from huggingface_hub import get_hf_file_metadata, get_session, get_token, hf_hub_url, hf_raise_for_status
from huggingface_hub.errors import (
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import tqdm  # type: ignore[attr-defined]
from msgspec import Struct

from pi_memory.errors import PiMemoryError

SPARE_BYTES = 64_000_000
"""Left free on the disk for the database and everyone else."""

CHUNK = 1_000_000
"""Bytes that are written at once."""

SHA256 = re.compile(r"[0-9a-f]{64}")


class HubSource(Struct, frozen=True):
    """A file on a hub. `sha256`, if given, is what it must be; else it is what the hub says it is."""

    repo: str
    file: str
    revision: str = "main"
    sha256: str = ""

    @property
    def name(self) -> str:
        return self.file.rpartition("/")[2]

    def __str__(self) -> str:
        return f"{self.file} of {self.repo} at {self.revision}"


class Offer(Struct, frozen=True):
    """A file on a hub: its address, size and hash."""

    url: str
    size: int
    sha256: str


def fetch(source: HubSource, folder: Path, *, endpoint: str | None = None) -> Path:
    """Download `source` into `folder`, with a progress bar on a terminal. Returns the verified file.

    `endpoint` is the hub's base URL; by default that of `HF_ENDPOINT` or of Hugging Face. No token is sent to an
    endpoint given here. Raises `PiMemoryError`; what had come is kept, and the next call goes on from there.
    """
    target = folder / source.name
    with _explained(source, target):
        offer = _ask(source, endpoint=endpoint)
        if target.is_file() and _sha256(target) == offer.sha256:
            return target
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f".{source.name}.{offer.sha256[:12]}.part"
        _check_room(offer, part)
        _download(offer, part, token=_token(endpoint))
        _check_hash(offer, part)
        part.replace(target)
        for stale in folder.glob(f".{source.name}.*.part"):
            stale.unlink()
    return target


def _ask(source: HubSource, *, endpoint: str | None) -> Offer:
    url = hf_hub_url(source.repo, source.file, revision=source.revision, endpoint=endpoint)
    found = get_hf_file_metadata(url, token=_token(endpoint) or False, endpoint=endpoint)
    # The etag of a large file is its SHA-256; that of a small one is git's hash, which says less.
    theirs = found.etag if found.etag and SHA256.fullmatch(found.etag) else ""
    if source.sha256 and theirs and source.sha256 != theirs:
        raise PiMemoryError(
            f"The hub has {source} with the SHA-256 {theirs}, not {source.sha256}",
            hint="It was changed since you noted the hash. Name the --revision that you mean.",
        )
    if not (source.sha256 or theirs) or found.size is None:
        raise PiMemoryError(
            f"The hub does not say the hash or the size of {source}",
            hint="Give its hash by --sha256, or use another hub.",
        )
    pinned = hf_hub_url(source.repo, source.file, revision=found.commit_hash or source.revision, endpoint=endpoint)
    return Offer(pinned, found.size, source.sha256 or theirs)


def _token(endpoint: str | None) -> str | None:
    """The user's own token, sent only to the hub that they configured."""
    return get_token() if endpoint is None else None


def _check_room(offer: Offer, part: Path) -> None:
    missing = offer.size - _size(part)
    free = shutil.disk_usage(part.parent).free
    if free < missing + SPARE_BYTES:
        raise PiMemoryError(
            f"{missing / 1e6:.0f} MB are to come, and {part.parent} has {free / 1e6:.0f} MB free",
            hint="Make room, or give another --data-dir.",
        )


def _download(offer: Offer, part: Path, *, token: str | None) -> None:
    """Append to `part` what it lacks. A line that breaks is taken up again as long as something came over it."""
    # A part as long as the whole is complete; a longer one is not ours.
    if _size(part) > offer.size:
        part.unlink()
    name = offer.url.rpartition("/")[2]
    # `disable=None`: shown on a terminal only.
    bar = {"desc": name, "unit": "B", "unit_scale": True, "disable": None}
    with tqdm(total=offer.size, initial=_size(part), **bar) as progress:  # type: ignore[no-untyped-call]
        while (start := _size(part)) < offer.size:
            try:
                _append(offer, part, token=token, progress=progress)
            except (httpx2.NetworkError, httpx2.TimeoutException, httpx2.RemoteProtocolError):
                if _size(part) <= start:
                    raise


def _append(offer: Offer, part: Path, *, token: str | None, progress: tqdm) -> None:
    headers = {"Range": f"bytes={_size(part)}-", "Accept-Encoding": "identity"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    with get_session().stream("GET", offer.url, headers=headers) as response:
        hf_raise_for_status(response)
        # A hub that ignores the range sends the file from its beginning.
        with part.open("ab" if response.status_code == 206 else "wb") as file:
            progress.update(file.tell() - progress.n)
            for chunk in response.iter_bytes(CHUNK):
                progress.update(file.write(chunk))
            file.flush()
            os.fsync(file.fileno())


def _check_hash(offer: Offer, part: Path) -> None:
    found = _sha256(part)
    if found != offer.sha256:
        part.unlink()
        raise PiMemoryError(
            f"What was downloaded has the SHA-256 {found}, not {offer.sha256}",
            hint="It was deleted. Run this again; if it comes again, something between here and the hub changes files.",
        )


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _explained(source: HubSource, target: Path) -> Iterator[None]:
    """Turn an error of the hub, the network or the disk into one sentence and a hint."""
    by_hand = f"Run this again to go on where it stopped, or download {source.name} elsewhere and copy it to {target}."
    try:
        yield
    except GatedRepoError as error:
        hint = "Accept its licence on the hub, and set HF_TOKEN to a token of yours."
        raise PiMemoryError(f"The hub gives {source} only to those who agreed to its licence", hint=hint) from error
    except (RepositoryNotFoundError, RevisionNotFoundError, EntryNotFoundError, HFValidationError) as error:
        raise PiMemoryError(f"The hub has no {source}", hint="Check --repo, --file and --revision.") from error
    except OfflineModeIsEnabled as error:
        raise PiMemoryError("The hub may not be asked: HF_HUB_OFFLINE is set", hint=by_hand) from error
    except (HfHubHTTPError, httpx2.HTTPError) as error:
        raise PiMemoryError(f"The hub cannot be reached: {_first_line(error)}", hint=by_hand) from error
    except OSError as error:
        raise PiMemoryError(f"{target} cannot be written: {error}", hint="It must be a place with room.") from error


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
