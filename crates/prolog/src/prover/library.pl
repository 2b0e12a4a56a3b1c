is_list(L) :- var(L), !, fail.
is_list([]).
is_list([_|T]) :- is_list(T).
sumlist(L, S) :- sum_list(L, S).
numlist(L, H, []) :- L > H, !.
numlist(L, H, [L|T]) :- N is L + 1, numlist(N, H, T).
delete([], _, []).
delete([H|T], X, R) :- H \= X, !, R = [H|S], delete(T, X, S).
delete([_|T], X, R) :- delete(T, X, R).
exclude(_, [], []).
exclude(G, [X|T], R) :- call(G, X), !, exclude(G, T, R).
exclude(G, [X|T], [X|R]) :- exclude(G, T, R).
include(_, [], []).
include(G, [X|T], [X|R]) :- call(G, X), !, include(G, T, R).
include(G, [_|T], R) :- include(G, T, R).
partition(_, [], [], []).
partition(G, [X|T], [X|I], O) :- call(G, X), !, partition(G, T, I, O).
partition(G, [X|T], I, [X|O]) :- partition(G, T, I, O).
maplist(G, L) :- '$maplist'(L, G).
'$maplist'([], _).
'$maplist'([A|T], G) :- call(G, A), '$maplist'(T, G).
maplist(G, L, M) :- '$maplist'(L, M, G).
'$maplist'([], [], _).
'$maplist'([A|T], [B|U], G) :- call(G, A, B), '$maplist'(T, U, G).
maplist(G, L, M, N) :- '$maplist'(L, M, N, G).
'$maplist'([], [], [], _).
'$maplist'([A|T], [B|U], [C|V], G) :- call(G, A, B, C), '$maplist'(T, U, V, G).
maplist(G, L, M, N, O) :- '$maplist'(L, M, N, O, G).
'$maplist'([], [], [], [], _).
'$maplist'([A|T], [B|U], [C|V], [D|W], G) :- call(G, A, B, C, D), '$maplist'(T, U, V, W, G).
foldl(G, L, S, R) :- '$foldl'(L, G, S, R).
'$foldl'([], _, S, S).
'$foldl'([A|T], G, S, R) :- call(G, A, S, M), '$foldl'(T, G, M, R).
foldl(G, L, K, S, R) :- '$foldl'(L, K, G, S, R).
'$foldl'([], [], _, S, S).
'$foldl'([A|T], [B|U], G, S, R) :- call(G, A, B, S, M), '$foldl'(T, U, G, M, R).
subtract([], _, []).
subtract([H|T], L, R) :- memberchk(H, L), !, subtract(T, L, R).
subtract([H|T], L, [H|R]) :- subtract(T, L, R).
intersection([], _, []).
intersection([H|T], L, R) :- memberchk(H, L), !, R = [H|S], intersection(T, L, S).
intersection([_|T], L, R) :- intersection(T, L, R).
union([], L, L).
union([H|T], L, R) :- memberchk(H, L), !, union(T, L, R).
union([H|T], L, [H|R]) :- union(T, L, R).
subset([], _).
subset([H|T], L) :- memberchk(H, L), subset(T, L).
list_to_set(L, S) :- '$set'(L, [], S).
'$set'([], _, []).
'$set'([H|T], K, R) :- '$known'(H, K), !, '$set'(T, K, R).
'$set'([H|T], K, [H|R]) :- '$set'(T, [H|K], R).
'$known'(X, [Y|_]) :- X == Y, !.
'$known'(X, [_|T]) :- '$known'(X, T).
list_to_ord_set(L, S) :- sort(L, S).
ord_union(A, B, C) :- append(A, B, L), sort(L, C).
ord_subtract(A, B, C) :- subtract(A, B, C).
ord_memberchk(X, L) :- memberchk(X, L).
permutation([], []).
permutation(L, [H|T]) :- select(H, L, R), permutation(R, T).
flatten(L, F) :- '$flatten'(L, [], G), !, F = G.
'$flatten'(V, T, [V|T]) :- var(V), !.
'$flatten'([], T, T) :- !.
'$flatten'([H|R], T, F) :- !, '$flatten'(H, G, F), '$flatten'(R, T, G).
'$flatten'(A, T, [A|T]).
selectchk(X, L, R) :- select(X, L, R), !.
select(X, [X|T], Y, [Y|T]).
select(X, [H|T], Y, [H|R]) :- select(X, T, Y, R).
nextto(X, Y, [X,Y|_]).
nextto(X, Y, [_|T]) :- nextto(X, Y, T).
max_member(M, [H|T]) :- '$max_member'(T, H, M).
'$max_member'([], M, M).
'$max_member'([H|T], A, M) :- ( H @> A -> '$max_member'(T, H, M) ; '$max_member'(T, A, M) ).
min_member(M, [H|T]) :- '$min_member'(T, H, M).
'$min_member'([], M, M).
'$min_member'([H|T], A, M) :- ( H @< A -> '$min_member'(T, H, M) ; '$min_member'(T, A, M) ).
pairs_keys_values([], [], []).
pairs_keys_values([K-V|T], [K|L], [V|M]) :- pairs_keys_values(T, L, M).
pairs_keys([], []).
pairs_keys([K-_|T], [K|L]) :- pairs_keys(T, L).
pairs_values([], []).
pairs_values([_-V|T], [V|L]) :- pairs_values(T, L).
sort(K, O, L, S) :- '$keyed'(L, K, P), '$sorted'(O, P, Q), pairs_values(Q, S).
'$keyed'([], _, []).
'$keyed'([X|T], K, [Y-X|R]) :- ( K == 0 -> Y = X ; '$arg'(K, X, Y) ), '$keyed'(T, K, R).
'$sorted'(@=<, P, Q) :- keysort(P, Q).
'$sorted'(@<, P, Q) :- keysort(P, R), '$first_of_equal'(R, Q).
'$sorted'(@>=, P, Q) :- '$descending'(P, Q).
'$sorted'(@>, P, Q) :- '$descending'(P, R), '$first_of_equal'(R, Q).
'$descending'(P, Q) :- reverse(P, R), keysort(R, S), reverse(S, Q).
'$first_of_equal'([], []).
'$first_of_equal'([K-V|T], [K-V|R]) :- '$drop_equal'(T, K, U), '$first_of_equal'(U, R).
'$drop_equal'([L-_|T], K, R) :- K == L, !, '$drop_equal'(T, K, R).
'$drop_equal'(L, _, L).
predsort(G, L, S) :- length(L, N), ( N < 2 -> S = L ; H is N // 2, length(A, H), append(A, B, L), !, predsort(G, A, X), predsort(G, B, Y), '$predmerge'(G, X, Y, S) ).
'$predmerge'(_, [], L, L) :- !.
'$predmerge'(_, L, [], L) :- !.
'$predmerge'(G, [A|T], [B|U], R) :- call(G, O, A, B), !, '$predmerge'(O, G, A, B, T, U, R).
'$predmerge'(<, G, A, B, T, U, [A|R]) :- '$predmerge'(G, T, [B|U], R).
'$predmerge'(>, G, A, B, T, U, [B|R]) :- '$predmerge'(G, [A|T], U, R).
'$predmerge'(=, G, A, _, T, U, R) :- '$predmerge'(G, [A|T], U, R).
compare(O, A, B) :- ( A == B -> O = (=) ; A @< B -> O = (<) ; O = (>) ).
arg(N, T, A) :- integer(N), !, '$arg'(N, T, A).
arg(N, T, A) :- functor(T, _, K), between(1, K, N), '$arg'(N, T, A).
aggregate_all(count, G, C) :- !, findall(x, G, L), length(L, C).
aggregate_all(count(T), G, C) :- !, findall(T, G, L), length(L, C).
aggregate_all(sum(E), G, S) :- !, findall(E, G, L), sum_list(L, S).
aggregate_all(bag(E), G, L) :- !, findall(E, G, L).
aggregate_all(set(E), G, S) :- !, findall(E, G, L), sort(L, S).
aggregate_all(max(E, W), G, R) :- !, findall(E-W, G, [P|T]), '$best'(T, P, max, M-V), R = max(M, V).
aggregate_all(min(E, W), G, R) :- !, findall(E-W, G, [P|T]), '$best'(T, P, min, M-V), R = min(M, V).
aggregate_all(max(E), G, M) :- !, findall(E, G, L), max_list(L, M).
aggregate_all(min(E), G, M) :- findall(E, G, L), min_list(L, M).
'$best'([], B, _, B).
'$best'([E-W|T], A-V, O, B) :- ( '$beats'(O, E, A) -> '$best'(T, E-W, O, B) ; '$best'(T, A-V, O, B) ).
'$beats'(max, E, A) :- E > A.
'$beats'(min, E, A) :- E < A.
findall(X, G, L, T) :- findall(X, G, K), append(K, T, L).
bagof(X, G, L) :- '$free'(X, G, H, F), '$bagof'(F, X, H, L).
'$bagof'([], X, G, L) :- !, findall(X, G, L), L \== [].
'$bagof'(F, X, G, L) :- W =.. [v|F], findall(W-X, G, P), P \== [], keysort(P, S), '$groups'(S, R), member(W-L, R).
setof(X, G, S) :- bagof(X, G, L), sort(L, S).
'$free'(X, G, H, F) :- '$strip'(G, H, E), term_variables(X-E, B), term_variables(H, A), '$without'(A, B, F).
'$strip'(G, G, []) :- var(G), !.
'$strip'(V^G, H, [V|E]) :- !, '$strip'(G, H, E).
'$strip'(G, G, []).
'$without'([], _, []).
'$without'([H|T], L, R) :- '$known'(H, L), !, '$without'(T, L, R).
'$without'([H|T], L, [H|R]) :- '$without'(T, L, R).
'$groups'([], []).
'$groups'([K-V|T], [K-[V|M]|R]) :- '$group'(T, K, M, U), '$groups'(U, R).
'$group'([L-V|T], K, [V|M], U) :- K == L, !, '$group'(T, K, M, U).
'$group'(T, _, [], T).
