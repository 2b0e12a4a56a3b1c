member(X, [X|_]).
member(X, [_|T]) :- member(X, T).
memberchk(X, L) :- member(X, L), !.
append([], L, L).
append([H|T], L, [H|R]) :- append(T, L, R).
last([X], X).
last([_|T], X) :- last(T, X).
select(X, [X|T], T).
select(X, [H|T], [H|R]) :- select(X, T, R).
reverse(L, R) :- '$reverse'(L, [], R).
'$reverse'([], R, R).
'$reverse'([H|T], A, R) :- '$reverse'(T, [H|A], R).
nth0(N, L, X) :- '$nth'(L, 0, N, X).
nth1(N, L, X) :- '$nth'(L, 1, N, X).
'$nth'(L, B, N, X) :- integer(N), !, '$nth_at'(L, B, N, X).
'$nth'([X|_], B, B, X).
'$nth'([_|T], B, N, X) :- C is B + 1, '$nth'(T, C, N, X).
'$nth_at'([X|_], B, B, X) :- !.
'$nth_at'([_|T], B, N, X) :- C is B + 1, '$nth_at'(T, C, N, X).
sum_list(L, S) :- '$sum'(L, 0, S).
'$sum'([], S, S).
'$sum'([H|T], A, S) :- B is A + H, '$sum'(T, B, S).
max_list([H|T], M) :- '$max'(T, H, M).
'$max'([], M, M).
'$max'([H|T], A, M) :- B is max(A, H), '$max'(T, B, M).
min_list([H|T], M) :- '$min'(T, H, M).
'$min'([], M, M).
'$min'([H|T], A, M) :- B is min(A, H), '$min'(T, B, M).
once(G) :- call(G), !.
ignore(G) :- call(G), !.
ignore(_).
