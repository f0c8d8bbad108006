"""Sampling of the next token."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pi_memory.types import ReplyOptions


class Sampling(Struct, frozen=True):
    """Temperature 0 always takes the likeliest token. Without `seed` every reply differs."""

    temperature: float = 0.7
    top_k: int = 40
    top_p: float = 0.9
    min_p: float = 0.05
    seed: int | None = None


def wanted(sampling: Sampling, options: ReplyOptions) -> Sampling:
    """How a reply is sampled for which a client asks something else than is set."""
    asked: dict[str, Any] = {"temperature": options.temperature, "top_p": options.top_p, "seed": options.seed}
    return replace(sampling, **{name: value for name, value in asked.items() if value is not None})


def sampler(llama: Any, sampling: Sampling) -> Any:
    """A chain of llama.cpp's samplers, which the caller frees; None for temperature 0, where argmax is enough."""
    if sampling.temperature <= 0:
        return None
    chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
    for link in _links(llama, sampling):
        llama.llama_sampler_chain_add(chain, link)
    return chain


def _links(llama: Any, sampling: Sampling) -> list[Any]:
    return [
        # First, so that the others sort few tokens instead of a whole vocabulary.
        llama.llama_sampler_init_top_k(sampling.top_k),
        llama.llama_sampler_init_top_p(sampling.top_p, 1),
        llama.llama_sampler_init_min_p(sampling.min_p, 1),
        llama.llama_sampler_init_temp(sampling.temperature),
        llama.llama_sampler_init_dist(llama.LLAMA_DEFAULT_SEED if sampling.seed is None else sampling.seed % 2**32),
    ]
