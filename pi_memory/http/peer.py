"""The user on the other end of a loopback connection, as the kernel reports it. Linux; elsewhere the user is unknown.

The kernel's socket diagnostics (sock_diag(7)) look one socket up by its addresses, at any number of sockets, in 0.02
ms. Where they are not allowed, `/proc/net/tcp` and `tcp6` are read: 7 ms and more. A socket closed by its process is
reported as root's in both, with the inode 0: such a line is ignored.
"""

import functools
import os
import socket
import struct
import sys
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Protocol

SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
ANSWER = 20
REQUEST = 1
ALL_STATES, NO_COOKIE = 0xFFFFFFFF, b"\xff" * 8
ESTABLISHED, CLOSE_WAIT = 1, 8
"""States of our own end in which the client's can still be looked up: open, and half closed by the client."""

TABLES = (("/proc/net/tcp", 4), ("/proc/net/tcp6", 16))
"""The tables with the size of their addresses in bytes; that of IPv6 has IPv4 as `::ffff:127.0.0.1`."""

OVERFLOW = 65534
"""The user id for every user without a number in this user namespace."""

Address = IPv4Address | IPv6Address
End = tuple[Address, int]


class Connection(Protocol):
    """The part of asyncio's `TransportSocket` that is used here."""

    def getsockname(self) -> tuple[str, int]: ...
    def getpeername(self) -> tuple[str, int]: ...
    def getsockopt(self, level: int, option: int, length: int, /) -> bytes: ...


class Peer:
    """The other end of one connection, looked up once, at first use."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @functools.cached_property
    def is_owner(self) -> bool:
        """Whether it is the user of this process, or root."""
        return self.uid is not None and self.uid in {os.geteuid(), 0} - {OVERFLOW}

    @functools.cached_property
    def uid(self) -> int | None:
        """Its user id; None when it is not on loopback, or the system does not report it."""
        try:
            return _uid(self._connection)
        except OSError:
            return None


def _uid(connection: Connection) -> int | None:
    ours, theirs = _end(*connection.getsockname()[:2]), _end(*connection.getpeername()[:2])
    if sys.platform != "linux" or not theirs[0].is_loopback:
        return None
    found = _diagnosed(theirs, ours)
    # Of a client that has left, there is nothing to be read either.
    if found is None and _state(connection) == ESTABLISHED:
        found = _listed(theirs, ours)
    # As long as our end lives, no other socket can have had the client's address.
    return found if _state(connection) in (ESTABLISHED, CLOSE_WAIT) else None


def _end(address: str, port: int) -> End:
    """An address and port, an IPv4 address as such also where an IPv6 socket writes `::ffff:127.0.0.1`."""
    parsed = ip_address(address)
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return mapped or parsed, port


def _state(connection: Connection) -> int:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]


def _diagnosed(theirs: End, ours: End) -> int | None:
    """The user id of the socket at `theirs` that is connected to `ours`, by sock_diag; None when the kernel does not
    report it.
    """
    family = socket.AF_INET if theirs[0].version == 4 else socket.AF_INET6
    body = struct.pack("=BBBxI", family, socket.IPPROTO_TCP, 0, ALL_STATES)
    body += struct.pack("!HH16s16s", theirs[1], ours[1], theirs[0].packed, ours[0].packed)
    body += struct.pack("=I8s", 0, NO_COOKIE)
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, SOCK_DIAG) as kernel:
            kernel.send(struct.pack("=IHHII", 16 + len(body), SOCK_DIAG_BY_FAMILY, REQUEST, 0, 0) + body)
            answer = kernel.recv(4096, socket.MSG_DONTWAIT)
    except OSError:
        return None
    if len(answer) < 88 or struct.unpack_from("=H", answer, 4) != (ANSWER,):
        return None
    # A listening socket is found when there is no connected one.
    if struct.unpack_from("!HH", answer, 20) != (theirs[1], ours[1]):
        return None
    uid, inode = struct.unpack_from("=II", answer, 80)
    return uid if inode else None


def _listed(theirs: End, ours: End) -> int | None:
    """The same from the tables of `/proc/net`, read twice: while a socket is being closed a line may be
    inconsistent.
    """
    first, second = _line(theirs, ours), _line(theirs, ours)
    return first if first == second else None


def _line(theirs: End, ours: End) -> int | None:
    for table, width in TABLES:
        if len(theirs[0].packed) > width:
            continue
        wanted = f" {_hex(theirs, width)} {_hex(ours, width)} ".encode()
        try:
            with Path(table).open("rb") as lines:
                fields = next((line.split() for line in lines if wanted in line), None)
        except OSError:
            continue
        if fields and fields[9] != b"0":
            return int(fields[7])
    return None


def _hex(end: End, width: int) -> str:
    """`127.0.0.1:80` as `0100007F:0050`, on a little-endian machine."""
    packed = end[0].packed
    if len(packed) < width:
        packed = bytes(10) + b"\xff\xff" + packed
    return "".join(f"{word:08X}" for word in struct.unpack(f"={width // 4}I", packed)) + f":{end[1]:04X}"
