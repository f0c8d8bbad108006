"""`GET /export` and `POST /import`: a store goes into a file and comes out of it, whole or not at all."""

import json
import select
import socket
import time
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest

from pi_memory.http.import_export import LONGEST_LINE
from tests.conftest import Client, Daemon, settings_for
from tests.fakes import FakeClock
from tests.process import Process, serving
from tests.test_http_memories import listed, remember


def filled(client: Client, clock: FakeClock) -> bytes:
    """An export of four memories: one changed, one superseded, one forgotten."""
    remember(client, "Likes green tea", topics=["food"])
    client.patch("/memories/1", json={"content": "Likes black tea"})
    clock.pass_time(days=1)
    remember(client, "Likes coffee", supersedes=1)
    remember(client, "My pin is 4711")
    client.delete("/memories/3?forget=1")
    remember(client, "Works at night", project="garden", priority="highest")
    return client.get("/export").content


def everything(client: Client) -> tuple[Any, ...]:
    """All that is told of the memories."""
    found = client.get("/memories?all=1").json()["memories"]
    histories = [client.get(f"/memories/{memory['id']}/history").json()["history"] for memory in found]
    return found, histories, client.get("/events?kind=memory.").json()


@pytest.fixture
def other(daemon: Daemon, tmp_path: Path) -> Client:
    """A second daemon with a store of its own."""
    return daemon(PI_MEMORY_DATA_DIR=tmp_path / "other")


def test_an_empty_store_becomes_the_same_store(daemon: Daemon, other: Client, clock: FakeClock) -> None:
    client = daemon()
    file = filled(client, clock)
    answered = other.post("/import", content=file).json()["imported"]
    assert answered == {"memories": 4, "known": 0, "forgotten": 0, "events": 7, "tombstones": 1}
    assert everything(other) == everything(client)
    assert other.post("/memories", json={"content": "My pin is 4711"}).status_code == 409
    assert [json.loads(line) for line in other.get("/export").content.splitlines()[1:]] == [
        json.loads(line) for line in file.splitlines()[1:]
    ]


def test_the_same_import_twice_adds_nothing(daemon: Daemon, other: Client, clock: FakeClock) -> None:
    client = daemon()
    file = filled(client, clock)
    remember(other, "Was here before")
    other.post("/import", content=file)
    before = everything(other)
    for target in (other, client):
        answered = target.post("/import", content=file).json()["imported"]
        assert answered == {"memories": 0, "known": 4, "forgotten": 0, "events": 0, "tombstones": 0}
    assert everything(other) == before


def test_ids_that_are_taken_are_given_anew(daemon: Daemon, other: Client, clock: FakeClock) -> None:
    file = filled(daemon(), clock)
    remember(other, "Was here before")
    other.post("/import", content=file)
    tea = next(m for m in other.get("/memories?all=1").json()["memories"] if m["content"] == "Likes black tea")
    coffee = other.get(f"/memories/{tea['superseded_by']}").json()
    assert (tea["id"], coffee["content"]) != (1, "Was here before")
    kinds = {e["kind"]: e["event_id"] for e in other.get(f"/memories/{tea['id']}/history").json()["history"]}
    other.post(f"/events/{kinds['memory.superseded']}/undo").raise_for_status()
    other.post(f"/events/{kinds['memory.changed']}/undo").raise_for_status()
    assert other.get(f"/memories/{tea['id']}").json()["content"] == "Likes green tea"
    assert not other.get(f"/memories/{coffee['id']}").json()["is_valid"]
    assert other.get("/memories/1").json()["content"] == "Was here before"


def test_what_comes_without_a_history_begins_one(daemon: Daemon, other: Client, clock: FakeClock) -> None:
    header, _, _, _, memory, *_ = filled(daemon(), clock).splitlines()
    other.post("/import", content=b"\n".join((header, memory, b'{"end": 2}'))).raise_for_status()
    (event,) = other.get("/memories/4/history").json()["history"]
    assert (event["kind"], event["origin"]) == ("memory.added", "import")
    other.post(f"/events/{event['event_id']}/undo").raise_for_status()
    assert listed(other) == []


def test_a_file_that_was_cut_is_refused_whole(daemon: Daemon, other: Client, clock: FakeClock) -> None:
    file = filled(daemon(), clock)
    lines = file.splitlines(keepends=True)
    for cut in (file[: len(file) // 2], b"".join(lines[:-1]), b"".join(lines[:4] + lines[5:]), lines[0]):
        answer = other.post("/import", content=cut)
        assert (answer.status_code, answer.json()["message"].startswith("line ")) == (400, True), answer.text
    assert everything(other) == ([], [], {"events": []})


WRONG: list[tuple[int, str, Any]] = [
    (2, "content", ""),
    (2, "content", "x" * 9000),
    (2, "namespace", "user/../x"),
    (2, "type", "vague"),
    (2, "id", -1),
    (2, "id", 2**70),
    (2, "id", 2**63 - 1),
    (2, "accesses", -1),
    (2, "accesses", 2**70),
    (2, "exchange_id", 2**70),
    (2, "valid_from", 1e300),
    (2, "last_accessed_at", -1e300),
    (2, "space", "x" * 1000),
    (3, "id", 1),
    (2, "surprise", 1),
    (2, "created_at", "yesterday"),
    (4, "content", "a forgotten one"),
    (7, "memory", 99),
    (7, "kind", "topic.added"),
    (8, "before", {"1": {"content": 5}}),
    (7, "id", 2**63 - 1),
    (7, "at", 1e300),
    (7, "origin", "x" * 1000),
    (8, "before", {"2": {"content": "x"}}),
    (8, "before", {"1": {"quote": "x"}}),
    (8, "before", {"1": {"content": ""}}),
    (8, "before", {"1": {"content": "x\0"}}),
    (8, "before", {str(2**70): {"content": "x"}}),
    (8, "after", None),
]
"""A line of an export, a field of it, and what may not stand there."""


def test_a_wrong_line_is_named_and_nothing_is_imported(daemon: Daemon, other: Client, clock: FakeClock) -> None:
    file = filled(daemon(), clock)
    for number, field, value in WRONG:
        lines = file.splitlines()
        answered = json.loads(lines[number - 1])
        (inner,) = answered.values()
        inner[field] = value
        lines[number - 1] = json.dumps(answered).encode()
        answer = other.post("/import", content=b"\n".join(lines))
        assert 400 <= answer.status_code < 422, (field, answer.text)
        assert answer.json()["message"].startswith(f"line {number}: "), (field, answer.text)
        assert everything(other) == ([], [], {"events": []}), (field, value)


def test_what_is_no_export_is_refused(daemon: Daemon) -> None:
    client = daemon()
    for file in (b"", b"\n\n", b"no json", b"[1]", b'{"format": "other"}', b"[" * 100_000, b"\xff\xfe", b'{"end": 0}'):
        answer = client.post("/import", content=file)
        assert (answer.status_code, "line 1" in answer.json()["message"]) == (400, True), answer.text


def test_a_vector_of_the_wrong_size_is_refused(daemon: Daemon, other: Client, clock: FakeClock) -> None:
    answer = other.post("/import", content=with_vectors(filled(daemon(), clock), (0.01, 60, 80), (0.01, 0, 60, 80)))
    assert (answer.status_code, "line 3: vector: " in answer.json()["message"]) == (400, True), answer.text


@pytest.mark.parametrize("scale", [0.0, 1.0, float("inf"), float("nan")])
def test_a_vector_that_would_spoil_every_search_is_refused(
    daemon: Daemon, other: Client, clock: FakeClock, scale: float
) -> None:
    answer = other.post("/import", content=with_vectors(filled(daemon(), clock), (scale, 60, 80)))
    assert (answer.status_code, "line 2: vector: " in answer.json()["message"]) == (400, True), answer.text


def with_vectors(file: bytes, *vectors: tuple[float, ...]) -> bytes:
    """An export whose first memories have these vectors: a scale, and small integers."""
    lines = file.splitlines()
    for number, (scale, *codes) in enumerate(vectors, 1):
        answered = json.loads(lines[number])
        packed = np.float32(scale).tobytes() + np.array(codes, np.int8).tobytes()
        answered["memory"] |= {"space": "mini", "vector": b64encode(packed).decode()}
        lines[number] = json.dumps(answered).encode()
    return b"\n".join(lines)


def test_what_was_forgotten_here_is_not_imported(daemon: Daemon, other: Client, clock: FakeClock) -> None:
    file = filled(daemon(), clock)
    remember(other, "likes COFFEE")
    other.delete("/memories/1?forget=1")
    answer = other.post("/import", content=file)
    assert (answer.status_code, answer.json()["type"]) == (409, "forgotten")
    assert answer.json()["message"].startswith("line 3: ")
    answered = other.post("/import?skip_forgotten=1", content=file).json()["imported"]
    assert (answered["memories"], answered["forgotten"]) == (3, 1)
    assert "offee" not in other.get("/memories?all=1").text


def test_a_change_to_what_was_forgotten_is_left_out_on_both_sides(daemon: Daemon, other: Client) -> None:
    client = daemon()
    remember(client, "Likes tea")
    for content in ("My pin is 4711", "Likes coffee"):
        client.patch("/memories/1", json={"content": content}).raise_for_status()
    remember(other, "My pin is 4711")
    other.delete("/memories/1?forget=1")
    other.post("/import?skip_forgotten=1", content=client.get("/export").content).raise_for_status()
    (tea,) = listed(other)
    for event in other.get(f"/memories/{tea}/history").json()["history"][:2]:
        assert other.post(f"/events/{event['event_id']}/undo").json()["type"] == "forgotten"
    assert "4711" not in other.get("/events").text


def test_a_long_file_is_taken_and_a_long_line_is_not(daemon: Daemon, other: Client, clock: FakeClock) -> None:
    lines = filled(daemon(), clock).splitlines()
    first = json.loads(lines[1])["memory"] | {"superseded_by": None, "valid_to": None}
    many = [{"memory": first | {"id": n, "content": f"Fact {n} {'x' * 900}"}} for n in range(1, 3001)]
    file = [lines[0], *(json.dumps(line).encode() for line in many), json.dumps({"end": 3001}).encode()]
    assert sum(map(len, file)) > settings_for(Path()).server.max_body_bytes
    assert other.post("/import", content=b"\n".join(file)).json()["imported"]["memories"] == 3000
    assert len(listed(other, "?limit=500")) == 500
    answer = other.post("/import", content=lines[0] + b"\n" + b"x" * (LONGEST_LINE + 1))
    assert (answer.status_code, "line 2" in answer.json()["message"]) == (413, True)


def said(name: str, *contents: str) -> bytes:
    messages = [{"role": "user", "content": content} for content in contents]
    return json.dumps({"conversation_id": name, "messages": messages}).encode()


def test_lines_keep_their_numbers_among_millions_of_blank_ones(daemon: Daemon) -> None:
    blank = b"\n" * 1_000_003 + b" \t\r\n"
    answer = daemon().post(
        "/import", content=blank + said("a", "tea") + blank + said("b", "milk") + b"\n" + b"  no json"
    )
    assert (answer.status_code, answer.json()["message"].split(":")[0]) == (400, "line 2000010")


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n \n"])
def test_a_last_line_counts_however_it_ends(daemon: Daemon, end: bytes) -> None:
    answer = daemon().post("/import", content=b"\n".join([said("a", "tea"), said("b", "milk", "no sugar")]) + end)
    assert answer.json() == {"imported": {"conversations": 2, "messages": 3}}


def test_lines_are_whole_wherever_the_pieces_of_a_file_end(daemon: Daemon) -> None:
    lengths = [*range(65_400, 65_560, 7), 200_000, 10, 131_072]
    lines = [said(f"c{number}", "x" * length) for number, length in enumerate(lengths)]
    answer = daemon().post("/import", content=b"\n\n".join(lines))
    assert answer.json() == {"imported": {"conversations": len(lines), "messages": len(lines)}}


def test_nothing_is_stored_of_conversations_of_which_the_last_is_wrong(daemon: Daemon) -> None:
    client = daemon()
    client.post("/chat", json={"message": "hello", "conversation_id": "held"})
    client.settle()
    many = [said(f"c{number}", "sencha " * 1_000) for number in range(100)]
    for last, status in ((b"{", 400), (said("held", "other"), 409)):
        assert client.post("/import", content=b"\n".join([*many, last])).status_code == status
    assert client.get("/memories/search?q=sencha").json()["results"] == []


def test_a_line_without_end_is_refused_before_it_has_arrived(tmp_path: Path) -> None:
    head = b"POST /import HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\n"
    with (
        serving(tmp_path) as process,
        socket.create_connection(("127.0.0.1", int(process.url.rpartition(":")[2])), 30) as client,
    ):
        client.sendall(head)
        sent = 0
        while sent < 4 * LONGEST_LINE and not select.select([client], [], [], 0)[0]:
            sent += client.send(b"x" * 2**16)
        assert client.recv(100).startswith(b"HTTP/1.1 413 ")


def test_a_hundred_megabytes_take_little_memory_and_hold_up_nobody(tmp_path: Path) -> None:
    line = said("c", *(f"Message {number} about the garden, {'and more ' * 100}" for number in range(100))) + b"\n"
    with serving(tmp_path) as process, process.client as client, ThreadPoolExecutor() as other:
        before = peak(process)
        answer = other.submit(httpx2.post, f"{process.url}/import?wait=0", content=line * 1_000, timeout=300)
        waits, began = [], time.perf_counter()
        while not answer.done():
            start = time.perf_counter()
            client.get("/healthz").raise_for_status()
            waits.append(time.perf_counter() - start)
            time.sleep(0.01)
        assert answer.result().json() == {"imported": {"conversations": 1_000, "messages": 100}}
        assert peak(process) - before < 60_000
        assert max(waits) < (time.perf_counter() - began) / 2


def peak(process: Process) -> int:
    """The most memory that it has had, in kB."""
    status = Path(f"/proc/{process.popen.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def test_what_was_learned_from_an_exchange_is_shown_after_an_older_export_came_in(
    daemon: Daemon, other: Client, clock: FakeClock
) -> None:
    file = filled(daemon(), clock)
    clock.pass_time(days=9)
    other.post("/chat", json={"message": "Remember that the pump is red."}).raise_for_status()
    other.settle()
    other.post("/import", content=file).raise_for_status()
    assert [fact["content"] for fact in other.get("/exchanges/1").json()["learned"]] == ["The pump is red."]
