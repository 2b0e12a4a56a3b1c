% Two places on a common file, rank or diagonal (Morales 1992, section 6.2).
line(X, Y, X2, Y2, Pos) :-
    piece(P, X, Y, Pos), piece(P2, X2, Y2, Pos), P \= P2, in_line(X, Y, X2, Y2).
in_line(X, Y, X, Y2) :- Y =\= Y2.
in_line(X, Y, X2, Y) :- X =\= X2.
in_line(X, Y, X2, Y2) :- X =\= X2, abs(X - X2) =:= abs(Y - Y2).
