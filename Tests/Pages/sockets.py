"""What the server answers to requests that no page of ours sends, over real sockets."""

import contextlib
import json
import re
import select
import signal
import socket
import subprocess

import server

PARTS = ("default-src 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'", "frame-ancestors 'none'")
LIMIT = 64  # Connections.
PATIENCE = 60  # Seconds until a test fails instead of waiting on.


class Answer:
    """An answer of HTTP/1.1, read to its end."""

    def __init__(self, stream):
        line = stream.readline()
        assert line, "the connection was closed without an answer"
        self.status = int(line.split()[1])
        self.headers = {}
        while (line := stream.readline().strip()):
            name, value = line.decode().split(":", 1)
            self.headers[name.lower()] = value.strip()
        self.body = stream.read(int(self.headers.get("content-length", 0)))


class Sockets:
    def __init__(self, program):
        self.program = program
        self.folder = server.folder()
        self.running = server.Server(program, *server.pending(None))
        self.port = int(re.match(r"http://127\.0\.0\.1:(\d+)/#key=[\w-]{43}$", self.running.address)[1])
        self.key = self.running.address.split("#key=")[1]

    def stop(self):
        if self.running.process.poll() is None:
            self.running.stop()
        self.folder.cleanup()

    def connect(self, host="127.0.0.1", port=None, receive=None):
        opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        if receive:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        opened.settimeout(PATIENCE)
        opened.connect((host, port or self.port))
        return opened

    def head(self, target="/api/log", method="GET", host=None, key=None, more=()):
        hosts = [f"127.0.0.1:{self.port}"] if host is None else host
        lines = [f"{method} {target} HTTP/1.1", *(f"Host: {name}" for name in hosts)]
        if key != "":
            lines.append(f"Authorization: Bearer {key or self.key}")
        return ("\r\n".join([*lines, *more]) + "\r\n\r\n").encode()

    def ask(self, *given, body=b"", **named):
        with contextlib.closing(self.connect()) as opened:
            opened.sendall(self.head(*given, **named) + body)
            return Answer(opened.makefile("rb"))

    def expect(self, status, *given, **named):
        answer = self.ask(*given, **named)
        assert answer.status == status, (given, named, answer.status, answer.body[:200])
        return answer


def the_page_and_the_log_are_served(sockets):
    for target in ("/", "/js/main.js", "/style/tokens.css", "/icon.svg"):
        answer = sockets.expect(200, target, key="")
        again = sockets.expect(304, target, key="", more=[f"If-None-Match: {answer.headers['etag']}"])
        assert not again.body
    assert json.loads(sockets.expect(200).body)["head"] == 33


def a_host_must_be_ours(sockets):
    port = sockets.port
    for host in ([f"localhost:{port}"], [f"[::1]:{port}"]):
        sockets.expect(200, host=host)
    for host in (["rebound.example"], [f"rebound.example:{port}"], [f"127.0.0.1.:{port}"], ["127.0.0.1"], [f"127.0.0.1:{port + 1}"],
                 [f"127.0.0.1:{port}"] * 2, [f"127.0.0.1:{port}", "rebound.example"], [f"127.0.0.2:{port}"]):
        sockets.expect(421, host=host)
        sockets.expect(421, "/", host=host)
    sockets.expect(421, host=[])


def an_origin_must_be_ours(sockets):
    sockets.expect(200, more=[f"Origin: http://127.0.0.1:{sockets.port}"])
    for origin in (f"http://127.0.0.1:{sockets.port + 1}", "null", f"https://127.0.0.1:{sockets.port}", "http://evil.example"):
        answer = sockets.expect(403, more=[f"Origin: {origin}"])
        assert not [name for name in answer.headers if name.startswith("access-control")], answer.headers


def only_the_key_opens_the_log(sockets):
    key = sockets.key
    for wrong in (key[:-1], key + "A", key[::-1], key.swapcase()):
        sockets.expect(401, key=wrong)
    sockets.expect(401, key="")
    sockets.expect(401, key="", more=[f"Cookie: key={key}", f"X-Key: {key}"])
    sockets.expect(401, f"/api/log?key={key}", key="")
    sockets.expect(401, key="", more=[f"Authorization: Basic {key}"])


def every_answer_has_the_policy(sockets):
    answers = [sockets.ask("/", key=""), sockets.ask(), sockets.ask(key=""), sockets.ask("/no/such", key=""), sockets.ask(host=["x"]),
               sockets.ask("/api/export?kind=json"), sockets.ask(method="PUT")]
    for answer in answers:
        for part in PARTS:
            assert part in answer.headers["content-security-policy"], answer.status
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "set-cookie" not in answer.headers
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answers[0].headers["cache-control"] == "no-cache"
    assert all(answer.headers["cache-control"] == "no-store" for answer in (answers[1], answers[2], answers[5]))


def a_path_never_leaves_the_page(sockets):
    for target in ("/..%2f..%2fetc%2fpasswd", "/%00", "//", "//etc/passwd", "/js/../js/main.js", "/js/%2e%2e/index.html", "/js", "/js/", "/index.html"):
        sockets.expect(404, target, key="")
    for target in ("/api/..%2flog", "/api//log", "/api/%00", "/api/records/%ff", "/api/log?log=7", "/api/log/..%2f..%2fetc"):
        assert sockets.ask(target).status in (400, 404), target
    sockets.expect(404, "/api/log?log=1")


def methods_and_bodies_have_limits(sockets):
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
        sockets.expect(405, method=method)
    json_type = "Content-Type: application/json"
    body = b'{"show":"records","filter":"kind:iq"}'
    sockets.expect(200, "/api/views", "POST", more=[json_type, f"Content-Length: {len(body)}"], body=body)
    sockets.expect(400, "/api/views", "POST", more=["Content-Type: text/plain", f"Content-Length: {len(body)}"], body=body)
    sockets.expect(405, "/", "POST", more=[json_type, f"Content-Length: {len(body)}"], body=body)
    sockets.expect(413, "/api/views", "POST", more=[json_type, f"Content-Length: {(64 << 10) + 1}"])
    # A body that never ends, and does not say how long it is.
    with contextlib.closing(sockets.connect()) as opened:
        opened.sendall(sockets.head("/api/views", "POST", more=[json_type, "Transfer-Encoding: chunked"]))
        with contextlib.suppress(ConnectionError):
            for _ in range(9):
                opened.sendall(b"2000\r\n" + b" " * 0x2000 + b"\r\n")
        assert Answer(opened.makefile("rb")).status == 413
    sockets.expect(414, "/api/log?" + "a" * (5 << 10))


def heads_have_limits(sockets):
    for more in (["X: " + "a" * (9 << 10)], [f"X-{number}: a" for number in range(50)]):
        with contextlib.closing(sockets.connect()) as opened:
            opened.sendall(sockets.head(more=more))
            line = opened.makefile("rb").readline()
            assert not line or line.split()[1] in (b"400", b"431"), line


def other_addresses_are_not_served(sockets):
    """Only the address that is printed: any other one of the machine may be reached from elsewhere."""
    for host in ("127.0.0.2", "::1"):
        try:
            sockets.connect(host).close()
        except OSError:
            continue
        raise AssertionError(f"{host} is served")


def both_loopback_addresses_are_served_if_wanted(sockets):
    if not socket.has_ipv6 or not has_loopback6():
        return
    other = server.Server(sockets.program, *server.pending(None), "--ipv6")
    try:
        port, key = re.match(r"http://127\.0\.0\.1:(\d+)/#key=(.+)$", other.address).groups()
        for host, name in (("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")):
            with contextlib.closing(sockets.connect(host, int(port))) as opened:
                opened.sendall(sockets.head(host=[f"{name}:{port}"], key=key))
                assert Answer(opened.makefile("rb")).status == 200, host
    finally:
        other.stop()


def has_loopback6():
    with contextlib.closing(socket.socket(socket.AF_INET6)) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True


def connections_have_a_limit(sockets):
    with contextlib.ExitStack() as stack:
        kept = [stack.enter_context(contextlib.closing(sockets.connect())) for _ in range(LIMIT)]
        streams = [opened.makefile("rb") for opened in kept]
        for opened, stream in zip(kept, streams):
            opened.sendall(sockets.head("/", key=""))
            assert Answer(stream).status == 200
        late = stack.enter_context(contextlib.closing(sockets.connect()))
        late.sendall(sockets.head("/", key=""))
        for _ in range(50):
            kept[0].sendall(sockets.head())
            assert Answer(streams[0]).status == 200
        assert not select.select([late], [], [], 0)[0], "one more than the limit is served"
        streams[1].close()
        kept[1].shutdown(socket.SHUT_RDWR)
        assert Answer(late.makefile("rb")).status == 200


def readers_that_do_not_read_are_dropped(sockets):
    """They take all connections but one, and lose theirs before that one, which was silent for longer, does."""
    big = server.Server(sockets.program, *server.big(sockets.folder))
    try:
        port, key = re.match(r"http://127\.0\.0\.1:(\d+)/#key=(.+)$", big.address).groups()
        head = sockets.head("/api/export?kind=native", host=[f"127.0.0.1:{port}"], key=key)
        page = sockets.head("/", host=[f"127.0.0.1:{port}"], key="")
        with contextlib.ExitStack() as stack:
            silent = stack.enter_context(contextlib.closing(sockets.connect(port=int(port))))
            silent.sendall(page)
            assert Answer(silent.makefile("rb")).status == 200
            for _ in range(LIMIT - 1):
                stack.enter_context(contextlib.closing(sockets.connect(port=int(port), receive=4096))).sendall(head)
            late = stack.enter_context(contextlib.closing(sockets.connect(port=int(port))))
            late.sendall(page)
            assert Answer(late.makefile("rb")).status == 200
            assert not select.select([silent], [], [], 0)[0], "what was silent for longest was dropped first"
    finally:
        big.stop()


def event_streams_have_a_limit(sockets):
    with contextlib.ExitStack() as stack:
        for number in range(9):
            opened = stack.enter_context(contextlib.closing(sockets.connect()))
            opened.sendall(sockets.head("/api/live?after=33"))
            status = int(opened.makefile("rb").readline().split()[1])
            assert status == (200 if number < 8 else 503), (number, status)


def a_port_in_use_is_said(sockets):
    ended = subprocess.run(
        [sockets.program, "inspect", server.pending(None)[0], "--port", str(sockets.port)], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode != 0 and f"port {sockets.port} is in use" in ended.stderr, ended


def a_live_log_is_followed_by_number(sockets):
    """What was appended while nobody read arrives after the number that the reader had, once."""
    with server.growing(sockets.program, sockets.folder) as log:
        if log is None:
            return
        running = server.Server(sockets.program, log.path)
        try:
            port, key = re.match(r"http://127\.0\.0\.1:(\d+)/#key=(.+)$", running.address).groups()
            after, seen = log.head, []
            for _ in range(3):
                log.grow()
                with contextlib.closing(sockets.connect(port=int(port))) as opened:
                    opened.sendall(sockets.head(f"/api/live?after={after}", host=[f"127.0.0.1:{port}"], key=key))
                    for line in opened.makefile("rb"):
                        if line.startswith(b"data: "):
                            after = json.loads(line[6:])["head"]
                            seen.append(after)
                            break
            assert seen == [log.head - 2, log.head - 1, log.head], seen
        finally:
            running.stop()


def an_interrupt_ends_open_streams(sockets):
    with contextlib.closing(sockets.connect()) as opened:
        opened.sendall(sockets.head("/api/live?after=33"))
        stream = opened.makefile("rb")
        assert b"200" in stream.readline()
        while stream.readline().strip():
            pass
        sockets.running.process.send_signal(signal.SIGINT)
        assert b"event: bye" in stream.read()
    assert sockets.running.process.wait(timeout=PATIENCE) == 0


TESTS = [
    the_page_and_the_log_are_served, a_host_must_be_ours, an_origin_must_be_ours, only_the_key_opens_the_log, every_answer_has_the_policy,
    a_path_never_leaves_the_page, methods_and_bodies_have_limits, heads_have_limits, other_addresses_are_not_served,
    both_loopback_addresses_are_served_if_wanted, connections_have_a_limit, readers_that_do_not_read_are_dropped, event_streams_have_a_limit,
    a_port_in_use_is_said, a_live_log_is_followed_by_number, an_interrupt_ends_open_streams,
]


def tests(sockets):
    for test in TESTS:
        yield test.__name__.replace("_", " "), lambda test=test: test(sockets)
