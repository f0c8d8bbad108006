"""`pi-memory pull`: downloads a chat model and an embedder from a model hub."""

from pathlib import Path

import click
from msgspec.structs import replace

from pi_memory.cli.client import of_daemon
from pi_memory.cli.options import Load, json_option, pass_load, report
from pi_memory.download import SHA256, HubSource, fetch

DEFAULTS = {
    "chat": HubSource("Qwen/Qwen2.5-0.5B-Instruct-GGUF", "qwen2.5-0.5b-instruct-q4_0.gguf"),
    "embedder": HubSource("second-state/All-MiniLM-L6-v2-Embedding-GGUF", "all-MiniLM-L6-v2-Q8_0.gguf"),
}
SETTINGS = {"chat": "PI_MEMORY_MODEL", "embedder": "PI_MEMORY_EMBEDDER_MODEL"}


@click.command("pull")
@click.argument("what", type=click.Choice([*DEFAULTS, "all"]), default="all")
@click.option("--repo", metavar="OWNER/NAME", help="Repository on the hub, with --file.")
@click.option("--file", metavar="NAME.gguf", help="File of that repository.")
@click.option("--revision", metavar="REVISION", help="Branch, tag or commit.  [default: main]")
@click.option("--sha256", metavar="HASH", help="What the file's SHA-256 must be.  [default: what the hub says]")
@click.option(
    "--endpoint", metavar="URL", help="Another hub, such as a mirror.  [default: $HF_ENDPOINT or Hugging Face]"
)
@json_option
@pass_load
def command(load: Load, what: str, *, endpoint: str | None, as_json: bool, **asked: str | None) -> None:
    """Download WHAT (chat, embedder or all) into the data directory.

    An interrupted download resumes where it stopped. A file gets its name once its hash is verified.

    \b
    Examples:
      pi-memory pull
      pi-memory pull chat --repo Qwen/Qwen2.5-1.5B-Instruct-GGUF --file qwen2.5-1.5b-instruct-q4_0.gguf
    """
    sources = _sources(what, asked)
    models = of_daemon(load({})).models_dir
    fetched = {}
    for kind, source in sources.items():
        click.echo(f"Fetching {source}", err=as_json)
        path = fetched[kind] = fetch(source, models / kind, endpoint=endpoint)
        if not as_json:
            click.echo(f"{path}: {path.stat().st_size / 1e6:.0f} MB, verified. {_use(kind, path)}")
    if as_json:
        report({kind: {"file": str(p), "bytes": p.stat().st_size} for kind, p in fetched.items()}, "", as_json=True)


def _sources(what: str, asked: dict[str, str | None]) -> dict[str, HubSource]:
    given = {name: value for name, value in asked.items() if value is not None}
    if what == "all":
        if given:
            raise click.UsageError(f"--{next(iter(given))} is about one file: say chat or embedder.")
        return DEFAULTS
    if ("repo" in given) != ("file" in given):
        raise click.UsageError("Give --repo and --file together.")
    source = replace(DEFAULTS[what], **given)
    if not source.file.endswith(".gguf"):
        raise click.UsageError(f"--file {source.file}: only a GGUF file can be used.")
    if source.sha256 and not SHA256.fullmatch(source.sha256):
        raise click.UsageError(f"--sha256 {source.sha256}: it has 64 characters, 0 to 9 and a to f.")
    return {what: source}


def _use(kind: str, path: Path) -> str:
    """Without a setting, the daemon takes the first file of the folder."""
    if path == min(path.parent.glob("*.gguf")):
        return "The daemon uses it from its next start."
    return f"Set {SETTINGS[kind]}={path} to use it."
