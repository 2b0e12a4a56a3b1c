% Consequences of the background predicates (Morales 1992, appendix G), for the final reduction of
% section 5.4.3 and for relative subsumption.
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
restr_distance(Place, Place2, D, Pos) :-
    contents(_, king, Place, Pos), contents(_, rook, Place2, Pos), distance(Place, Place2, D, Pos).
restr_manh_dist(Place, Place2, D, Pos) :-
    contents(_, king, Place, Pos), contents(_, rook, Place2, Pos),
    manh_distance(Place, Place2, D, Pos).
area(Place, Place2, _, Pos) :-
    contents(_, rook, Place, Pos), contents(_, king, Place2, Pos).
distance_falls(Side, Piece, Place, _, Pos) :-
    contents(Side, Piece, Place, Pos), legal_move(Side, Piece, Place, _, Pos).
distance_rises(Side, Piece, Place, _, Pos) :-
    contents(Side, Piece, Place, Pos), legal_move(Side, Piece, Place, _, Pos).
manh_distance_falls(Side, Piece, Place, _, Pos) :-
    contents(Side, Piece, Place, Pos), legal_move(Side, Piece, Place, _, Pos).
restr_distance_falls(Side, Piece, Place, _, Pos) :-
    contents(Side, Piece, Place, Pos), legal_move(Side, Piece, Place, _, Pos).
restr_distance_rises(Side, Piece, Place, _, Pos) :-
    contents(Side, Piece, Place, Pos), legal_move(Side, Piece, Place, _, Pos).
restr_manh_dist_rises(Side, Piece, Place, _, Pos) :-
    contents(Side, Piece, Place, Pos), legal_move(Side, Piece, Place, _, Pos).
restr_manh_dist_falls_on_file(Side, Piece, Place, _, Pos) :-
    contents(Side, Piece, Place, Pos), legal_move(Side, Piece, Place, _, Pos).
restr_manh_dist_falls_on_rank(Side, Piece, Place, _, Pos) :-
    contents(Side, Piece, Place, Pos), legal_move(Side, Piece, Place, _, Pos).
area_falls(Side, Piece, Place, _, Pos) :-
    contents(Side, Piece, Place, Pos), legal_move(Side, Piece, Place, _, Pos).
line(Place, Place2, Pos) :- line(Place2, Place, Pos).
other_side(A, B) :- other_side(B, A).
