# SPDX-License-Identifier: BSD-3-Clause
"""A witness between an NBD client and its server: passes everything on, and keeps an account of what
was sent, answered and flushed, and when. It knows the wire only (the NBD project's doc/proto.md), nothing of
the server or of the client."""
import hashlib
import math
import socket
import struct
import threading
from dataclasses import dataclass, field

BLOCK = 4096

_OPTION, _ANSWER = struct.Struct(">8sII"), struct.Struct(">QIII")
_REQUEST, _REPLY = struct.Struct(">IHHQQI"), struct.Struct(">IIQ")
_OPTION_ANSWER_MAGIC, _REQUEST_MAGIC, _REPLY_MAGIC = 0x3E889045565A9, 0x25609513, 0x67446698
_ABORT, _GO, _STRUCTURED, _EXTENDED = 2, 7, 8, 11
_ACK, _UNSUPPORTED, _ERRORS = 1, 0x80000001, 0x80000000
_READ, _WRITE, _DISC, _FLUSH, _TRIM, _ZEROES = 0, 1, 2, 3, 4, 6
_FUA = 1


def mark(content):
    return hashlib.blake2b(content, digest_size=12).hexdigest()


ZEROS = mark(bytes(BLOCK))


@dataclass
class Store:
    """What one command wanted a block to hold; `sent` and `answered` count all messages that passed."""
    content: str
    sent: float
    answered: float = math.inf
    fua: bool = False


@dataclass
class Account:
    blocks: dict = field(default_factory=dict)  # number: [Store]
    flushes: list = field(default_factory=list)  # when those that were answered had been sent

    def allowed(self, block, before):
        """The contents that it may have after a cut, `before` being what it had at the beginning. A store is on
        the medium when it is answered and a FLUSH that was sent after that is, too (with FUA: when it is
        answered); what was answered before such a store was sent is over."""
        stores = [Store(before, -2, -1), *self.blocks.get(block, [])]
        last = max(self.flushes, default=-1)
        kept = [s.sent for s in stores if s.answered < last or (s.fua and s.answered < math.inf)]
        newest = max(kept, default=-2)
        return {s.content for s in stores if s.answered >= newest}

    def covered(self):
        """Stores whose loss would be found."""
        last = max(self.flushes, default=-1)
        return sum(s.answered < last for stores in self.blocks.values() for s in stores)


class Witness:
    """Listens at `at`, talks to the server at `to`; a context. `account` is whole once it is left."""

    def __init__(self, at, to):
        self._at, self._to = str(at), str(to)
        self.account = Account()
        self._clock, self._lock = 0, threading.Lock()
        self._threads, self._sockets = [], []

    def __enter__(self):
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(self._at)
        self._door.listen(16)
        self._run(self._accept)
        return self

    def __exit__(self, *_):
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        for one in self._sockets:
            _end(one)
        for thread in self._threads:
            thread.join(30)

    def _run(self, call, *arguments):
        thread = threading.Thread(target=call, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self):
        while True:
            try:
                client = self._door.accept()[0]
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self._to)
            except OSError:  # it has been killed
                client.close()
                continue
            self._sockets += [client, server]
            self._run(self._connection, client, server)

    def _connection(self, client, server):
        try:
            if self._negotiate(client, server):
                waiting = {}  # cookie: (type, bytes of the answer, stores, when it was sent)
                self._run(self._answers, client, server, waiting)
                self._requests(client, server, waiting)
        except (EOFError, OSError):
            pass
        _end(client)
        _end(server)

    def _negotiate(self, client, server):
        client.sendall(_take(server, 18))
        server.sendall(_take(client, 4))
        while True:
            head = _take(client, _OPTION.size)
            magic, option, size = _OPTION.unpack(head)
            assert magic == b"IHAVEOPT"
            content = _take(client, size)
            if option in (_STRUCTURED, _EXTENDED):  # simple replies are all that this knows
                client.sendall(_ANSWER.pack(_OPTION_ANSWER_MAGIC, option, _UNSUPPORTED, 0))
                continue
            server.sendall(head + content)
            kind = 0
            while kind != _ACK and kind < _ERRORS:
                head = _take(server, _ANSWER.size)
                magic, _, kind, size = _ANSWER.unpack(head)
                assert magic == _OPTION_ANSWER_MAGIC
                client.sendall(head + _take(server, size))
            if option == _ABORT:
                return False
            if option == _GO and kind == _ACK:
                return True

    def _requests(self, client, server, waiting):
        while True:
            head = _take(client, _REQUEST.size)
            magic, flags, kind, cookie, offset, size = _REQUEST.unpack(head)
            assert magic == _REQUEST_MAGIC
            content = _take(client, size) if kind == _WRITE else b""
            stores = []
            with self._lock:
                self._clock += 1
                if kind in (_WRITE, _TRIM, _ZEROES):
                    assert offset % BLOCK == 0 and size % BLOCK == 0, "not a client for this witness"
                    for at in range(0, size, BLOCK):
                        what = mark(content[at:at + BLOCK]) if kind == _WRITE else ZEROS
                        stores.append(Store(what, self._clock, fua=bool(flags & _FUA)))
                        self.account.blocks.setdefault((offset + at) // BLOCK, []).append(stores[-1])
                waiting[cookie] = (kind, size if kind == _READ else 0, stores, self._clock)
            server.sendall(head + content)
            if kind == _DISC:
                return

    def _answers(self, client, server, waiting):
        try:
            while True:
                head = _take(server, _REPLY.size)
                magic, error, cookie = _REPLY.unpack(head)
                assert magic == _REPLY_MAGIC
                with self._lock:
                    self._clock += 1
                    kind, size, stores, sent = waiting.pop(cookie)
                    if error == 0:
                        for store in stores:
                            store.answered = self._clock
                        if kind == _FLUSH:
                            self.account.flushes.append(sent)
                client.sendall(head + (_take(server, size) if error == 0 else b""))
        except (EOFError, OSError):
            _end(client)


def _take(connection, size):
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)


def _end(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()
