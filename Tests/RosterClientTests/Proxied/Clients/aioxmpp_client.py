"""An aioxmpp session: logs in, fetches, adds, chats, is cut off, returns, says so, and leaves."""

import asyncio
import datetime
import logging
import sys

import aioxmpp
import aioxmpp.connector
import aioxmpp.security_layer
import OpenSSL

account, password, host, port, authority, friend, log = sys.argv[1:]
logging.basicConfig(filename=log, level=logging.DEBUG, format="%(asctime)s %(levelname)s:%(name)s: %(message)s")


def trusting():
    context = aioxmpp.security_layer.default_ssl_context()
    context.load_verify_locations(authority)
    return context


def message(text):
    message = aioxmpp.Message(to=aioxmpp.JID.fromstr(friend), type_=aioxmpp.MessageType.CHAT)
    message.body[None] = text
    return message


async def main():
    security = aioxmpp.make_security_layer(password)._replace(ssl_context_factory=trusting)
    client = aioxmpp.PresenceManagedClient(
        aioxmpp.JID.fromstr(account),
        security,
        override_peer=[(host, int(port), aioxmpp.connector.STARTTLSConnector())],
    )
    # Should it miss the end of its connection, it would ask the server after a minute of silence and
    # wait another minute for the answer: longer than the test does.
    client.stream.soft_timeout = client.stream.round_trip_time = datetime.timedelta(seconds=10)
    roster = client.summon(aioxmpp.RosterClient)
    resumed = asyncio.Event()
    client.on_stream_resumed.connect(resumed.set)
    jid = aioxmpp.JID.fromstr(friend)
    async with client.connected():
        await roster.set_entry(jid, name="Fr\u00e9d <&> 曾", add_to_groups={"Work"})
        roster.subscribe(jid)
        await client.send(message("hello"))
        await resumed.wait()
        await roster.set_entry(jid, name="Again", add_to_groups={"家人"})
        await client.send(message("back"))


asyncio.run(main())
