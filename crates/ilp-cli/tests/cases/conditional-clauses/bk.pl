parent(ann,bob). parent(ann,cas). parent(bob,dan). parent(cas,eve). parent(dan,fay).
:- if(current_prolog_flag(bounded, true)).
parent(zoe,zed).
:- else.
parent(yan,yin).
:- endif.
