% Morales 1992, appendix F: whether the white pawn promotes by its own moves, White to move. The
% patterns in the order of the print; K is the king, P the pawn, O the black king, X files, Y ranks.
% can_run(N, ..) holds by pattern N of 18. Readings:
% - Pattern 2 puts the pawn on rank 3, with White to move again.
% - What leads to can_run1 excludes the king in front of the pawn; printed, it seems to demand it.
% - `D /= 1 or D /= 2 or D /= 3` is read as none of them, and so are its likes.
can_run(1, 3, 4, 2, 2, 1, 4).
can_run(1, 3, 5, 2, 2, 1, 4).
can_run(1, 6, 4, 7, 2, 8, 4).
can_run(1, 6, 5, 7, 2, 8, 4).
can_run(2, Kx, Ky, Px, 2, Ox, Oy) :-
    free(Kx, Ky, Px, 3), free(Ox, Oy, Px, 3), can_run(_, Kx, Ky, Px, 3, Ox, Oy).
can_run(N, Kx, Ky, Px, Py, Ox, Oy) :-
    \+ excepted(Kx, Ky, Px, Py, Ox, Oy), \+ in_front(Kx, Ky, Px, Py),
    can_run1(N, Kx, Ky, Px, Py, Ox, Oy).

excepted(3, 7, 2, 3, 1, 8).
excepted(3, 7, 2, 4, 1, 7).
excepted(6, 7, 7, 3, 8, 8).
excepted(6, 7, 7, 4, 8, 7).
excepted(Kx, Ky, Px, Py, Ox, Oy) :- Y is Py + 1, Y < 8, stale(Kx, Ky, Px, Y, Ox, Oy).
in_front(X, Ky, X, Py) :- Ky > Py.

can_run1(3, _, _, Px, Py, Ox, Oy) :- queening(Px, Py, Px, D1), queening(Ox, Oy, Px, D2), D1 < D2.
can_run1(4, Kx, Ky, Px, Py, _, _) :- queening(Kx, Ky, Px, 1), Py >= 6.
can_run1(5, Kx, 7, Px, 5, _, _) :- queening(Kx, 7, Px, 1).
can_run1(6, Kx, 6, Px, _, Ox, Oy) :- divides(Ox, Kx, Px), 6 > Oy.
can_run1(7, Kx, 7, Px, Py, Ox, _) :- divides(Ox, Kx, Px), dist(Kx, 7, Px, Py, D), D =< 3.
can_run1(8, Kx, 7, Px, Py, Ox, _) :-
    divides(Ox, Kx, Px), dist(Kx, 7, Px, Py, D), D > 3, manh(Kx, 7, Px, 8, D).
can_run1(9, Kx, Ky, Px, Py, Ox, Py) :- divides(Ox, Kx, Px), Py =:= Ky - 2.
can_run1(9, X, Ky, _, Py, X, Py) :- dist(X, Ky, X, Py, 2), Py =:= Ky - 2.
can_run1(10, Kx, 6, Px, Py, Ox, Oy) :-
    divides(Ox, Kx, Px), queening(Kx, 6, Px, 2), queening(Px, Py, Px, D), queening(Ox, Oy, Px, D).
can_run1(11, Kx, Ky, Px, _, Ox, Oy) :-
    divides(Ox, Kx, Px), Ky =\= 8, beside(Kx, Ky, Ox, Oy), manh(Kx, Ky, Ox, Oy, D), D =\= 3, D =\= 4.
can_run1(12, Kx, 8, Px, Py, Ox, Oy) :-
    divides(Ox, Kx, Px), dist(Px, Py, Ox, Oy, D), queening(Px, Py, Px, D), queening(Kx, 8, Px, 2).
can_run1(13, Kx, 8, Px, 3, Ox, Oy) :- divides(Ox, Kx, Px), beside(Kx, 8, Ox, Oy).
can_run1(14, Kx, 6, Px, 6, Ox, 8) :- queening(Kx, 6, Px, 2), queening(Ox, 8, Px, 2).
can_run1(15, Kx, Ky, Px, Py, Ox, Oy) :-
    queening(Kx, Ky, Px, 1), queening(Px, Py, Px, D1), dist(Px, Py, Ox, Oy, D2), near(D1, D2),
    \+ behind(Kx, Ky, Px, Ox, Oy).
can_run1(16, Kx, 7, Px, Py, Ox, Oy) :-
    queening(Kx, 7, Px, 1), dist(Ox, Oy, Px, Py, D1), dist(Kx, 7, Px, Py, D2), D2 =:= D1 + 1.
can_run1(17, Kx, Ky, Px, 4, _, Ky) :- queening(Kx, Ky, Px, 1), Ky =\= 8.
can_run1(18, Kx, Ky, Px, 3, Ox, Ky) :-
    queening(Kx, Ky, Px, 1), queening(Ox, Ky, Px, 3), Ky =\= 8.

near(D, D).
near(D1, D2) :- D2 =:= D1 + 1.
behind(Kx, Ky, Px, Ox, Oy) :- Ky =\= 8, Oy =\= 8, divides(Ox, Px, Kx).
divides(A, B, C) :- A < B, B < C.
divides(A, B, C) :- A > B, B > C.
beside(Kx, Y, Ox, Y) :- dist(Kx, Y, Ox, Y, 2).
beside(X, Ky, X, Oy) :- dist(X, Ky, X, Oy, 2).
dist(X, Y, X2, Y2, D) :- D is max(abs(X - X2), abs(Y - Y2)).
manh(X, Y, X2, Y2, D) :- D is abs(X - X2) + abs(Y - Y2).
queening(X, Y, Px, D) :- dist(X, Y, Px, 8, D).
free(X, Y, X2, Y2) :- dist(X, Y, X2, Y2, D), D > 0.

% The black king has no square to go to.
stale(Kx, Ky, Px, Py, Ox, Oy) :- \+ moves(Kx, Ky, Px, Py, Ox, Oy).
moves(Kx, Ky, Px, Py, Ox, Oy) :-
    step(Dx), step(Dy), X is Ox + Dx, Y is Oy + Dy, free(X, Y, Ox, Oy),
    X >= 1, X =< 8, Y >= 1, Y =< 8, dist(Kx, Ky, X, Y, D), D > 1, \+ guards(Px, Py, X, Y).
guards(Px, Py, X, Y) :- Y =:= Py + 1, abs(X - Px) =:= 1.
step(-1).
step(0).
step(1).
