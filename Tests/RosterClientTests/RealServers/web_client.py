"""A client without stanzas of its own: logs in over WebSocket (RFC 7395) or BOSH (XEP-0124, XEP-0206),
fetches the roster, adds a contact, asks for its presence, sends a message and closes the stream.

web_client.py ws|bosh PORT DOMAIN USER PASSWORD CONTACT
"""

import base64
import http.client
import os
import re
import socket
import struct
import sys

KIND, PORT, DOMAIN, USER, PASSWORD, CONTACT = sys.argv[1:]
FRAMING = "urn:ietf:params:xml:ns:xmpp-framing"
BODY = "http://jabber.org/protocol/httpbind"


class WebSocket:
    """Each text frame is an element."""

    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", int(PORT)), 60)
        self.stream = self.socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        path = "/xmpp-websocket"
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {DOMAIN}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: xmpp\r\n\r\n".encode()
        )
        status = self.stream.readline()
        if b" 101 " not in status:
            raise SystemExit(f"no WebSocket: {status}")
        while self.stream.readline() != b"\r\n":
            pass

    def open(self):
        self.send(f"<open xmlns='{FRAMING}' to='{DOMAIN}' version='1.0'/>")

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = bytes([128 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
        self.socket.sendall(b"\x81" + size + mask + masked)

    def receive(self):
        """The text of the next frame."""
        kind, size = self.stream.read(2)
        if size == 126:
            size = struct.unpack(">H", self.stream.read(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.stream.read(8))[0]
        data = self.stream.read(size)
        if kind & 15 == 9:  # a ping
            return ""
        return data.decode()

    def close(self):
        self.send(f"<close xmlns='{FRAMING}'/>")
        while "<close" not in self.receive():
            pass
        self.socket.close()


class BOSH:
    """Each element is the content of a request, and the answer has what the server sends."""

    def __init__(self):
        self.number, self.session, self.waiting = 1000, "", ""

    def request(self, attributes, content=""):
        self.number += 1
        session = f"sid='{self.session}'" if self.session else f"to='{DOMAIN}' hold='1' wait='2'"
        body = (
            f"<body xmlns='{BODY}' xmlns:xmpp='urn:xmpp:xbosh' rid='{self.number}' {session} {attributes}>"
            f"{content}</body>"
        )
        connection = http.client.HTTPConnection("127.0.0.1", int(PORT), timeout=60)
        headers = {"Content-Type": "text/xml; charset=utf-8", "Host": DOMAIN}
        connection.request("POST", "/http-bind", body.encode(), headers)
        answer = connection.getresponse().read().decode()
        connection.close()
        self.session = self.session or re.search("sid=['\"]([^'\"]+)", answer)[1]
        self.waiting += answer

    def open(self):
        restart = "xmpp:restart='true'" if self.session else "xmpp:version='1.0' ver='1.6'"
        self.request(restart)

    def send(self, text):
        self.request("", text)

    def receive(self):
        if not self.waiting:
            self.request("")
        text, self.waiting = self.waiting, ""
        return text

    def close(self):
        self.request("type='terminate'", "<presence xmlns='jabber:client' type='unavailable'/>")


def main():
    client = WebSocket() if KIND == "ws" else BOSH()

    def await_text(*words):
        text = ""
        while not all(word in text for word in words):
            text += client.receive()
            if "<failure" in text or "terminate" in text:
                raise SystemExit(text)

    client.open()
    await_text("features", "PLAIN")
    secret = base64.b64encode(f"\0{USER}\0{PASSWORD}".encode()).decode()
    client.send(f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{secret}</auth>")
    await_text("<success")
    client.open()
    await_text("features", "bind")

    def ask(number, kind, content):
        client.send(f"<iq xmlns='jabber:client' type='{kind}' id='w{number}'>{content}</iq>")
        await_text(f"w{number}", "result")

    ask(
        1, "set",
        "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>web</resource></bind>",
    )
    ask(2, "get", "<query xmlns='jabber:iq:roster'/>")
    client.send("<presence xmlns='jabber:client'/>")
    ask(3, "set", f"<query xmlns='jabber:iq:roster'><item jid='{CONTACT}' name='Web'/></query>")
    client.send(f"<presence xmlns='jabber:client' type='subscribe' to='{CONTACT}'/>")
    await_text("ask=")
    client.send(
        f"<message xmlns='jabber:client' type='chat' to='{CONTACT}'><body>said over {KIND}</body></message>"
    )
    ask(4, "get", "<ping xmlns='urn:xmpp:ping'/>")
    client.close()


main()
