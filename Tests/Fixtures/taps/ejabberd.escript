#!/usr/bin/env escript
%% Runs the module for ejabberd without a server, in a folder that has it compiled:
%%   escript ejabberd.escript FOLDER SPOOL elements FILE   writes each line of FILE, an element, as from
%%       alice@roster.test and as from alice@all.test, whose hosts have different options
%%   escript ejabberd.escript FOLDER SPOOL flood           sends more than may wait
%%   escript ejabberd.escript FOLDER SPOOL missing         looks for accounts whose table is missing
%% Each prints what a test has to know.
-mode(compile).

main([Folder, Spool, Mode | Rest]) ->
    code:add_patha(Folder),
    [stub(Source) || Source <- stubs()],
    logger:set_primary_config(level, none),
    Options = #{folder => list_to_binary(Spool), limit => 4096},
    mod_rollcall_tap:start(<<"roster.test">>, Options#{what => roster}),
    mod_rollcall_tap:start(<<"all.test">>, Options#{what => all}),
    run(Mode, Rest),
    gen_server:call(mod_rollcall_tap, flush),
    halt(0).

run("elements", [File]) ->
    {ok, Text} = file:read_file(File),
    Elements = [fxml_stream:parse_element(Line) || Line <- binary:split(Text, <<"\n">>, [global, trim])],
    [mod_rollcall_tap:from_client(session(Host), Element, none)
     || Host <- [<<"roster.test">>, <<"all.test">>], Element <- Elements];
%% 100 messages of a megabyte while the writer does nothing, and 12,000 subscriptions while the process
%% that reads rosters does nothing.
run("flood", []) ->
    sys:suspend(mod_rollcall_tap),
    sys:suspend(mod_rollcall_tap_rosters),
    Text = binary:copy(<<"x">>, 1 bsl 20),
    Message = {xmlel, <<"message">>, [], [{xmlel, <<"body">>, [], [{xmlcdata, Text}]}]},
    [mod_rollcall_tap:from_client(session(<<"all.test">>), Message, none) || _ <- lists:seq(1, 100)],
    Processes = erlang:system_info(process_count),
    [mod_rollcall_tap:subscription_arrived(ok, {<<"alice">>, <<"all.test">>, <<>>})
     || _ <- lists:seq(1, 12000)],
    io:format("lines ~p changes ~p processes ~p~n",
              [waiting(mod_rollcall_tap), waiting(mod_rollcall_tap_rosters),
               erlang:system_info(process_count) - Processes]),
    sys:resume(mod_rollcall_tap);
%% The last attempt gives up, and the one before it tries again.
run("missing", []) ->
    [begin
         {noreply, []} = mod_rollcall_tap:handle_info({list, <<"missing.test">>, Attempts}, []),
         io:format("~p~n", [receive {list, _, Left} -> Left after Wait -> none end])
     end || {Attempts, Wait} <- [{2, 60000}, {1, 1500}]].

waiting(Name) -> element(2, process_info(whereis(Name), message_queue_len)).

session(Host) -> #{user => <<"alice">>, lserver => Host}.

stub(Source) ->
    {ok, Tokens, _} = erl_scan:string(Source),
    {ok, Module, Binary} = compile:forms(forms(Tokens, [])),
    {module, Module} = code:load_binary(Module, "stub", Binary).

forms([], []) -> [];
forms([{dot, _} = Dot | Rest], Form) ->
    {ok, Parsed} = erl_parse:parse_form(lists:reverse([Dot | Form])),
    [Parsed | forms(Rest, [])];
forms([Token | Rest], Form) -> forms(Rest, [Token | Form]).

stubs() ->
    ["-module(ejabberd_hooks). -export([add/5, delete/5]). "
     "add(_, _, _, _, _) -> ok. delete(_, _, _, _, _) -> ok.",
     "-module(gen_mod). -export([get_module_opt/3]). "
     "get_module_opt(<<\"all.test\">>, _, what) -> all; get_module_opt(_, _, what) -> roster.",
     "-module(ejabberd_auth). -export([get_users/1]). "
     "get_users(<<\"missing.test\">>) -> error(no_table); get_users(_) -> [].",
     "-module(ejabberd_sm). -export([get_user_resources/2]). get_user_resources(_, _) -> [].",
     "-module(ejabberd_option). -export([version/0]). version() -> <<\"probe\">>.",
     "-module(mod_roster). -export([get_roster/2]). get_roster(_, _) -> [].",
     "-module(jid). -export([make/1, make/2, encode/1, tolower/1]). "
     "make(JID) -> JID. make(User, Server) -> {User, Server}. tolower(JID) -> JID. "
     "encode({User, Server}) -> <<User/binary, \"@\", Server/binary>>.",
     "-module(xmpp). -export([get_to/1]). get_to(Presence) -> Presence."].
