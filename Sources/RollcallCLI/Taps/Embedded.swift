// swift-format-ignore-file
// Written by tools/embed from the modules next to it. Do not edit.


/// mod_rollcall_tap.erl
let embeddedEjabberdTap: StaticString = #"""
%% Rollcall's tap for ejabberd 23.01: writes what the clients of this server send and receive, and
%% the rosters that it stores, as JSON Lines into a folder that only ejabberd's user can read.
%% To install it:
%%   rollcall fleet tap ejabberd > mod_rollcall_tap.erl && erlc mod_rollcall_tap.erl
%%   ejabberdctl.cfg: ERL_OPTIONS="-pa THAT_FOLDER"; ejabberd.yml, modules: mod_rollcall_tap: {}
%%   restart it; then: rollcall import /var/lib/ejabberd/rollcall_tap --account JID -o LOG
%% Options: what, of each host: roster (the default: presence with its status texts, and queries about
%% rosters, sessions and blocking, but no messages) or all; folder and limit, of the first host that
%% begins: with so many MB in the folder nothing is written until files are moved away, and a "gap"
%% counts what is missing. Passwords, tokens and keys are not written in either case.
-module(mod_rollcall_tap).
-behaviour(gen_mod).
-behaviour(gen_server).

-export([start/2, stop/1, reload/3, depends/2, mod_options/1, mod_opt_type/1, mod_doc/0]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, terminate/2]).
-export([opened/1, lost/1, closed/2, from_client/3, to_client/3, subscription_arrived/2]).

%% As in p1_xml's fxml.hrl and in mod_roster.hrl, whose places differ between packages.
-record(xmlel, {name, attrs = [], children = []}).
-record(roster, {usj, us, jid, name, subscription, ask, groups, askmessage, xs}).
-record(spool, {folder, limit, file, path, inode, segment = 0, size = 0, spooled = 0,
                lines = [], count = 0, bytes = 0, written = 0, is_failing = false}).

-define(ROSTERS, mod_rollcall_tap_rosters).
-define(SEGMENT_SIZE, 64 bsl 20).
-define(MANY_LINES, 500).
-define(MOST_BYTES, 64 bsl 20).
-define(MOST_CHANGES, 10000).
-define(SLICE, 50).
%% The counters of a boot: the last connection; the lines on their way to the spool, and their bytes;
%% the lines that were lost; the changed rosters that wait to be written.
-define(CONNECTION, 1).
-define(LINES, 2).
-define(BYTES, 3).
-define(LOST, 4).
-define(CHANGES, 5).
-define(CLIENT, <<"jabber:client">>).
-define(CONFIRMATION, <<"http://jabber.org/protocol/http-auth">>).
-define(REMOVED, <<"urn:rollcall:removed:0">>).

start(Host, Opts) -> guarded(fun() -> begin_tap(Host, Opts) end), ok.

begin_tap(Host, Opts) ->
    case persistent_term:get(?MODULE, none) of
        none ->
            Boot = string:lowercase(binary:encode_hex(crypto:strong_rand_bytes(4))),
            Settings = #spool{folder = folder(maps:get(folder, Opts, <<>>)),
                              limit = maps:get(limit, Opts, 4096) bsl 20},
            persistent_term:put(?MODULE, {Boot, atomics:new(5, []), Settings, patterns()});
        _ -> ok
    end,
    [ejabberd_hooks:add(Hook, Host, ?MODULE, Function, Priority)
     || {Hook, Function, Priority} <- hooks()],
    send(?MODULE, begun),
    send(?ROSTERS, {list, Host, 60}).

stop(Host) ->
    guarded(fun() ->
        [ejabberd_hooks:delete(Hook, Host, ?MODULE, Function, Priority)
         || {Hook, Function, Priority} <- hooks()],
        gen_server:call(?MODULE, flush)
    end),
    ok.

reload(_Host, _New, _Old) -> ok.
depends(_Host, _Opts) -> [].
mod_options(_Host) -> [{folder, <<>>}, {what, roster}, {limit, 4096}].
mod_opt_type(folder) -> econf:binary();
mod_opt_type(what) -> econf:enum([roster, all]);
mod_opt_type(limit) -> econf:pos_int().
mod_doc() -> #{desc => <<"Writes what clients send and receive for Rollcall.">>}.

folder(<<>>) -> filename:join(mnesia:system_info(directory), "rollcall_tap");
folder(Folder) -> Folder.

%% Before mod_stream_mgmt (50), which answers at once, and after mod_roster (50), which stores.
hooks() ->
    [{c2s_session_opened, opened, 1}, {c2s_session_pending, lost, 1}, {c2s_terminated, closed, 1},
     {c2s_handle_recv, from_client, 1}, {c2s_handle_send, to_client, 1},
     {roster_in_subscription, subscription_arrived, 99}].

%% Nothing that goes wrong here reaches the server: it is logged, and counted as a gap.
guarded(Work) -> guarded(Work, ok).
guarded(Work, Otherwise) ->
    try Work()
    catch Class:Reason:Stack ->
        catch count(?LOST, 1),
        catch logger:error("rollcall_tap: ~p:~p ~p", [Class, Reason, Stack]),
        Otherwise
    end.

count(Counter, Number) ->
    {_, Counters, _, _} = persistent_term:get(?MODULE),
    atomics:add_get(Counters, Counter, Number).

reset(Counter) ->
    {_, Counters, _, _} = persistent_term:get(?MODULE),
    atomics:exchange(Counters, Counter, 0).

%% Sessions. The connection's number is in the state of its process.

opened(State) -> begun(State, opened).
lost(State) -> ended(State, lost, []).
closed(State, Reason) ->
    guarded(fun() -> write_last_edit(State) end),
    case maps:get(stop_reason, State, Reason) of
        {stream, reset} -> ended(State, closed, [{by, "client"}]); % with the end tag of its stream
        _ ->
            Why = guarded(fun() -> ejabberd_c2s:format_reason(State, Reason) end, ""),
            ended(State, closed, [{reason, Why}])
    end.

%% What a session changed in its last minute may have been pushed to a connection that was gone.
write_last_edit(#{rollcall_tap_edit := Time, user := User, lserver := Server}) ->
    [roster_changed(User, Server, 1000) || erlang:monotonic_time(second) - Time < 60];
write_last_edit(_State) -> ok.

begun(#{jid := JID} = State, Event) ->
    guarded(fun() ->
        Tapped = stream(numbered(State), Event, [{jid, jid:encode(JID)}]),
        Tapped#{rollcall_tap_open => true}
    end, State).

ended(#{rollcall_tap_open := true} = State, Event, Details) ->
    guarded(fun() -> maps:remove(rollcall_tap_open, stream(State, Event, Details)) end, State);
ended(State, _Event, _Details) -> State.

numbered(#{rollcall_tap := _} = State) -> State;
numbered(State) -> State#{rollcall_tap => count(?CONNECTION, 1)}.

stream(State, Event, Details) ->
    write(State, [{stream, atom_to_list(Event)} | Details]),
    State.

write(#{rollcall_tap := Number, user := User, lserver := Server}, Members) ->
    write([{c, Number}, {a, jid:encode(jid:make(User, Server))} | Members]).

%% Elements.

from_client(State, #xmlel{} = Element, _Decoded) -> record(State, "out", fun() -> Element end);
from_client(State, _Other, _Decoded) -> State.

to_client(State, #xmlel{} = Element, ok) -> record(State, "in", fun() -> Element end);
to_client(State, Packet, ok) -> record(State, "in", fun() -> xmpp:encode(Packet, ?CLIENT) end);
to_client(State, _Packet, _Failure) -> State.

record(#{user := User, lserver := Server} = State, Direction, Encode) when User =/= <<>> ->
    guarded(fun() ->
        Element = Encode(),
        Tapped = announced(State, Element),
        Presentable = presentable(Element, gen_mod:get_module_opt(Server, ?MODULE, what)),
        write(Tapped, [{dir, Direction}, {xml, fxml:element_to_binary(Presentable)}]),
        case Direction =:= "out" andalso is_edit(Element) of
            true -> Tapped#{rollcall_tap_edit => erlang:monotonic_time(second)};
            false -> Tapped
        end
    end, State);
record(State, _Direction, _Encode) -> State.

is_edit(#xmlel{name = <<"iq">>, children = Children} = IQ) ->
    value(<<"type">>, IQ) =:= <<"set">> andalso
        lists:any(fun(#xmlel{} = Child) -> value(<<"xmlns">>, Child) =:= <<"jabber:iq:roster">>;
                     (_Text) -> false end, Children);
is_edit(#xmlel{name = <<"presence">>} = Presence) ->
    lists:member(value(<<"type">>, Presence), [<<"subscribe">>, <<"subscribed">>, <<"unsubscribe">>,
                                               <<"unsubscribed">>]);
is_edit(_Element) -> false.

value(Key, #xmlel{attrs = Attrs}) -> proplists:get_value(Key, Attrs, <<>>).

%% The state after the line that has to come before an element.
announced(#{rollcall_tap_open := true} = State, _Element) -> State;
announced(#{jid := _} = State, #xmlel{name = <<"resumed">>}) -> begun(State, resumed);
announced(#{jid := _, resource := Resource} = State, _Element)
  when Resource =/= <<>>, not is_map_key(rollcall_tap, State) ->
    begun(State, opened); % it began before the tap did
announced(State, _Element) -> numbered(State).

%% What is written of an element.

presentable(#xmlel{name = Name, children = Children} = Element, What) ->
    Space = space(Element, ?CLIENT),
    IsKnown = Name =:= <<"presence">> andalso Space =:= ?CLIENT orelse is_of_stream(Name)
        orelse is_management(Space) orelse secret_space(Space) =/= none,
    if Name =:= <<"iq">>, Space =:= ?CLIENT ->
            Spaces = [space(Child, Space) || #xmlel{} = Child <- Children, not is_error(Child)],
            case [Other || Other <- Spaces, secret_space(Other) =/= none
                                            orelse What =/= all andalso not is_of_roster(Other)] of
                [] -> cleaned(Element, Space);
                [Other | _] -> without_query(Element, Other)
            end;
       Name =:= <<"message">>, What =/= all -> without_content(Element, Name);
       What =:= all; IsKnown -> cleaned(Element, Space);
       true -> without_content(Element, Space)
    end.

is_of_stream(<<"stream:", _/binary>>) -> true;
is_of_stream(_Name) -> false.

is_error(#xmlel{name = Name} = Child) ->
    Name =:= <<"error">> andalso space(Child, ?CLIENT) =:= ?CLIENT.

is_of_roster(Space) ->
    lists:member(Space, [<<"jabber:iq:roster">>, <<"urn:xmpp:blocking">>, <<"urn:xmpp:ping">>,
                         <<"urn:ietf:params:xml:ns:xmpp-bind">>, <<"urn:ietf:params:xml:ns:xmpp-session">>]).

is_management(Space) -> Space =:= <<"urn:xmpp:sm:3">> orelse Space =:= <<"urn:xmpp:sm:2">>.

space(#xmlel{attrs = Attrs}, Outer) -> proplists:get_value(<<"xmlns">>, Attrs, Outer).

without_query(#xmlel{attrs = Attrs, children = Children} = IQ, Kind) ->
    Short = without_content(IQ, Kind),
    Kept = [<<"xmlns">>, <<"id">>, <<"type">>, <<"to">>, <<"from">>],
    Errors = [cleaned(Child, ?CLIENT) || #xmlel{} = Child <- Children, is_error(Child)],
    Short#xmlel{attrs = [Attr || {Key, _} = Attr <- Attrs, lists:member(Key, Kept)],
                children = Short#xmlel.children ++ Errors}.

%% Secrets, which are looked for at any depth. One leaves Rollcall's mark. The id with which a session
%% can be resumed leaves a digest, which is equal for equal ids.

without_content(#xmlel{name = Name, attrs = Attrs}, Kind) ->
    Mark = #xmlel{name = <<"removed">>, attrs = [{<<"xmlns">>, ?REMOVED}, {<<"kind">>, Kind}]},
    #xmlel{name = Name, attrs = [Attr || {<<"xmlns">>, _} = Attr <- Attrs], children = [Mark]}.

cleaned({xmlcdata, Text}, _Outer) -> {xmlcdata, cleaned_text(Text)};
cleaned(#xmlel{attrs = Attrs, children = Children} = Element, Outer) ->
    Space = space(Element, Outer),
    case secret(Element, Space) of
        none ->
            Element#xmlel{attrs = [cleaned_attr(Attr, is_management(Space)) || {Key, _} = Attr <- Attrs,
                                   Key =/= <<"location">> orelse not is_management(Space)],
                          children = [cleaned(Child, Space) || Child <- Children]};
        Kind -> without_content(Element, Kind)
    end.

cleaned_attr({Key, Value}, true) when Key =:= <<"id">>; Key =:= <<"previd">> ->
    <<Digest:8/binary, _/binary>> = crypto:hash(sha256, Value),
    {Key, <<?REMOVED/binary, "#", (string:lowercase(binary:encode_hex(Digest)))/binary>>};
cleaned_attr({Key, Value}, _IsManagement) ->
    case secret_name(Key) of
        none -> {Key, cleaned_text(Value)};
        _ -> {Key, ?REMOVED}
    end.

%% A text without the keys, passwords and parameters in its addresses.
cleaned_text(Text) ->
    case binary:match(Text, pattern(signs)) of
        nomatch -> Text;
        _ ->
            lists:foldl(fun(Pattern, Rest) ->
                re:replace(Rest, Pattern, "\\1removed\\2", [global, {return, binary}])
            end, Text, pattern(addresses))
    end.

%% The kind of secret that an element is.
secret(#xmlel{name = Name, children = Children} = Element, Space) ->
    IsForeign = binary:match(Name, <<":">>) =/= nomatch andalso not is_of_stream(Name),
    IsInvitation = binary:match(Name, [<<"invit">>, <<"Invit">>]) =/= nomatch
        andalso Space =/= <<"http://jabber.org/protocol/muc#user">>,
    IsKey = Space =:= <<"urn:xmpp:esfs:0">> andalso lists:member(Name, [<<"key">>, <<"iv">>]),
    IsSecretField = Name =:= <<"field">> andalso (value(<<"type">>, Element) =:= <<"text-private">>
        orelse secret_name(value(<<"var">>, Element)) =/= none),
    HasConfirmation = [] =/= [Child || #xmlel{} = Child <- Children, space(Child, Space) =:= ?CONFIRMATION],
    case secret_space(Space) of
        _ when IsForeign -> <<"foreign">>; % the prefix of its namespace was declared with the stream
        _ when IsInvitation -> <<"token">>;
        _ when IsKey -> <<"key">>;
        _ when IsSecretField -> <<"password">>;
        _ when HasConfirmation -> ?CONFIRMATION; % its id is repeated in the body
        none -> secret_name(Name);
        Kind -> Kind
    end.

%% The kind of secret that has a name, in any namespace.
secret_name(Name) ->
    case is_map_key(Name, pattern(ordinary)) orelse re:run(Name, pattern(name), [{capture, none}]) of
        match -> <<"password">>;
        _ -> none
    end.

%% The kind of secret that is in a namespace.
secret_space(Space) ->
    case is_map_key(Space, pattern(ordinary)) orelse re:run(Space, pattern(space), [{capture, none}]) of
        true -> none;
        match -> <<"sasl">>;
        nomatch ->
            case lists:member(Space, secret_spaces()) of
                true -> Space;
                false -> none
            end
    end.

pattern(Key) ->
    {_, _, _, #{Key := Pattern}} = persistent_term:get(?MODULE),
    Pattern.

%% How a secret is named, and what an address has before one, for re and binary; and, to be fast, the
%% names and namespaces of most stanzas, which are no secrets'.
patterns() ->
    Ordinary = "iq message presence query item group status show priority c x photo bind jid resource ping "
        "body delay error text xmlns id type to from name subscription ask ver hash node stamp h xml:lang "
        "jabber:client jabber:iq:roster urn:xmpp:ping urn:xmpp:sm:3 urn:xmpp:delay vcard-temp:x:update "
        "http://jabber.org/protocol/caps urn:ietf:params:xml:ns:xmpp-stanzas",
    Ending = "(?:passwd|passphrase|secret|token|(?:secret|private|priv|auth|api)[-_.]?key|credentials?)",
    Word = "(?:pass|pwd|otp|pin|handshake|key[-_.]?params)",
    Parameter = "[?;&#/](?:[^?;&#/=\\s]*(?:password|signature|" ++ Ending ++ ")|" ++ Word
        ++ "|preauth|sig|hmac|key)=",
    #{ordinary => maps:from_keys(binary:split(list_to_binary(Ordinary), <<" ">>, [global]), true),
      signs => binary:compile_pattern([<<"#">>, <<"=">>, <<"://">>]),
      space => compiled("sasl|auth|invit"),
      name => compiled("password|landing|" ++ Ending ++ "$|(?:^|[:#])" ++ Word ++ "$"),
      addresses => [compiled("(aesgcm:[^\\x00-\\x20\"<>#]*#)[^\\x00-\\x20\"<>]+()"),
                    compiled("(://[^/?#\\s:]*:)[^/?#\\s]+(@)"),
                    compiled("(" ++ Parameter ++ ")[^&;#\"'<>\\s]*()")]}.

compiled(Pattern) ->
    {ok, Compiled} = re:compile(Pattern, [caseless]),
    Compiled.

secret_spaces() -> % of passwords, tokens, signed addresses
    [<<"jabber:iq:register">>, <<"jabber:server:dialback">>, <<"http://jabber.org/protocol/httpbind">>,
     <<"urn:xmpp:extdisco:1">>, <<"urn:xmpp:extdisco:2">>, <<"urn:xmpp:http:upload">>,
     <<"urn:xmpp:http:upload:0">>, <<"eu:siacs:conversations:http:upload">>, <<"urn:xmpp:push:0">>,
     <<"urn:xmpp:fast:0">>, <<"https://xmpp.org/extensions/isr/0">>, <<"urn:xmpp:scram-upgrade:0">>,
     <<"urn:xmpp:oauth:0">>, <<"http://jabber.org/protocol/muc#owner">>,
     <<"http://jabber.org/protocol/commands">>].

%% Stored rosters: of every account at the start, and of an account without a session when a
%% subscription stanza reaches it. One process reads them.

subscription_arrived(Result, Presence) ->
    guarded(fun() ->
        {User, Server, _} = jid:tolower(xmpp:get_to(Presence)),
        roster_changed(User, Server, 0)
    end),
    Result.

roster_changed(User, Server, Delay) ->
    case count(?CHANGES, 1) of
        Waiting when Waiting > ?MOST_CHANGES -> count(?CHANGES, -1), count(?LOST, 1);
        _ when Delay =:= 0 -> send(?ROSTERS, {changed, User, Server});
        _ -> erlang:send_after(Delay, ?ROSTERS, {changed, User, Server})
    end.

%% At the start the accounts' table may not exist yet.
list(Host, Attempts, Accounts) ->
    try ejabberd_auth:get_users(Host) of
        Found ->
            [self() ! slice || Accounts =:= []],
            Found ++ Accounts
    catch _:_ when Attempts > 1 ->
        erlang:send_after(1000, self(), {list, Host, Attempts - 1}),
        Accounts
    end.

write_slice([{User, Server} | Rest], Left) when Left > 0 ->
    guarded(fun() -> write_roster(User, Server, "all", none, 3) end),
    write_slice(Rest, Left - 1);
write_slice(Rest, _Left) ->
    [erlang:send_after(50, self(), slice) || Rest =/= []],
    Rest.

%% Reads the roster again after it was written: a session may have changed it in between.
write_roster(_User, _Server, _Why, _Written, 0) -> ok;
write_roster(User, Server, Why, Written, Attempts) ->
    case lists:sort(mod_roster:get_roster(User, Server)) of
        Written -> ok;
        Items ->
            Account = jid:encode(jid:make(User, Server)),
            Query = #xmlel{name = <<"query">>, attrs = [{<<"xmlns">>, <<"jabber:iq:roster">>}],
                           children = lists:flatmap(fun item/1, Items)},
            Attrs = [{<<"type">>, <<"result">>}, {<<"id">>, <<"rollcall-tap">>}, {<<"to">>, Account}],
            Result = cleaned(#xmlel{name = <<"iq">>, attrs = Attrs, children = [Query]}, ?CLIENT),
            Asked = [jid:encode(jid:make(JID)) || #roster{jid = JID, ask = Ask} <- Items,
                                                  lists:member(Ask, [in, both])],
            write([{a, Account}, {stored, Why}, {xml, fxml:element_to_binary(Result)},
                   {asked, {list, Asked}}]),
            write_roster(User, Server, Why, Items, Attempts - 1)
    end.

item(#roster{subscription = none, ask = in}) -> []; % a request only, which is no item to clients
item(#roster{jid = JID, name = Name, subscription = Subscription, ask = Ask, groups = Groups}) ->
    Attrs = [{<<"jid">>, jid:encode(jid:make(JID))}, {<<"subscription">>, atom_to_binary(Subscription)}]
        ++ [{<<"name">>, Name} || Name =/= <<>>]
        ++ [{<<"ask">>, <<"subscribe">>} || lists:member(Ask, [out, both, subscribe])],
    Children = [#xmlel{name = <<"group">>, children = [{xmlcdata, Group}]} || Group <- Groups],
    [#xmlel{name = <<"item">>, attrs = Attrs, children = Children}].

%% Lines go to one process by messages; when too much waits, they are counted and not sent.

write(Members) ->
    Line = json(Members),
    case count(?BYTES, byte_size(Line)) of
        Waiting when Waiting > ?MOST_BYTES -> count(?BYTES, -byte_size(Line)), count(?LOST, 1);
        _ -> count(?LINES, 1), send(?MODULE, {line, Line})
    end.

%% The processes are not linked to the server: if one ends, the next message starts it again.
send(Name, Message) ->
    [gen_server:start({local, Name}, ?MODULE, Name, []) || whereis(Name) =:= undefined],
    Name ! Message.

json(Members) ->
    Rest = [[",\"", atom_to_list(Key), "\":", json_value(Value)] || {Key, Value} <- Members],
    iolist_to_binary(["{\"t\":", json_value(os:system_time(millisecond)), Rest, "}\n"]).

json_value(Number) when is_integer(Number) -> integer_to_list(Number);
json_value({list, Texts}) -> [$[, lists:join($,, [json_value(Text) || Text <- Texts]), $]];
json_value(Text) ->
    Bytes = iolist_to_binary(Text),
    case re:run(Bytes, <<"[\\x00-\\x1f\"\\\\]">>, [{capture, none}]) of
        nomatch -> [$", Bytes, $"];
        match -> [$", << <<(escaped(Byte))/binary>> || <<Byte>> <= Bytes >>, $"]
    end.

escaped(Byte) when Byte =:= $"; Byte =:= $\\ -> <<$\\, Byte>>;
escaped(Byte) when Byte < 32 -> iolist_to_binary(io_lib:format("\\u~4.16.0b", [Byte]));
escaped(Byte) -> <<Byte>>.

init(?ROSTERS) ->
    reset(?CHANGES),
    {ok, []};
init(?MODULE) ->
    process_flag(priority, high), % many sessions may be busy: lines wait for none of them
    process_flag(message_queue_data, off_heap),
    reset(?BYTES),
    count(?LOST, reset(?LINES)), % those on their way to an earlier writer
    self() ! heartbeat,
    {_, _, Settings, _} = persistent_term:get(?MODULE),
    {ok, Settings#spool{spooled = element(1, survey(Settings#spool.folder))}}.

handle_info({line, Line}, #spool{lines = Lines, count = Count, bytes = Bytes} = Spool) ->
    [erlang:send_after(50, self(), flush) || Count =:= 0],
    Next = Spool#spool{lines = [Line | Lines], count = Count + 1, bytes = Bytes + byte_size(Line)},
    {noreply, if Count + 1 >= ?MANY_LINES -> flush(Next); true -> Next end};
handle_info(heartbeat, #spool{written = Written, folder = Folder} = Spool) ->
    erlang:send_after(10000, self(), heartbeat),
    guarded(fun() -> write([{alive, Written}]) end),
    {noreply, Spool#spool{spooled = element(1, survey(Folder))}};
handle_info(flush, Spool) -> {noreply, flush(Spool)};
handle_info({list, Host, Attempts}, Accounts) ->
    {noreply, guarded(fun() -> list(Host, Attempts, Accounts) end, Accounts)};
handle_info(slice, Accounts) -> {noreply, write_slice(Accounts, ?SLICE)};
handle_info({changed, User, Server}, Accounts) ->
    guarded(fun() ->
        count(?CHANGES, -1),
        [write_roster(User, Server, "changed", none, 3)
         || ejabberd_sm:get_user_resources(User, Server) =:= []]
    end),
    {noreply, Accounts};
handle_info(_Other, State) -> {noreply, State}.

handle_call(_Flush, _From, Spool) -> {reply, ok, flush(Spool)}.
handle_cast(_Message, State) -> {noreply, State}.
terminate(_Reason, #spool{} = Spool) -> flush(Spool);
terminate(_Reason, _Accounts) -> ok.

flush(#spool{count = Count, bytes = Bytes} = Spool) ->
    count(?LINES, -Count),
    count(?BYTES, -Bytes),
    Gap = reset(?LOST),
    try flush(Spool, Gap, Count)
    catch _:Reason ->
        count(?LOST, Gap + Count),
        [catch logger:error("rollcall_tap: lines are being lost: ~p", [Reason])
         || not Spool#spool.is_failing],
        catch file:close(Spool#spool.file),
        Spool#spool{lines = [], count = 0, bytes = 0, file = undefined, is_failing = true}
    end.

flush(Spool, 0, 0) -> Spool;
flush(#spool{lines = Lines} = Spool, Gap, Count) ->
    true = Spool#spool.spooled < Spool#spool.limit,
    #spool{file = File, size = Size, spooled = Spooled, written = Written} = Usable = usable(Spool),
    Data = iolist_to_binary([[json([{gap, Gap}]) || Gap > 0] | lists:reverse(Lines)]),
    ok = file:write(File, Data),
    Usable#spool{lines = [], count = 0, bytes = 0, is_failing = false, written = Written + Count,
                 size = Size + byte_size(Data), spooled = Spooled + byte_size(Data)}.

%% What is written to a deleted file is lost without an error.
usable(#spool{file = File, path = Path, inode = Inode, size = Size} = Spool) ->
    case File =/= undefined andalso Size < ?SEGMENT_SIZE andalso inode(Path) =:= Inode of
        true -> Spool;
        false -> next_segment(Spool)
    end.

inode(Path) ->
    case file:read_file_info(Path, [raw]) of {ok, Info} -> element(12, Info); _ -> none end.

next_segment(#spool{folder = Folder, file = Old, segment = Segment} = Spool) ->
    catch file:close(Old),
    ok = filelib:ensure_path(Folder),
    ok = file:change_mode(Folder, 8#700),
    {Bytes, Last} = survey(Folder),
    Next = max(Segment, Last) + 1,
    {Boot, _, _, _} = persistent_term:get(?MODULE),
    Path = filename:join(Folder, io_lib:format("~s-~6..0b.jsonl", [Boot, Next])),
    {ok, File} = file:open(Path, [append, raw, binary]),
    ok = file:change_mode(Path, 8#600),
    Header = iolist_to_binary(io_lib:format(
        "{\"rollcall-tap\":1,\"boot\":\"~s\",\"segment\":~b,\"server\":\"ejabberd ~s\"}~n",
        [Boot, Next, ejabberd_option:version()])),
    case file:write(File, Header) of
        ok -> ok;
        Full -> file:close(File), file:delete(Path), error(Full)
    end,
    Size = byte_size(Header),
    Spool#spool{file = File, path = Path, inode = inode(Path), segment = Next, size = Size,
                spooled = Bytes + Size}.

survey(Folder) -> % the bytes in the folder, and the last segment of any boot
    Names = case file:list_dir(Folder) of {ok, Found} -> Found; _ -> [] end,
    lists:foldl(fun(Name, {Bytes, Last}) ->
        case re:run(Name, "^[0-9a-z]+-([0-9]+)\\.jsonl$", [{capture, all_but_first, list}]) of
            {match, [Number]} ->
                {Bytes + filelib:file_size(filename:join(Folder, Name)), max(Last, list_to_integer(Number))};
            nomatch -> {Bytes, Last}
        end
    end, {0, 0}, Names).

"""#

/// mod_rollcall_tap.lua
let embeddedProsodyTap: StaticString = #"""
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

"""#
