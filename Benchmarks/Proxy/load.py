"""A server and its clients, to put a recording proxy between them: how much memory idle connections
take, how many stanzas a second are passed on, and how much later each of them arrives.

The server lets everybody in at once, so that the proxy alone is measured. Times are those of one
machine: the proxy, the server and the clients share its processors.
"""

import argparse
import asyncio
import os
import re
import signal
import ssl
import statistics
import subprocess
import sys
import tempfile
import time

DOMAIN = "load.test"
HEADER = (
    "<?xml version='1.0'?><stream:stream {} version='1.0' xmlns='jabber:client' "
    "xmlns:stream='http://etherx.jabber.org/streams'>"
)
SASL = "urn:ietf:params:xml:ns:xmpp-sasl"
BIND = "urn:ietf:params:xml:ns:xmpp-bind"


def certificates(folder):
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", "/CN=Load", "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
            "/CN=" + DOMAIN, "-keyout", "server.key", "-out", "request.pem")
    with open(os.path.join(folder, "names"), "w") as file:
        file.write(f"subjectAltName=DNS:{DOMAIN}\n")
    openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "server.pem")


class Server:
    """Lets everybody in, and notes when each message arrives, by the time that it was sent."""

    def __init__(self, folder):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(f"{folder}/server.pem", f"{folder}/server.key")
        self.context.set_alpn_protocols(["xmpp-client"])
        self.arrived = 0
        self.delays = []

    async def start(self):
        self.server = await asyncio.start_server(
            self.serve, "127.0.0.1", 0, ssl=self.context, limit=1 << 20, backlog=1024)
        return self.server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        try:
            user = await self.log_in(reader, writer)
            await self.listen(reader, writer, user)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # Gone, as clients go.
            pass
        finally:
            writer.close()

    async def log_in(self, reader, writer):
        def say(text):
            writer.write(text.encode())

        await reader.readuntil(b"version='1.0' xmlns='jabber:client' "
                               b"xmlns:stream='http://etherx.jabber.org/streams'>")
        say(HEADER.format(f"from='{DOMAIN}' id='1'")
            + f"<stream:features><mechanisms xmlns='{SASL}'><mechanism>EXTERNAL</mechanism>"
            "</mechanisms></stream:features>")
        user = (await reader.readuntil(b"</auth>")).split(b">")[1].split(b"<")[0].decode()
        say(f"<success xmlns='{SASL}'/>")
        await reader.readuntil(b"streams'>")
        say(HEADER.format(f"from='{DOMAIN}' id='2'")
            + f"<stream:features><bind xmlns='{BIND}'/></stream:features>")
        request = (await reader.readuntil(b"</iq>")).decode()
        resource = re.search("<resource>(.*)</resource>", request)[1]
        say(f"<iq type='result' id='bind'><bind xmlns='{BIND}'><jid>{user}@{DOMAIN}/{resource}"
            "</jid></bind></iq>")
        return user

    async def listen(self, reader, writer, user):
        rest = b""
        while True:
            news = await reader.read(1 << 16)
            if not news:
                return
            now = time.perf_counter_ns()
            *whole, rest = (rest + news).split(b"</message>")
            for message in whole:
                self.arrived += 1
                at = message.find(b"id='")
                self.delays.append(now - int(message[at + 4:message.index(b"'", at + 4)]))


class Client:
    def __init__(self, context, port, user, resource):
        self.context, self.port, self.user, self.resource = context, port, user, resource

    async def connect(self):
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=self.context, server_hostname=DOMAIN)
        self.say(HEADER.format(f"to='{DOMAIN}'"))
        await self.reader.readuntil(b"</stream:features>")
        self.say(f"<auth xmlns='{SASL}' mechanism='EXTERNAL'>{self.user}</auth>")
        await self.reader.readuntil(b"/>")
        self.say(HEADER.format(f"to='{DOMAIN}'"))
        await self.reader.readuntil(b"</stream:features>")
        self.say(f"<iq type='set' id='bind'><bind xmlns='{BIND}'><resource>{self.resource}"
                 "</resource></bind></iq>")
        await self.reader.readuntil(b"</iq>")

    def say(self, text):
        self.writer.write(text.encode())

    def close(self):
        self.writer.close()


def message():
    return (f"<message to='friend@{DOMAIN}' type='chat' id='{time.perf_counter_ns()}'><body>"
            + "What one person says to another is about so long, now and then a bit longer."
            + "</body><active xmlns='http://jabber.org/protocol/chatstates'/></message>")


def resident(process):
    with open(f"/proc/{process}/status") as file:
        for line in file:
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024


async def connected(context, port, count, accounts):
    clients = [
        Client(context, port, f"user{number % accounts}", f"r{number}")
        for number in range(count)
    ]
    for first in range(0, count, 20):
        await asyncio.gather(*(client.connect() for client in clients[first:first + 20]))
    return clients


async def idle(options, server, context, port, proxy):
    before = resident(proxy)
    began = time.perf_counter()
    clients = await connected(context, port, options.connections, options.accounts)
    took = time.perf_counter() - began
    at_once = resident(proxy)
    await asyncio.sleep(options.settle)
    after = resident(proxy)
    print(f"{options.connections} idle connections of {options.accounts} accounts: {after:.0f} MB "
          f"after {options.settle:g} s, {at_once:.0f} MB at once, {before:.0f} MB without; "
          f"connected in {took:.1f} s")
    return clients


async def load(options, server, clients, proxy, name):
    """Each client says its share, in steps of a few milliseconds."""
    server.arrived, server.delays = 0, []
    step = 0.002
    due, sent, turn = 0.0, 0, 0
    used = cpu(proxy) if proxy else 0
    began = time.perf_counter()
    while (now := time.perf_counter() - began) < options.seconds:
        due = now * options.rate
        while sent < due:
            clients[turn % len(clients)].say(message())
            turn, sent = turn + 1, sent + 1
        await asyncio.sleep(step)
    looks = 0
    while server.arrived < sent and looks < 1000:
        looks += 1
        await asyncio.sleep(0.01)
    took = time.perf_counter() - began
    used = (cpu(proxy) - used) / took * 100 if proxy else 0
    delays = sorted(server.delays)
    middle = statistics.median(delays) / 1e6
    print(f"{name}: {server.arrived} of {sent} messages, {server.arrived / took:.0f} a second; "
          f"median {middle:.2f} ms, 99 % within {delays[len(delays) * 99 // 100] / 1e6:.1f} ms"
          + (f"; {used:.0f} % of a processor, {resident(proxy):.0f} MB" if proxy else ""))
    return middle


def cpu(process):
    with open(f"/proc/{process}/stat") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


async def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="rollcall-live, in its release build")
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--accounts", type=int, default=1000)
    parser.add_argument("--settle", type=float, default=5)
    parser.add_argument("--rate", type=float, default=5000, help="stanzas a second; 0 for none")
    parser.add_argument("--busy", type=int, default=10, help="how many clients say them")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--durable", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("LOAD_FOLDER")) as folder:
        certificates(folder)
        await measure(options, folder)


async def measure(options, folder):
    server = Server(folder)
    upstream = await server.start()
    authority = f"{folder}/authority"
    subprocess.run([options.program, "record", "--make-authority", "--authority", authority],
                   check=True, capture_output=True)
    proxy = subprocess.Popen(
        [options.program, "record", "--listen", "127.0.0.1:0", "--upstream",
         f"127.0.0.1:{upstream}", "--upstream-authority", f"{folder}/ca.pem", "--authority",
         authority, "-o", f"{folder}/logs"] + (["--durable"] if options.durable else []),
        stdout=subprocess.PIPE, text=True)
    try:
        port = int(proxy.stdout.readline().rsplit(":", 1)[1])
        lines = asyncio.get_running_loop().run_in_executor(None, proxy.stdout.read)
        trusting = ssl.create_default_context(cafile=f"{authority}/authority.pem")
        clients = []
        if options.connections:
            clients = await idle(options, server, trusting, port, proxy.pid)
        if options.rate:
            direct = ssl.create_default_context(cafile=f"{folder}/ca.pem")
            busy = await connected(direct, upstream, options.busy, options.busy)
            without = await load(options, server, busy, None, "without the proxy")
            busy = await connected(trusting, port, options.busy, options.busy)
            middle = await load(options, server, busy, proxy.pid, "through it")
            print(f"added at the median: {middle - without:.2f} ms")
        proxy.send_signal(signal.SIGTERM)
        print("the proxy says at its end: " + (await lines).strip().splitlines()[-1])
        for client in clients:
            client.close()
    finally:
        proxy.kill()
        proxy.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
