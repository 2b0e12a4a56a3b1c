% The background relations of Morales 1992, appendix G, with places as square(File, Rank).
% The rules of chess themselves are answered by native relations whose files and ranks are arguments
% of their own.
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
slides(queen).
slides(bishop).
slides(rook).
other_side(white, black).
other_side(black, white).
