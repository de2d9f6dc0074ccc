-- Rollcall's tap for Prosody 0.12: writes what the clients of this server send and receive, and the
-- rosters that the server stores, as JSON Lines into a folder that only Prosody's user can read.
-- To install it:
--   rollcall fleet tap prosody > /usr/local/lib/prosody/modules/mod_rollcall_tap.lua
--   prosody.cfg.lua: add that folder to plugin_paths, and "rollcall_tap" to the global modules_enabled
--   prosodyctl restart; then: rollcall import /var/lib/prosody/rollcall_tap --account JID -o LOG
-- Options: rollcall_tap_folder; rollcall_tap_what = "roster" (the default: presence with its status
-- texts, and queries about rosters, sessions and blocking, but no messages) or "all"; rollcall_tap_limit,
-- in MB: with so much in the folder nothing is written until files are moved away, and a "gap" counts
-- what is missing. Passwords, tokens and keys are not written in either case.

module:set_global();

local filters, timer, st = require "util.filters", require "util.timer", require "util.stanza";
local pposix, lfs, time = require "util.pposix", require "lfs", require "util.time";
local sha256 = require "util.hashes".sha256;
local rostermanager, usermanager = require "core.rostermanager", require "core.usermanager";

local folder = module:get_option_string("rollcall_tap_folder", prosody.paths.data .. "/rollcall_tap");
local what = module:get_option_string("rollcall_tap_what", "roster");
local limit = module:get_option_number("rollcall_tap_limit", 4096) * 2^20;
local segment_size, tick, slice, most_lines = 64 * 2^20, 0.05, 0.005, 500;
local boot = require "util.hex".to(require "util.random".bytes(4));

-- Nothing that goes wrong here reaches the server: it is logged, and counted as a gap.
local is_active, gap = true, 0;
local function guarded(work)
  return function (...)
    if not is_active then return; end
    local ok, problem = pcall(work, ...);
    if ok then return; end
    gap = gap + 1;
    module:log("error", "%s", problem);
  end
end

-- The spool. Lines wait in `buffer` for at most one tick.

local buffer, written, is_failing = {}, 0, false;
local file, path, inode, size, segment, spooled = nil, nil, nil, 0, 0, 0;

local function survey() -- the bytes in the folder, and the last segment of any boot
  local bytes, last = 0, 0;
  for name in lfs.dir(folder) do
    local number = name:match("^%w+%-(%d+)%.jsonl$");
    if number then
      last = math.max(last, tonumber(number));
      bytes = bytes + (lfs.attributes(folder .. "/" .. name, "size") or 0);
    end
  end
  return bytes, last;
end

local function append(text)
  if file:write(text) and file:flush() then
    size, spooled = size + #text, spooled + #text;
    return;
  end
  file:close(); -- part of a line may have been written: what follows goes into another segment
  file = nil;
  if size == 0 then os.remove(path); end
  error("the spool cannot be written", 0);
end

local function privately(work, ...)
  local mask = pposix.umask("077");
  local result = work(...);
  pposix.umask(mask);
  return result;
end

local function open_segment()
  if file then file:close(); end
  file = nil; -- also if what follows fails
  privately(lfs.mkdir, folder);
  local bytes, last = survey();
  segment = math.max(segment, last) + 1;
  path = ("%s/%s-%06d.jsonl"):format(folder, boot, segment);
  file = privately(io.open, path, "a");
  inode, size, spooled = lfs.attributes(path, "ino"), 0, bytes;
  append(('{"rollcall-tap":1,"boot":"%s","segment":%d,"server":"Prosody %s"}\n')
    :format(boot, segment, prosody.version));
end

local function flush()
  if not buffer[1] and gap == 0 then return; end
  -- What is written to a deleted file is lost without an error.
  if not file or size >= segment_size or lfs.attributes(path, "ino") ~= inode then open_segment(); end
  if spooled >= limit then error("the spool has reached rollcall_tap_limit", 0); end
  if gap > 0 then table.insert(buffer, 1, ('{"t":%.0f,"gap":%d}\n'):format(time.now() * 1000, gap)); end
  append(table.concat(buffer));
  written, buffer, gap = written + #buffer, {}, 0;
end

local function flush_safely()
  local lines = #buffer;
  local ok, problem = pcall(flush);
  if not ok then
    if not is_failing then module:log("error", "lines are being lost: %s", problem); end
    gap, buffer = gap + lines, {};
  end
  is_failing = not ok;
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" };
local function quoted(text)
  return '"' .. tostring(text):gsub('[%c"\\]', function (character)
    return escapes[character] or ("\\u%04x"):format(character:byte());
  end) .. '"';
end

local function write(members, ...)
  buffer[#buffer + 1] = ('{"t":%.0f,' .. members .. "}\n"):format(time.now() * 1000, ...);
  if #buffer >= most_lines then flush_safely(); end
end

-- Secrets, which are looked for at any depth. One leaves Rollcall's mark. The id with which a session
-- can be resumed leaves a digest, which is equal for equal ids.

local function set(words)
  local found = {};
  for word in words:gmatch("%S+") do found[word] = true; end
  return found;
end

local removed = "urn:rollcall:removed:0";
local management = set "urn:xmpp:sm:2 urn:xmpp:sm:3";
local secret_spaces = set [[ jabber:iq:register jabber:server:dialback http://jabber.org/protocol/httpbind
  urn:xmpp:extdisco:1 urn:xmpp:extdisco:2 urn:xmpp:http:upload urn:xmpp:http:upload:0
  eu:siacs:conversations:http:upload urn:xmpp:push:0 urn:xmpp:fast:0 https://xmpp.org/extensions/isr/0
  urn:xmpp:scram-upgrade:0 urn:xmpp:oauth:0 http://jabber.org/protocol/muc#owner
  http://jabber.org/protocol/commands ]]; -- passwords, tokens, signed addresses
local confirmation = "http://jabber.org/protocol/http-auth"; -- whose id is repeated in the body
local secret_names = set "pass pwd otp pin handshake keyparams";
local secret_endings = { "passwd", "passphrase", "secret", "token", "secretkey", "privatekey", "privkey",
  "authkey", "apikey", "credential", "credentials" };
local secret_parameters = set "preauth sig signature hmac key xamzsignature xgoogsignature";

local function remembered(work) -- the function with a memory: most names come again
  local results, count = {}, 0;
  return function (text)
    text = text:sub(-64);
    if results[text] == nil then
      if count == 1000 then results, count = {}, 0; end
      results[text], count = work(text) or false, count + 1;
    end
    return results[text];
  end
end

local kind_of_space = remembered(function (space)
  local plain = space:lower();
  if plain:find("sasl", 1, true) or plain:find("auth", 1, true) then return "sasl"; end
  return secret_spaces[space] and space or plain:find("invit", 1, true) and "token";
end);

local kind_of_name = remembered(function (name)
  local plain = name:match("[^:#\1]*$"):gsub("[-_.]", ""):lower();
  local is_secret = secret_names[plain] or plain:find("password", 1, true) or plain:find("landing", 1, true);
  for _, ending in ipairs(secret_endings) do is_secret = is_secret or plain:sub(-#ending) == ending; end
  return is_secret and "password";
end);

local is_parameter = remembered(function (name)
  return kind_of_name(name) or secret_parameters[name:gsub("[-_.]", ""):lower()];
end);

local function kind_of_element(element, space)
  local name, attr = element.name, element.attr;
  if name:find("[iI]nvit") and space ~= "http://jabber.org/protocol/muc#user" then return "token"; end
  if space == "urn:xmpp:esfs:0" and (name == "key" or name == "iv") then return "key"; end
  if name == "field" and (attr.type == "text-private" or kind_of_name(attr.var or "")) then return "password"; end
  for _, child in ipairs(element.tags) do
    if child.attr.xmlns == confirmation then return confirmation; end
  end
  return kind_of_space(space) or kind_of_name(name);
end

local function without_content(element, kind)
  return st.stanza(element.name, { xmlns = element.attr.xmlns })
    :tag("removed", { xmlns = removed, kind = kind }):up();
end

-- A text without the keys, parameters and passwords in its addresses.
local function cleaned_text(text)
  if not text:find("[#=]") and not text:find("://", 1, true) then return text; end
  return (text:gsub('([aA][eE][sS][gG][cC][mM]:[^%c%s"<>#]*#)[^%c%s"<>]+', "%1removed")
    :gsub("(://[^/?#%s:]*:)[^/?#%s]+@", "%1removed@")
    :gsub("([?;&#/]([^?;&#/=%s]+)=)", function (head, name) return is_parameter(name) and head .. "\0"; end)
    :gsub("%z[^&;#\"'<>%s]*", "removed"));
end

local function cleaned_value(key, value, space)
  if management[space] and key == "location" then return nil; end
  if management[space] and (key == "id" or key == "previd") then
    return removed .. "#" .. sha256(value, true):sub(1, 16);
  end
  return kind_of_name(key) and removed or cleaned_text(tostring(value)); -- the server's may be numbers
end

local function cleaned(element, outer)
  local space = element.attr.xmlns or outer or "jabber:client";
  local kind = kind_of_element(element, space);
  if kind then return without_content(element, kind); end
  local copy = st.stanza(element.name);
  for key, value in pairs(element.attr) do copy.attr[key] = cleaned_value(key, value, space); end
  for _, child in ipairs(element) do
    copy:add_direct_child(type(child) == "string" and cleaned_text(child) or cleaned(child, space));
  end
  return copy;
end

local of_roster = set [[ jabber:iq:roster urn:xmpp:blocking urn:xmpp:ping
  urn:ietf:params:xml:ns:xmpp-bind urn:ietf:params:xml:ns:xmpp-session ]];

local function without_query(iq, kind)
  local copy, problem = without_content(iq, kind), iq:get_child("error");
  for _, key in ipairs { "id", "type", "to", "from" } do copy.attr[key] = iq.attr[key]; end
  return problem and copy:add_child(cleaned(problem, iq.attr.xmlns or "jabber:client")) or copy;
end

local function presentable(element)
  local name, space = element.name, element.attr.xmlns or "jabber:client";
  if name == "iq" and space == "jabber:client" then
    for _, child in ipairs(element.tags) do
      local of = child.attr.xmlns or space;
      local is_kept = what == "all" or of_roster[of] or child.name == "error" and of == space;
      if kind_of_space(of) or not is_kept then return without_query(element, of); end
    end
  elseif name == "message" and what ~= "all" then
    return without_content(element, name);
  elseif what ~= "all" and not (name == "presence" and space == "jabber:client") and not management[space]
    and not kind_of_space(space) and not name:find("^stream:") then
    return without_content(element, space);
  end
  return cleaned(element, space);
end

-- Sessions. A session that is resumed takes over the filters of the new connection: they identify a
-- connection, also where a session uses one after another (BOSH).

local numbers, last_number = setmetatable({}, { __mode = "k" }), 0;
local open = setmetatable({}, { __mode = "k" }); -- the connection on which a bound session is
local closed_by_client = setmetatable({}, { __mode = "k" }); -- sessions with the client's end tag

local function account(session) return session.username .. "@" .. session.host; end

local function connection(session)
  local key = session.filters;
  if not numbers[key] then last_number = last_number + 1; end
  numbers[key] = numbers[key] or last_number;
  return numbers[key];
end

local function stream(session, event, key, value)
  local detail = value and (',"%s":%s'):format(key, quoted(value)) or "";
  write('"c":%d,"a":%s,"stream":"%s"%s', open[session], quoted(account(session)), event, detail);
end

local function begins(session, event)
  open[session] = connection(session);
  stream(session, event, "jid", session.full_jid);
end

local function ends(session, event, reason, key)
  if not open[session] then return; end
  stream(session, event, key or "reason", reason);
  open[session] = nil;
end

local function recorder(direction)
  local heads = setmetatable({}, { __mode = "k" }); -- what all lines of a connection begin with
  local function head(session)
    local key = session.filters;
    heads[key] = heads[key] or ('"c":%d,"a":%s,"dir":"%s","xml":%%s'):format(connection(session),
      quoted(account(session)):gsub("%%", "%%%%"), direction);
    return heads[key];
  end
  local record = guarded(function (stanza, session)
    if type(stanza) ~= "table" or not session.username or not session.host then return; end
    if stanza.attr.xmlns == "urn:ietf:params:xml:ns:xmpp-framing" then return; end
    if direction == "in" and stanza.name == "resumed" and management[stanza.attr.xmlns] then
      ends(session, "lost"); -- the server may not have noticed that the old connection is
      begins(session, "resumed");
    end
    write(head(session), quoted(presentable(stanza)));
  end);
  return function (stanza, session)
    record(stanza, session);
    return stanza;
  end
end

-- The first to see what a client sends, and the last to see what the server sends.
local from_client, to_client = recorder("out"), recorder("in");
local watch = guarded(function (session)
  if not tostring(session.type):match("^c2s") then return; end
  filters.add_filter(session, "stanzas/in", from_client, 10000);
  filters.add_filter(session, "stanzas/out", to_client, -10000);
end);

-- Stored rosters: of every account at the start, and of an account that has no session with a roster
-- when a subscription stanza reaches it. At each tick they are read for the time of a slice.

local hosts_to_list, touched, is_touched = {}, {}, {};

local write_roster = guarded(function (username, host, why)
  local jid = username .. "@" .. host;
  local roster, problem = rostermanager.load_roster(username, host);
  if problem then error(problem, 0); end
  local iq = st.iq({ type = "result", id = "rollcall-tap", to = jid }):query("jabber:iq:roster");
  for contact, item in pairs(roster) do
    if contact then
      iq:tag("item", { jid = contact, name = item.name, subscription = item.subscription, ask = item.ask });
      for group in pairs(item.groups or {}) do iq:text_tag("group", group); end
      iq:up();
    end
  end
  local asked = {};
  for contact in pairs(roster[false].pending or {}) do asked[#asked + 1] = quoted(contact); end
  write('"a":%s,"stored":"%s","xml":%s,"asked":[%s]', quoted(jid), why, quoted(cleaned(iq)),
    table.concat(asked, ","));
end);

local function write_next_roster() -- false if there is none to write
  local names = table.remove(touched);
  if names then
    is_touched[names.jid] = nil;
    write_roster(names.username, names.host, "changed");
  elseif hosts_to_list[1] then
    local username = hosts_to_list[1].next();
    if username then write_roster(username, hosts_to_list[1].name, "all"); end
    if not username then table.remove(hosts_to_list, 1); end
  else
    return false;
  end
  return true;
end

local is_subscription = set "subscribe subscribed unsubscribe unsubscribed";
local function presence_arrived(stanza, host)
  if not is_subscription[stanza.attr.type] then return; end
  local username = (stanza.attr.to or ""):match("^([^@/]+)@");
  if not username then return; end
  local jid = username .. "@" .. host;
  for _, session in pairs(prosody.bare_sessions[jid] and prosody.bare_sessions[jid].sessions or {}) do
    if session.interested then return; end -- it is sent a push
  end
  if is_touched[jid] or not usermanager.user_exists(username, host) then return; end
  is_touched[jid] = true;
  table.insert(touched, { jid = jid, username = username, host = host }); -- written after the change
end

function module.add_host(module)
  if not prosody.hosts[module.host] or prosody.hosts[module.host].type ~= "local" then return; end
  local function on(event, work, priority) module:hook(event, guarded(work), priority); end
  on("resource-bind", function (event) begins(event.session, "opened"); end);
  on("pre-session-close", function (event) closed_by_client[event.session] = event.reason == false; end, 10000);
  on("resource-unbind", function (event)
    if closed_by_client[event.session] or event.session.bosh_terminate then return ends(event.session, "closed", "client", "by"); end
    ends(event.session, "closed", event.error);
  end);
  on("smacks-hibernation-start", function (event) ends(event.origin, "lost"); end);
  on("presence/bare", function (event) presence_arrived(event.stanza, module.host); end, 10000);
  guarded(function ()
    local step, state, last = usermanager.users(module.host);
    table.insert(hosts_to_list, { name = module.host, next = function ()
      local ok, username = pcall(step, state, last);
      last = ok and username or nil;
      return last;
    end });
  end)();
end

local last_beat = 0;
local work = guarded(function ()
  if time.now() - last_beat >= 10 then
    last_beat = time.now();
    write('"alive":%d', written);
    if is_failing then spooled = survey(); end
  end
  local deadline = time.monotonic() + slice;
  repeat until not write_next_roster() or time.monotonic() >= deadline
end);

filters.add_filter_hook(watch);
for _, session in pairs(prosody.full_sessions) do -- those that began before the tap
  watch(session);
  guarded(begins)(session, "opened");
end
timer.add_task(tick, function ()
  if not is_active then return; end
  work();
  flush_safely();
  return tick;
end);
module:hook_global("server-stopped", flush_safely);
function module.unload()
  for session in pairs(open) do guarded(ends)(session, "closed", "the tap was unloaded"); end
  flush_safely();
  is_active = false;
  filters.remove_filter_hook(watch);
end
