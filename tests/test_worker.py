"""What computes has a thread of its own."""

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

from tests.conftest import Daemon
from tests.fakes import FakeEmbedder


def test_who_waits_for_computing_keeps_nobody_else_waiting(daemon: Daemon) -> None:
    client = daemon(embedder=FakeEmbedder())
    client.post("/memories", json={"content": "Likes green tea"}).raise_for_status()
    free = Event()
    assert client.portal is not None
    client.portal.start_task_soon(client.parts.worker.run, free.wait)
    with ThreadPoolExecutor() as others:
        asked = [
            others.submit(client.get, "/memories/search?q=tea"),
            others.submit(client.get, "/memories/1"),
            others.submit(client.post, "/chat", json={"message": "What tea do I like?"}),
            others.submit(client.post, "/activity?wait=1", json={"session_id": "s", "user_message": "Fix the login"}),
            others.submit(client.post, "/memories", json={"content": "Passwords are in the safe"}),
        ]
        done, _ = wait(asked, timeout=0.5)
        assert client.get("/healthz").json()["status"] == "ok"
        free.set()
        assert [each.result().status_code for each in asked] == [200, 200, 200, 200, 201]
    assert not done
