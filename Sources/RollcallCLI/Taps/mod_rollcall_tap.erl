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
