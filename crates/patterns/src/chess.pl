% The background relations of Morales 1992, appendix G, with places as square(File, Rank).
% The rules of chess are native relations with files and ranks as separate arguments.
contents(Side, Piece, square(F, R), Pos) :- contents(Side, Piece, F, R, Pos).
piece_move(Side, Piece, square(F, R), square(F2, R2), Pos) :-
    piece_move(Side, Piece, F, R, F2, R2, Pos).
legal_move(Side, Piece, square(F, R), square(F2, R2), Pos) :-
    legal_move(Side, Piece, F, R, F2, R2, Pos).
make_move(Side, Piece, square(F, R), square(F2, R2), Pos, Next) :-
    make_move(Side, Piece, F, R, F2, R2, Pos, Next).
in_check(Side, square(F, R), OPiece, square(F2, R2), Pos) :-
    in_check(Side, F, R, OPiece, F2, R2, Pos).
check_mate(Side, square(F, R), Pos) :- check_mate(Side, F, R, Pos).
stale(Side, Piece, square(F, R), Pos) :- stale(Side, Piece, F, R, Pos).
sliding_piece(Piece, Place, Pos) :- contents(_, Piece, Place, Pos), slides(Piece).
all_but_k(Piece, Place, Pos) :- contents(_, Piece, Place, Pos), Piece \= king.
line(square(F, R), square(F2, R2), Pos) :- line(F, R, F2, R2, Pos).
distance(square(F, R), square(F2, R2), D, Pos) :- distance(F, R, F2, R2, D, Pos).
manh_distance(square(F, R), square(F2, R2), D, Pos) :- manh_distance(F, R, F2, R2, D, Pos).
coordx(square(F, R), F, Pos) :- contents(_, _, F, R, Pos).
coordy(square(F, R), R, Pos) :- contents(_, _, F, R, Pos).
restr_distance(Place, Place2, D, Pos) :-
    king_and_rook(Place, Place2, Pos), distance(Place, Place2, D, Pos).
restr_manh_dist(Place, Place2, D, Pos) :-
    king_and_rook(Place, Place2, Pos), manh_distance(Place, Place2, D, Pos).
king_and_rook(Place, Place2, Pos) :-
    contents(_, king, Place, Pos), contents(_, rook, Place2, Pos).
% Files times ranks beyond a rook on the side of the other king; none in line.
area(square(F, R), square(F2, R2), Room, Pos) :-
    contents(Side, rook, F, R, Pos), other_side(Side, OSide), contents(OSide, king, F2, R2, Pos),
    room(F, F2, Files), room(R, R2, Ranks), Room is Files * Ranks.
room(A, B, N) :- B < A, N is A - 1.
room(A, B, N) :- B > A, N is 8 - A.
% Distances to the queening square: where the pawn is promoted.
dist_qs(square(F, R), D, Pos) :-
    queening_square(QF, QR, Pos), contents(_, _, F, R, Pos), D is max(abs(F - QF), abs(R - QR)).
manh_dist_qs(square(F, R), D, Pos) :-
    queening_square(QF, QR, Pos), contents(_, _, F, R, Pos), D is abs(F - QF) + abs(R - QR).
nearer_qs(Place, Place2, Pos) :-
    dist_qs(Place, D, Pos), dist_qs(Place2, D2, Pos), D < D2.
queening_square(F, R, Pos) :- contents(Side, pawn, F, _, Pos), last_rank(Side, R).
last_rank(white, 8).
last_rank(black, 1).
% Comparisons of distances: of a piece from two others, and of two pieces before and after a move of
% the first.
nearer(Place, Place2, Place3, Pos) :-
    distance(Place, Place2, D, Pos), distance(Place, Place3, D2, Pos), Place2 \= Place3, D < D2.
distance_falls(Side, Piece, Place, Place2, Pos) :-
    distance(Place, Place2, D, Pos), make_move(Side, Piece, Place, New, Pos, Next),
    distance(New, Place2, D2, Next), D2 < D.
distance_rises(Side, Piece, Place, Place2, Pos) :-
    distance(Place, Place2, D, Pos), make_move(Side, Piece, Place, New, Pos, Next),
    distance(New, Place2, D2, Next), D < D2.
manh_distance_falls(Side, Piece, Place, Place2, Pos) :-
    manh_distance(Place, Place2, D, Pos), make_move(Side, Piece, Place, New, Pos, Next),
    manh_distance(New, Place2, D2, Next), D2 < D.
restr_distance_falls(Side, Piece, Place, Place2, Pos) :-
    either_way(Place, Place2, Pos), distance_falls(Side, Piece, Place, Place2, Pos).
restr_distance_rises(Side, Piece, Place, Place2, Pos) :-
    either_way(Place, Place2, Pos), distance_rises(Side, Piece, Place, Place2, Pos).
restr_manh_dist_rises(Side, Piece, Place, Place2, Pos) :-
    either_way(Place, Place2, Pos), manh_distance(Place, Place2, D, Pos),
    make_move(Side, Piece, Place, New, Pos, Next), manh_distance(New, Place2, D2, Next), D < D2.
restr_manh_dist_falls_on_file(Side, Piece, square(F, R), Place2, Pos) :-
    either_way(square(F, R), Place2, Pos), manh_distance(square(F, R), Place2, D, Pos),
    make_move(Side, Piece, square(F, R), square(F, R2), Pos, Next),
    manh_distance(square(F, R2), Place2, D2, Next), D2 < D.
restr_manh_dist_falls_on_rank(Side, Piece, square(F, R), Place2, Pos) :-
    either_way(square(F, R), Place2, Pos), manh_distance(square(F, R), Place2, D, Pos),
    make_move(Side, Piece, square(F, R), square(F2, R), Pos, Next),
    manh_distance(square(F2, R), Place2, D2, Next), D2 < D.
either_way(Place, Place2, Pos) :- king_and_rook(Place, Place2, Pos).
either_way(Place, Place2, Pos) :- king_and_rook(Place2, Place, Pos).
area_falls(Side, rook, Place, Place2, Pos) :-
    area(Place, Place2, Room, Pos), make_move(Side, rook, Place, New, Pos, Next),
    area(New, Place2, Room2, Next), Room2 < Room.
% Of numbers in facts of one predicate, before or after a move.
less_value(A, B, _) :- A < B.
slides(queen).
slides(bishop).
slides(rook).
other_side(white, black).
other_side(black, white).
