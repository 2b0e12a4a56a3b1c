% Concepts of three named pieces as Morales 1992 prints them: sections 6.1 and 6.2.1.
%
% Pieces are piece(Name, File, Rank, Pos), and several may stand on one square.

% White to move, white king, white rook and black king stand illegally. As printed, the first two
% clauses also take positions for illegal in which the white king stands between rook and black king.
illegal(wk, A, B, wr, C, D, bk, C, E, Pos) :-
    piece(wk, A, B, Pos), piece(wr, C, D, Pos), piece(bk, C, E, Pos).
illegal(wk, A, B, wr, C, D, bk, E, D, Pos) :-
    piece(wk, A, B, Pos), piece(wr, C, D, Pos), piece(bk, E, D, Pos).
illegal(wk, A, B, wr, A, B, bk, C, D, Pos) :-
    piece(wk, A, B, Pos), piece(wr, A, B, Pos), piece(bk, C, D, Pos).
illegal(wk, A, B, wr, C, D, bk, A, B, Pos) :-
    piece(wk, A, B, Pos), piece(wr, C, D, Pos), piece(bk, A, B, Pos).
illegal(wk, A, B, wr, C, D, bk, A, E, Pos) :-
    piece(wk, A, B, Pos), piece(wr, C, D, Pos), piece(bk, A, E, Pos),
    adjacent(B, E), adjacent(E, B).
illegal(wk, A, B, wr, C, D, bk, E, B, Pos) :-
    piece(wk, A, B, Pos), piece(wr, C, D, Pos), piece(bk, E, B, Pos),
    adjacent(A, E), adjacent(E, A).
illegal(wk, A, B, wr, C, D, bk, E, F, Pos) :-
    piece(wk, A, B, Pos), piece(wr, C, D, Pos), piece(bk, E, F, Pos),
    adjacent(A, E), adjacent(E, A),
    adjacent(B, F), adjacent(F, B).

% The exceptions: the white king stands between rook and black king.
legal_special(wk, A, B, wr, C, B, bk, D, B, Pos) :-
    piece(wk, A, B, Pos), piece(wr, C, B, Pos), piece(bk, D, B, Pos),
    less_than(C, A), less_than(C, D), less_than(A, D).
legal_special(wk, A, B, wr, C, B, bk, D, B, Pos) :-
    piece(wk, A, B, Pos), piece(wr, C, B, Pos), piece(bk, D, B, Pos),
    less_than(D, A), less_than(D, C), less_than(A, C).
legal_special(wk, A, B, wr, A, C, bk, A, D, Pos) :-
    piece(wk, A, B, Pos), piece(wr, A, C, Pos), piece(bk, A, D, Pos),
    less_than(C, B), less_than(C, D), less_than(B, D).
legal_special(wk, A, B, wr, A, C, bk, A, D, Pos) :-
    piece(wk, A, B, Pos), piece(wr, A, C, Pos), piece(bk, A, D, Pos),
    less_than(D, B), less_than(D, C), less_than(B, C).

% The complete definition that section 6.1 quotes from Bain, over the same exceptions.
illegal_with_exceptions(wk, A, B, wr, C, D, bk, C, E, Pos) :-
    piece(wk, A, B, Pos), piece(wr, C, D, Pos), piece(bk, C, E, Pos),
    \+ legal_special(wk, A, B, wr, C, D, bk, C, E, Pos).
illegal_with_exceptions(wk, A, B, wr, C, D, bk, E, D, Pos) :-
    piece(wk, A, B, Pos), piece(wr, C, D, Pos), piece(bk, E, D, Pos),
    \+ legal_special(wk, A, B, wr, C, D, bk, E, D, Pos).
illegal_with_exceptions(wk, A, B, wr, A, B, bk, C, D, Pos) :-
    piece(wk, A, B, Pos), piece(wr, A, B, Pos), piece(bk, C, D, Pos).
illegal_with_exceptions(wk, A, B, wr, C, D, bk, E, F, Pos) :-
    piece(wk, A, B, Pos), piece(wr, C, D, Pos), piece(bk, E, F, Pos),
    adj_or_eq(A, E), adj_or_eq(B, F).

% Three pieces on a rising diagonal, in order.
diagonal(p1, X1, Y1, p2, X2, Y2, p3, X3, Y3, Pos) :-
    piece(p1, X1, Y1, Pos), piece(p2, X2, Y2, Pos), piece(p3, X3, Y3, Pos),
    less_than(X1, X2), less_than(X1, X3), less_than(X2, X3),
    less_than(Y1, Y2), less_than(Y1, Y3), less_than(Y2, Y3),
    line(X1, Y1, X2, Y2, Pos), line(X1, Y1, X3, Y3, Pos), line(X2, Y2, X3, Y3, Pos).
