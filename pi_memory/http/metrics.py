"""`/metrics`: counters since the start, in Prometheus's text format."""

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response

from pi_memory.http.endpoint import Endpoint
from pi_memory.parts import Parts

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

TOKENS = {
    "submitted": "Tokens of all prompts, evaluated or known already.",
    "evaluated": "Tokens that the model read.",
    "generated": "Tokens that the model wrote.",
}


async def metrics(request: Request, parts: Parts) -> Response:
    return Response("\n".join([*_lines(parts), ""]), media_type=MEDIA_TYPE)


def _lines(parts: Parts) -> Iterator[str]:
    yield from _head("uptime_seconds", "gauge", "Seconds since the start.")
    yield f"pi_memory_uptime_seconds {parts.clock() - parts.clock.started_at:.0f}"
    yield from _head("turns_total", "counter", "Turns begun.")
    yield f"pi_memory_turns_total {parts.streams.begun}"
    yield from _head("step_seconds_total", "counter", "Seconds of each step after a reply, all exchanges together.")
    for step, seconds in parts.inbox.seconds.items():
        yield f'pi_memory_step_seconds_total{{step="{step}"}} {seconds:.6f}'
    counts = parts.model.now.counts
    if not counts:
        return  # only a model in this process knows what it evaluates
    for kind, what in TOKENS.items():
        yield from _head(f"tokens_{kind}_total", "counter", what)
        for purpose, count in counts.items():
            yield f'pi_memory_tokens_{kind}_total{{purpose="{purpose}"}} {getattr(count, kind)}'


def _head(name: str, kind: str, what: str) -> Iterator[str]:
    yield f"# HELP pi_memory_{name} {what}"
    yield f"# TYPE pi_memory_{name} {kind}"


ENDPOINTS = [
    Endpoint("GET", "/metrics", metrics, "Counters for Prometheus.", needs_memory=False, media_type="text/plain")
]
