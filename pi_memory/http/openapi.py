"""`/openapi.json`, generated from the table of the routes."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from pi_memory import __version__
from pi_memory.http.endpoint import Endpoint, failure_kind

TYPES = {"int": "integer"}
"""JSON types of the routes' convertors that are not strings."""

NO_CONTENT = 204

TEXT = {"type": "string"}
NO_JSON: dict[str, Any] = {"text/event-stream": {}}
"""Schemas of what is no JSON, if not TEXT: an event is neither."""

ERRORS = {
    "400": "The request is wrong; the message names the field.",
    "401": "A token is needed.",
    "403": "A foreign web page asked, or the token does not reach so far.",
    "404": "There is no such thing.",
    "409": "It is there already.",
    "413": "The body is too large.",
    "422": "Well-formed, but not possible.",
    "429": "Too many requests, or wrong tokens: try again after `Retry-After` seconds.",
    "503": "Loading, busy or stopping: try again after `Retry-After` seconds.",
}


def document(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """The OpenAPI 3.1 description of the endpoints."""
    used = (t for e in endpoints for t in (e.body, e.answer, *(kind for *_, kind in e.also)))
    types = {t for t in used if t is not None} | {failure_kind(e.path) for e in endpoints}
    ordered = sorted(types, key=lambda t: t.__name__)
    schemas, components = msgspec.json.schema_components(ordered, ref_template="#/components/schemas/{name}")
    schema = dict(zip(ordered, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.shown_path, {})[endpoint.method.lower()] = _operation(endpoint, schema)
    return {
        "openapi": "3.1.0",
        "info": {"title": "pi-memory", "version": __version__},
        "paths": paths,
        "components": {"schemas": components},
    }


def _operation(endpoint: Endpoint, schema: dict[type, Any]) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": TYPES.get(kind, "string")}}
        for name, kind in re.findall(r"{(\w+)(?::(\w+))?}", endpoint.path)
    ]
    parameters += [
        {"name": name, "in": "query", "description": text, "schema": {"type": "string"}}
        for name, text in endpoint.query.items()
    ]
    operation: dict[str, Any] = {"summary": endpoint.summary, "responses": _responses(endpoint, schema)}
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        content = {"application/json": {"schema": schema[endpoint.body]}}
        operation["requestBody"] = {"required": _is_needed(endpoint.body), "content": content}
    return operation


def _is_needed(body: type) -> bool:
    """Whether a body is required; otherwise no body means an empty object."""
    return any(field.required for field in msgspec.structs.fields(body))


def _responses(endpoint: Endpoint, schema: dict[type, Any]) -> dict[str, Any]:
    shapes: dict[str, dict[str, list[Any]]] = {}
    for status, media_type, kind in ((endpoint.status, endpoint.media_type, endpoint.answer), *endpoint.also):
        content = shapes.setdefault(str(status), {})
        if media_type and status != NO_CONTENT:
            content.setdefault(media_type, []).append(NO_JSON.get(media_type, TEXT) if kind is None else schema[kind])
    for error in ERRORS:
        shapes.setdefault(error, {}).setdefault("application/json", []).append(schema[failure_kind(endpoint.path)])
    return {status: _response(ERRORS.get(status, "Done."), content) for status, content in shapes.items()}


def _response(text: str, content: dict[str, list[Any]]) -> dict[str, Any]:
    """The description of a response, whose JSON may have one of several forms."""
    forms = {media: {"schema": {"anyOf": of} if len(of) > 1 else of[0]} for media, of in content.items()}
    return {"description": text} | ({"content": forms} if forms else {})
