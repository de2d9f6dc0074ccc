"""A slixmpp session: logs in, fetches, adds, chats, is cut off, returns, says so, and leaves."""

import asyncio
import logging
import sys

import slixmpp

account, password, host, port, authority, friend, log = sys.argv[1:]
logging.basicConfig(filename=log, level=logging.DEBUG, format="%(asctime)s %(levelname)-8s %(message)s")


class Client(slixmpp.ClientXMPP):
    def __init__(self):
        super().__init__(account, password)
        self.ca_certs = authority
        self.register_plugin("xep_0198")
        # Answer a subscription request with a request in return.
        self.roster.auto_authorize = True
        self.register_plugin("xep_0199")
        self.add_event_handler("session_start", self.began)
        self.add_event_handler("session_resumed", self.came_back)
        self.add_event_handler("disconnected", self.lost)
        self.is_first = True
        self.is_leaving = False

    async def began(self, _):
        await self.get_roster()
        self.send_presence()
        if not self.is_first:
            return await self.came_back(_)
        self.is_first = False
        await self.update_roster(friend, name="Fr\u00e9d <&> 曾", groups=["Work"])
        self.send_presence_subscription(pto=friend)
        self.send_message(mto=friend, mbody="hello", mtype="chat")

    async def came_back(self, _):
        await self.update_roster(friend, name="Again", groups=["Work", "家人"])
        self.send_message(mto=friend, mbody="back", mtype="chat")
        await self.plugin["xep_0199"].send_ping(self.boundjid.host)
        self.is_leaving = True
        await self.disconnect()

    def lost(self, _):
        if self.is_leaving:
            asyncio.get_event_loop().stop()
        else:
            self.connect((host, int(port)))


client = Client()
client.connect((host, int(port)))
asyncio.get_event_loop().run_forever()
