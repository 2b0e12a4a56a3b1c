:- use_module(library(aleph)).
:- if(current_predicate(use_rendering/1)).
:- use_rendering(prolog).
:- endif.
:- aleph.
:- modeh(1,grandparent(+person,-person)).
:- modeb(*,parent(+person,-person)).
:- determination(grandparent/2,parent/2).
parent(ann,bob). parent(ann,cas). parent(bob,dan). parent(cas,eve). parent(dan,fay).
