"""Who is on the other end of a loopback socket: real sockets, of this user and of others."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from pi_memory.http import peer
from pi_memory.http.peer import Peer

OTHER = 12_345
"""A user id that nobody has."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")

CONNECT = "import socket, sys; s = socket.create_connection((sys.argv[1], int(sys.argv[2]))); sys.stdin.read()"


@pytest.fixture(params=["asked", "listed"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel answers; or it may not be asked, and /proc has to do."""
    if request.param == "listed":
        monkeypatch.setattr(peer, "SOCK_DIAG", -1)


@contextmanager
def listening(host: str, *, dual: bool = False) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.create_server((host, 0), family=family, dualstack_ipv6=dual)) as listener:
        yield listener


@contextmanager
def connected(host: str, *, to: str = "", dual: bool = False) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection: ours, the client's."""
    with listening(host, dual=dual) as listener:
        client = socket.create_connection((to or host, listener.getsockname()[1]))
        accepted, _ = listener.accept()
        with closing(client), closing(accepted):
            yield accepted, client


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "::1"])
def test_our_own_user_is_known(host: str) -> None:
    with connected(host) as (accepted, _):
        assert Peer(accepted).uid == os.geteuid()
        assert Peer(accepted).is_owner


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("to", ["127.0.0.1", "::1"])
def test_an_address_that_is_written_as_one_of_ipv6_is_known(to: str) -> None:
    with connected("::", to=to, dual=True) as (accepted, _):
        assert Peer(accepted).uid == os.geteuid()


@pytest.mark.usefixtures("either_way")
def test_a_client_that_writes_an_address_of_ipv4_in_ipv6_is_known() -> None:
    with listening("127.0.0.1") as listener, closing(socket.socket(socket.AF_INET6)) as client:
        client.connect(("::ffff:127.0.0.1", listener.getsockname()[1]))
        accepted, _ = listener.accept()
        with closing(accepted):
            assert Peer(accepted).uid == os.geteuid()


@needs_root
@pytest.mark.usefixtures("either_way")
def test_another_user_is_known_for_it_and_not_the_owner() -> None:
    with listening("127.0.0.1") as listener:
        command = ["python3", "-c", CONNECT, "127.0.0.1", str(listener.getsockname()[1])]
        with subprocess.Popen(command, user=OTHER, stdin=subprocess.PIPE, cwd="/") as client:
            accepted, _ = listener.accept()
            with closing(accepted):
                assert Peer(accepted).uid == OTHER
                assert not Peer(accepted).is_owner
            client.communicate()


@pytest.mark.usefixtures("either_way")
def test_a_client_that_has_closed_its_socket_is_nobody_and_not_root() -> None:
    with connected("127.0.0.1") as (accepted, client):
        client.sendall(b"DELETE /memories/1 HTTP/1.1\r\n\r\n")
        client.close()
        assert Peer(accepted).uid is None
        assert not Peer(accepted).is_owner


def test_a_client_that_has_said_all_it_wants_and_still_listens_is_known() -> None:
    with connected("127.0.0.1") as (accepted, client):
        client.shutdown(socket.SHUT_WR)
        assert Peer(accepted).uid == os.geteuid()


def test_a_connection_that_was_reset_is_of_nobody() -> None:
    with connected("127.0.0.1") as (accepted, client):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.close()
        assert Peer(accepted).uid is None


def test_where_nobody_tells_nobody_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "SOCK_DIAG", -1)
    monkeypatch.setattr(peer, "TABLES", ())
    with connected("127.0.0.1") as (accepted, _):
        assert Peer(accepted).uid is None
        assert not Peer(accepted).is_owner


def test_a_user_without_a_number_in_this_namespace_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "OVERFLOW", os.geteuid())
    with connected("127.0.0.1") as (accepted, _):
        assert not Peer(accepted).is_owner
