% Relations of tiles of the 8-puzzle, and concepts of them (Morales 1992, section 6.4.3).
%
% A board has facts tile(Number, Column, Row, Board) for the tiles 1 to 8, or for some of them. The
% thesis names the relation adjacent; it prints neither a definition nor a concept. All concepts are ours.

adjacent(X, Y, Z, Y, Board) :-
    tile(M, X, Y, Board), tile(N, Z, Y, Board), M =\= N, 1 =:= abs(X - Z).
adjacent(X, Y, X, Z, Board) :-
    tile(M, X, Y, Board), tile(N, X, Z, Board), M =\= N, 1 =:= abs(Y - Z).

left_of(X, Y, Z, Y, Board) :- tile(_, X, Y, Board), tile(_, Z, Y, Board), X < Z.
above(X, Y, X, Z, Board) :- tile(_, X, Y, Board), tile(_, X, Z, Board), Y < Z.

% The tile can move to the free place, which is known if all tiles are described, tile 8 among them.
beside_free(X, Y, Board) :-
    tile(8, _, _, Board), tile(_, X, Y, Board), next(X, Y, Z, W), \+ tile(_, Z, W, Board).

next(X, Y, Z, Y) :- place(Z), 1 =:= abs(X - Z).
next(X, Y, X, Z) :- place(Z), 1 =:= abs(Y - Z).
place(1).
place(2).
place(3).

% Tile 1 can move.
movable(1, X, Y, Board) :- tile(1, X, Y, Board), beside_free(X, Y, Board).

% Tiles 1 and 2 are neighbors.
neighbors(1, X, Y, 2, Z, W, Board) :-
    tile(1, X, Y, Board), tile(2, Z, W, Board),
    adjacent(X, Y, Z, W, Board), adjacent(Z, W, X, Y, Board).

% Tile 2 stands right of tile 1, next to it.
follows(1, X, Y, 2, Z, Y, Board) :-
    tile(1, X, Y, Board), tile(2, Z, Y, Board),
    adjacent(X, Y, Z, Y, Board), adjacent(Z, Y, X, Y, Board), left_of(X, Y, Z, Y, Board).

% Tiles 1 and 2 are in their row in the wrong order.
reversed(1, X, 1, 2, Y, 1, Board) :-
    tile(1, X, 1, Board), tile(2, Y, 1, Board), left_of(Y, 1, X, 1, Board).
