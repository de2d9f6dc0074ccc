int rollcall_placeholder;
