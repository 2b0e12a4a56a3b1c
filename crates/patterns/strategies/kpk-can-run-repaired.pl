% What kpk-can-run.pl lacks to be right in every position: these clauses take the place of the printed
% ones of the same patterns. Conditions were exchanged, added or dropped one at a time, and two at a
% time where one does not reach; of all combinations of such patterns, a further clause counted as one
% more change, the fewest changes that leave no position in error are 19.
can_run1(4, Kx, Ky, Px, Py, Ox, Oy) :-
    queening(Kx, Ky, Px, 1), dist(Kx, Ky, Px, Py, D1), dist(Kx, Ky, Ox, Oy, D2), D1 < D2.
can_run1(6, Kx, 6, Px, Py, Ox, Oy) :- divides(Ox, Kx, Px), Oy =< Py + 2.
can_run1(8, Kx, 7, Px, Py, Ox, _) :-
    divides(Ox, Kx, Px), dist(Kx, 7, Px, Py, D), D > 3, abs(Kx - Ox) =\= 1.
can_run1(9, Kx, Ky, Px, Py, Ox, Py) :- divides(Ox, Kx, Px), Py =:= Ky - 2.
can_run1(9, X, Ky, _, Py, X, Py) :- dist(X, Ky, X, Py, 2), Py =:= Ky - 2.
can_run1(9, Kx, Ky, Px, Py, Ox, Py) :-
    divides(Ox, Kx, Px), Py =:= Ky - 1, queening(Kx, Ky, Px, D1), manh(Kx, Ky, Px, Py, D2), D1 =\= D2 + 2.
can_run1(9, Kx, Ky, Px, Py, Ox, Oy) :-
    divides(Ox, Kx, Px), Py =:= Ky - 2, Oy < Ky, queening(Kx, Ky, Px, D1), manh(Kx, Ky, Px, Py, D2), D1 < D2.
can_run1(11, Kx, Ky, Px, Py, Ox, Oy) :-
    divides(Ox, Kx, Px), beside(Kx, Ky, Ox, Oy), manh(Kx, Ky, Ox, Oy, D), D =\= 3, D =\= 4,
    queening(Px, Py, Px, D1), dist(Px, Py, Ox, Oy, D2), D1 =< D2.
can_run1(12, Kx, 8, Px, Py, Ox, Oy) :-
    divides(Ox, Kx, Px), dist(Px, Py, Ox, Oy, D), queening(Px, Py, Px, D), queening(Kx, 8, Px, D2), D2 =< 2.
can_run1(13, Kx, Ky, Px, 3, Ox, Oy) :-
    divides(Ox, Kx, Px), beside(Kx, Ky, Ox, Oy), manh(Kx, Ky, Px, 3, D), D >= 5.
can_run1(14, Kx, 6, Px, 6, Ox, 8) :-
    queening(Kx, 6, Px, 2), queening(Ox, 8, Px, 2), dist(Kx, 6, Ox, 8, 2).
can_run1(15, Kx, Ky, Px, Py, Ox, Oy) :-
    queening(Kx, Ky, Px, 1), queening(Px, Py, Px, D1), dist(Px, Py, Ox, Oy, D2), near(D1, D2),
    dist(Kx, Ky, Px, Py, D3), manh(Kx, Ky, Px, 8, D4), D3 =:= D4 + 2.
can_run1(15, Kx, Ky, Px, Py, Ox, Oy) :-
    queening(Kx, Ky, Px, 1), queening(Px, Py, Px, D1), dist(Px, Py, Ox, Oy, D2), near(D1, D2),
    dist(Kx, Ky, Px, Py, D3), manh(Kx, Ky, Ox, Oy, D4), D3 =< D4.
can_run1(16, Kx, Ky, Px, Py, Ox, Oy) :-
    queening(Kx, Ky, Px, 1), dist(Ox, Oy, Px, Py, D1), dist(Kx, Ky, Px, Py, D2), D2 =:= D1 + 1,
    dist(Kx, Ky, Ox, Oy, D2).
can_run1(16, Kx, Ky, Px, Py, Ox, Oy) :-
    queening(Kx, Ky, Px, 1), dist(Ox, Oy, Px, Py, D1), dist(Kx, Ky, Px, Py, D2), D2 =:= D1 + 1,
    queening(Px, Py, Px, D3), queening(Ox, Oy, Px, D4), D3 =:= D4 + 1.
