% What a literal of the background knowledge implies (Morales 1992, appendix G), for the final
% reduction of section 5.4.3.
contents(_, _, square(X, Y), Pos) :-
    coordx(square(X, Y), X, Pos), coordy(square(X, Y), Y, Pos).
legal_move(Side, Piece, Place, New, Pos) :-
    contents(Side, Piece, Place, Pos), piece_move(Side, Piece, Place, New, Pos).
make_move(Side, Piece, Place, New, Pos, Next) :-
    legal_move(Side, Piece, Place, New, Pos), contents(Side, Piece, New, Next),
    other_side(Side, OSide), \+ in_check(OSide, _, _, _, Pos).
in_check(Side, Place, OPiece, OPlace, Pos) :-
    contents(Side, king, Place, Pos), contents(OSide, OPiece, OPlace, Pos),
    other_side(Side, OSide), piece_move(OSide, OPiece, OPlace, Place, Pos).
check_mate(Side, Place, Pos) :-
    contents(Side, king, Place, Pos), in_check(Side, Place, _, _, Pos).
stale(Side, Piece, Place, Pos) :- contents(Side, Piece, Place, Pos).
sliding_piece(Piece, Place, Pos) :- contents(_, Piece, Place, Pos).
all_but_k(Piece, Place, Pos) :- contents(_, Piece, Place, Pos).
line(Place, Place2, Pos) :- line(Place2, Place, Pos).
other_side(A, B) :- other_side(B, A).
