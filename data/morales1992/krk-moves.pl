% Concepts of king and rook against king that compare distances before and after a move, with the literals
% that Morales 1992 prints in appendix C; the rook is in the definitions of closerKk and rcloserKk as in krk.pl.

closerKk(A, king, square(B, C), D, king, square(E, F), A, rook, square(G, H), I, J, square(K, L), Pos) :-
    contents(A, king, square(B, C), Pos), contents(D, king, square(E, F), Pos), other_side(D, A),
    contents(A, rook, square(G, H), Pos), sliding_piece(rook, square(G, H), Pos),
    manh_distance(square(E, F), square(B, C), I, Pos), manh_distance(square(B, C), square(E, F), I, Pos),
    make_move(A, king, square(B, C), square(K, L), Pos, Next),
    manh_distance(square(E, F), square(K, L), J, Next), manh_distance(square(K, L), square(E, F), J, Next),
    less_value(J, I, Next).
rcloserKk(A, king, square(B, C), D, king, square(E, F), A, rook, square(G, H), I, J, square(K, L), Pos) :-
    contents(A, king, square(B, C), Pos), contents(D, king, square(E, F), Pos), other_side(D, A),
    contents(A, rook, square(G, H), Pos), sliding_piece(rook, square(G, H), Pos),
    distance(square(E, F), square(B, C), I, Pos), distance(square(B, C), square(E, F), I, Pos),
    make_move(A, king, square(B, C), square(K, L), Pos, Next),
    distance(square(E, F), square(K, L), J, Next), distance(square(K, L), square(E, F), J, Next),
    less_value(J, I, Next).
awayRk(A, rook, square(B, C), D, king, square(E, F), G, H, square(I, J), Pos) :-
    contents(A, rook, square(B, C), Pos), contents(D, king, square(E, F), Pos),
    other_side(A, D), sliding_piece(rook, square(B, C), Pos),
    restr_distance(square(E, F), square(B, C), G, Pos),
    make_move(A, rook, square(B, C), square(I, J), Pos, Next),
    restr_distance(square(E, F), square(I, J), H, Next), less_value(G, H, Next).
rawayRk(A, rook, square(B, C), D, king, square(E, F), G, H, square(I, J), Pos) :-
    contents(A, rook, square(B, C), Pos), contents(D, king, square(E, F), Pos),
    other_side(A, D), sliding_piece(rook, square(B, C), Pos),
    restr_manh_dist(square(E, F), square(B, C), G, Pos),
    make_move(A, rook, square(B, C), square(I, J), Pos, Next),
    restr_manh_dist(square(E, F), square(I, J), H, Next), less_value(G, H, Next).
rcloserRk(A, rook, square(B, C), D, king, square(E, F), G, H, square(B, I), Pos) :-
    contents(A, rook, square(B, C), Pos), contents(D, king, square(E, F), Pos),
    other_side(A, D), sliding_piece(rook, square(B, C), Pos),
    restr_manh_dist(square(E, F), square(B, C), G, Pos),
    make_move(A, rook, square(B, C), square(B, I), Pos, Next),
    restr_manh_dist(square(E, F), square(B, I), H, Next), less_value(H, G, Next).
rcloserRk(A, rook, square(B, C), D, king, square(E, F), G, H, square(I, C), Pos) :-
    contents(A, rook, square(B, C), Pos), contents(D, king, square(E, F), Pos),
    other_side(A, D), sliding_piece(rook, square(B, C), Pos),
    restr_manh_dist(square(E, F), square(B, C), G, Pos),
    make_move(A, rook, square(B, C), square(I, C), Pos, Next),
    restr_manh_dist(square(E, F), square(I, C), H, Next), less_value(H, G, Next).
