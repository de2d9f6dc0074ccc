-- Runs the module for Prosody without a server, with Prosody's own libraries:
--   lua prosody.lua MODULE SPOOL roster|all elements FILE   writes each line of FILE, an element
--   lua prosody.lua MODULE SPOOL roster unusual             delivers what only a server makes: presence
--       without an address, and a number as an attribute
--   lua prosody.lua MODULE SPOOL roster rosters COUNT       prints how many rosters each tick writes
-- It ends with 1 if the module reported an error.

package.path = "/usr/lib/prosody/?.lua;" .. package.path;
package.cpath = "/usr/lib/prosody/?.so;" .. package.cpath;
local module_path, spool, what, mode, argument = table.unpack(arg);
local st = require "util.stanza";

local clock, watch, tick, hooks, filters, errors = 0, nil, nil, {}, {}, 0;
local accounts = mode == "rosters" and tonumber(argument) or 0;

package.loaded["util.filters"] = {
  add_filter_hook = function (added) watch = added; end;
  add_filter = function (_, kind, filter) filters[kind] = filter; end;
};
package.loaded["util.timer"] = { add_task = function (_, task) tick = task; end };
package.loaded["util.time"] = { now = os.time, monotonic = function () return clock; end };
package.loaded["core.rostermanager"] = {
  load_roster = function ()
    clock = clock + 0.001; -- a store that takes a millisecond
    return { [false] = { pending = {} } };
  end;
};
package.loaded["core.usermanager"] = {
  user_exists = function () return true; end;
  users = function ()
    local last = 0;
    return function ()
      last = last + 1;
      return last <= accounts and "user" .. last or nil;
    end
  end;
};

_G.prosody = {
  paths = { data = spool }, version = "probe", full_sessions = {}, bare_sessions = {},
  hosts = { ["example.test"] = { type = "local" } },
};
local options = { rollcall_tap_folder = spool, rollcall_tap_what = what };
_G.module = {
  host = "example.test";
  set_global = function () end;
  get_option_string = function (_, name, default) return options[name] or default; end;
  get_option_number = function (_, _, default) return default; end;
  hook = function (_, event, work) hooks[event] = work; end;
  hook_global = function () end;
  log = function (_, _, ...)
    errors = errors + 1;
    io.stderr:write(string.format(...), "\n");
  end;
};
dofile(module_path);
module.add_host(module);

if mode == "elements" then
  local session = {
    type = "c2s", username = "alice", host = "example.test", full_jid = "alice@example.test/pc", filters = {},
  };
  watch(session);
  for line in io.lines(argument) do
    filters["stanzas/in"](require "util.xml".parse(line), session);
  end
elseif mode == "unusual" then
  local session = {
    type = "c2s", username = "alice", host = "example.test", full_jid = "alice@example.test/pc", filters = {},
  };
  watch(session);
  local roster = st.iq { type = "result", id = "r" }:query("jabber:iq:roster");
  roster.tags[1].attr.ver = 7;
  filters["stanzas/out"](roster, session);
  hooks["presence/bare"] { stanza = st.presence { type = "subscribe" } };
  hooks["presence/bare"] { stanza = st.presence { type = "subscribe", to = "example.test" } };
else
  repeat
    local before = clock;
    tick();
    local written = math.floor((clock - before) * 1000 + 0.5);
    if written > 0 then print(written); end
  until written == 0;
end
tick();
os.exit(errors == 0 and 0 or 1);
