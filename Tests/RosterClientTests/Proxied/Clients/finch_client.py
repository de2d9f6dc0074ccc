"""A Finch session: logs in, fetches, adds, chats, is cut off, returns, says so, and leaves.

Finch runs in a pseudoterminal of this program, which controls it over D-Bus: the only alternative
would be its keyboard interface. Needs a D-Bus session of its own: dbus-run-session."""

import os
import pty
import re
import subprocess
import sys
import threading
import time
from xml.sax.saxutils import escape

account, password, host, port, authority, friend, log = sys.argv[1:]
folder = os.path.join(os.path.dirname(log), "purple")


def write(name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def certificate():
    """The server's certificate; libpurple trusts one file per server instead of a file of roots."""
    session = subprocess.run(
        ["openssl", "s_client", "-connect", f"{host}:{port}", "-starttls", "xmpp",
         "-xmpphost", account.split("@")[1], "-CAfile", authority, "-verify_return_error"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return re.search("-----BEGIN.*?END CERTIFICATE-----\n", session.stdout, re.S)[0]


def begin():
    write(f"certificates/x509/tls_peers/{host}", certificate())
    write("accounts.xml", f"""<?xml version='1.0' encoding='UTF-8' ?>
<account version='1.0'><account>
<protocol>prpl-jabber</protocol>
<name>{escape(account)}/finch</name>
<password>{escape(password)}</password>
<settings>
<setting name='connect_server' type='string'>{host}</setting>
<setting name='port' type='int'>{port}</setting>
<setting name='connection_security' type='string'>require_tls</setting>
</settings>
<settings ui='gnt-purple'><setting name='auto-login' type='bool'>1</setting></settings>
</account></account>
""")
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        errors = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(errors, 2)
        os.execvp("finch", ["finch", "-d", "-c", folder])
    threading.Thread(target=drain, args=(terminal,), daemon=True).start()
    return pid


def drain(terminal):
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass


def ask(method, *arguments):
    """Calls a function of libpurple; returns None while Finch does not answer."""
    words = [str(word) if isinstance(word, int) else repr(word) for word in arguments]
    call = subprocess.run(
        ["gdbus", "call", "--session", "--dest", "im.pidgin.purple.PurpleService",
         "--object-path", "/im/pidgin/purple/PurpleObject",
         "--method", "im.pidgin.purple.PurpleInterface." + method, "--", *words],
        capture_output=True, text=True)
    found = re.search(r"-?\d+", call.stdout)
    return int(found[0]) if call.returncode == 0 and found else None


def wait(is_so):
    for _ in range(3000):
        value = is_so()
        if value:
            return value
        time.sleep(0.02)
    sys.exit("finch does not do it")


def say(text):
    conversation = ask("PurpleConversationNew", 1, me, friend)
    ask("PurpleConvImSend", ask("PurpleConversationGetImData", conversation), text)


def is_there():
    return ask("PurpleAccountIsConnected", me)


finch = begin()
me = wait(lambda: ask("PurpleAccountsGetAllActive"))
wait(is_there)
group = ask("PurpleGroupNew", "Friends")
ask("PurpleBlistAddGroup", group, 0)
buddy = ask("PurpleBuddyNew", me, friend, "Frieda")
ask("PurpleBlistAddBuddy", buddy, 0, group, 0)
ask("PurpleAccountAddBuddy", me, buddy)
say("hello")
wait(lambda: not is_there())
# On its own it would reconnect only after about ten seconds.
ask("PurpleAccountConnect", me)
wait(is_there)
say("back")
ask("PurpleAccountDisconnect", me)
wait(lambda: not is_there())
os.kill(finch, 9)
