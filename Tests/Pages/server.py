"""Starts rollcall-inspect for the tests of the page."""

import contextlib
import lzma
import json
import pathlib
import subprocess
import tempfile
from xml.sax.saxutils import quoteattr

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "Tests" / "Fixtures"
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    '"><script>alert(2)</script>',
    "javascript:alert(3)",
    "{{constructor.constructor('alert(4)')()}} ${alert(5)} %s %n",
    "\u202etxet desrever\u202c",
    "zero\u200bwidth\ufeff",
    "Z" + "\u0301" * 60,
    "W" * 10_000,
    "\u00a0 \u2003",
    "محمد عبد الله",
    "דוד לוי",
    "👩\u200d👩\u200d👧 family",
    "张伟 <b>",
]


class Server:
    """A running rollcall-inspect and the address of its page, with the key."""

    running = set()

    def __init__(self, program, *arguments):
        self.process = subprocess.Popen(
            [str(program), "inspect", *map(str, arguments)], stdout=subprocess.PIPE, text=True
        )
        self.running.add(self.process)
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.address

    def stop(self):
        """Asks the process to end. One that does not is ended all the same, and the test fails."""
        try:
            self.process.terminate()
            self.process.wait(timeout=30)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.running.discard(self.process)

    @classmethod
    def kill_all(cls):
        for process in cls.running:
            process.kill()


def day(folder):
    """The capture of the fixture that is a day of three devices, and how to read it."""
    capture = folder / "server.log"
    if not capture.exists():
        capture.write_bytes(lzma.decompress((FIXTURES / "day" / "server.log.xz").read_bytes()))
    return capture, "--account", "alice@example.test", "--year", "2026"


def captures(name):
    """A session of a real client, from the fixtures."""
    return FIXTURES / "captures" / name


def devices(folder):
    """Two devices of one account, as two logs."""
    folder = captures("slixmpp-two-devices")
    return folder / "capture.log", "--other", folder / "laptop.log"


def renamed(folder):
    """A rename that another edit takes back."""
    return (captures("slixmpp-rename-undone") / "capture.log",)


def pending(folder):
    """Requests that wait, are refused and are withdrawn."""
    return (captures("raw-pending-both") / "capture.log",)


def asked(folder):
    """A request that arrives before the roster is known."""
    return (captures("raw-presence-first") / "capture.log",)


def big(folder):
    """A capture whose export is larger than what the system keeps for readers that do not read."""
    stanza = "<message from='bob@example.test' type='chat'><body>" + "x" * 60_000 + "</body></message>"
    account = "alice@example.test/phone"
    lines = [{"rollcall-capture": 1, "account": account}, {"t": 1763600000000, "stream": "opened", "jid": account}]
    lines += [{"t": 1763600001000 + number, "dir": "in", "xml": stanza} for number in range(200)]
    capture = pathlib.Path(folder.name) / "big.jsonl"
    capture.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return (capture,)


def cards(folder):
    """A friend whose card is asked for, and who then announces another picture than the card has."""
    account, bob = "alice@example.test/phone", "bob@example.test"
    stanzas = [
        ("out", "<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>"),
        ("in", f"<iq type='result' id='r' to='{account}'><query xmlns='jabber:iq:roster'>"
               f"<item jid='{bob}' name='Bob' subscription='both'/></query></iq>"),
        ("out", f"<iq type='get' id='c' to='{bob}'><vCard xmlns='vcard-temp'/></iq>"),
        ("in", f"<iq type='result' id='c' from='{bob}' to='{account}'><vCard xmlns='vcard-temp'><FN>Robert</FN>"
               "<PHOTO><TYPE>image/png</TYPE><BINVAL>Zm9v</BINVAL></PHOTO></vCard></iq>"),
        ("in", f"<presence from='{bob}/home' to='{account}'><x xmlns='vcard-temp:x:update'>"
               "<photo>62cdb7020ff920e5aa642c3d4066950dd1f01f4d</photo></x></presence>"),
    ]
    return (written(folder / "cards.jsonl", account, stanzas),)


def written(capture, account, stanzas):
    """A capture with these stanzas, each a direction and its XML."""
    lines = [{"rollcall-capture": 1, "account": account}, {"t": 1763600000000, "stream": "opened", "jid": account}]
    lines += [{"t": 1763600001000 + 700 * index, "dir": way, "xml": xml} for index, (way, xml) in enumerate(stanzas)]
    capture.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return capture


class GrowingLog:
    """A log to which each `grow()` appends one record: a bookmark."""

    def __init__(self, rollcall, path):
        self.rollcall, self.path, self.marks = rollcall, path, 0

    def run(self, *arguments):
        return subprocess.run([self.rollcall, *map(str, arguments)], check=True, capture_output=True, text=True)

    @property
    def head(self):
        return len(self.run("log", self.path, "--jsonl").stdout.splitlines())

    def replace(self, capture):
        """Moves the log of another capture to the place of this one."""
        other = self.path.with_name("other.rollcall")
        self.run("import", captures(capture) / "capture.log", "-o", other)
        other.replace(self.path)

    def grow(self):
        self.marks += 1
        self.run("bookmark", self.path, f"mark{self.marks}", 1)


@contextlib.contextmanager
def growing(program, folder):
    """A log of a session, or None without the program rollcall, which writes it."""
    rollcall = next((found for found in (program.with_name("rollcall"), ROOT / ".build" / "debug" / "rollcall") if found.exists()), None)
    if rollcall is None:
        print("left out, because rollcall is not built: a log that grows")
        yield None
        return
    with tempfile.TemporaryDirectory(dir=folder.name) as inside:
        log = GrowingLog(rollcall, pathlib.Path(inside) / "growing.rollcall")
        log.run("import", captures("raw-pending-both") / "capture.log", "-o", log.path)
        yield log


def hostile(folder):
    """A capture with a roster, groups, presence and requests whose texts try to be more than texts."""
    account = "alice@example.test/phone"
    items = "".join(
        f"<item jid='u{number}@friends.example' name={quoteattr(name)} subscription='both'>"
        f"<group>{escaped(name[:1000])}</group></item>"
        for number, name in enumerate(HOSTILE)
    )
    stanzas = [
        ("out", "<iq type='get' id='r1'><query xmlns='jabber:iq:roster'/></iq>"),
        ("in", f"<iq type='result' id='r1' to='{account}'><query xmlns='jabber:iq:roster'>{items}</query></iq>"),
    ]
    for number, name in enumerate(HOSTILE):
        stanzas.append(
            ("in", f"<presence from='u{number}@friends.example/x' to='{account}'><status>{escaped(name)}</status></presence>")
        )
        stanzas.append(
            ("in", f"<presence from='a{number}@else.example' to='alice@example.test' type='subscribe'><status>{escaped(name)}</status>"
                   f"<nick xmlns='http://jabber.org/protocol/nick'>{escaped(name)}</nick></presence>")
        )
    stanzas.append(
        ("in", f"<iq type='set' id='p' to='{account}' from='mallory@else.example/x'><query xmlns='jabber:iq:roster'>"
               f"<item jid='m@else.example' name={quoteattr(HOSTILE[0])} subscription='both'/></query></iq>")
    )
    return (written(folder / "hostile.jsonl", account, stanzas),)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def program():
    """Where rollcall-inspect is, built if necessary."""
    built = subprocess.run([ROOT / "tools" / "build", "--inspect"], stdout=subprocess.PIPE, text=True, check=True)
    return pathlib.Path(built.stdout.strip()).with_name("rollcall-inspect")


def folder():
    return tempfile.TemporaryDirectory(prefix="rollcall-pages-")
