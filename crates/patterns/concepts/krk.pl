% Concepts of king and rook against king as Morales 1992 prints them: appendices C and E.
%
% Where the thesis says that a distance before a move and one after it compare in some way, a relation of
% the background says here that the piece can move so; the square that it moves to is no argument. The
% second clause of in_lineRK is printed with other_side(A, E), which is always true, threatkR without
% its last literal, which follows from the one before, and closerKk and rcloserKk without the rook.

% Appendix C.

threatkR(A, king, square(B, C), D, rook, square(E, F), Pos) :-
    contents(D, rook, square(E, F), Pos), contents(A, king, square(B, C), Pos),
    other_side(D, A), sliding_piece(rook, square(E, F), Pos),
    legal_move(A, king, square(B, C), square(E, F), Pos),
    make_move(A, king, square(B, C), square(E, F), Pos, Next),
    \+ contents(D, rook, square(E, F), Next), \+ sliding_piece(rook, square(E, F), Next).
rook_divs(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordx(square(B, C), B, Pos), coordx(square(D, E), D, Pos), coordx(square(G, H), G, Pos),
    less_than(G, D), less_than(G, B), less_than(D, B).
rook_divs(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordx(square(B, C), B, Pos), coordx(square(D, E), D, Pos), coordx(square(G, H), G, Pos),
    less_than(B, D), less_than(B, G), less_than(D, G).
rook_divs(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordy(square(B, C), C, Pos), coordy(square(D, E), E, Pos), coordy(square(G, H), H, Pos),
    less_than(H, E), less_than(H, C), less_than(E, C).
rook_divs(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordy(square(B, C), C, Pos), coordy(square(D, E), E, Pos), coordy(square(G, H), H, Pos),
    less_than(C, E), less_than(C, H), less_than(E, H).
opposition(A, king, square(B, C), D, king, square(B, E), 2, Pos) :-
    contents(A, king, square(B, C), Pos), contents(D, king, square(B, E), Pos), other_side(A, D),
    distance(square(B, C), square(B, E), 2, Pos), distance(square(B, E), square(B, C), 2, Pos).
opposition(A, king, square(B, C), D, king, square(E, C), 2, Pos) :-
    contents(A, king, square(B, C), Pos), contents(D, king, square(E, C), Pos), other_side(A, D),
    distance(square(B, C), square(E, C), 2, Pos), distance(square(E, C), square(B, C), 2, Pos).
almost_opposition(A, king, square(B, C), D, king, square(E, F), 2, 3, Pos) :-
    contents(A, king, square(B, C), Pos), contents(D, king, square(E, F), Pos), other_side(A, D),
    distance(square(B, C), square(E, F), 2, Pos), distance(square(E, F), square(B, C), 2, Pos),
    manh_distance(square(B, C), square(E, F), 3, Pos), manh_distance(square(E, F), square(B, C), 3, Pos).
r_edge(A, rook, square(B, 1), Pos) :-
    contents(A, rook, square(B, 1), Pos), sliding_piece(rook, square(B, 1), Pos).
r_edge(A, rook, square(B, 8), Pos) :-
    contents(A, rook, square(B, 8), Pos), sliding_piece(rook, square(B, 8), Pos).
r_edge(A, rook, square(8, B), Pos) :-
    contents(A, rook, square(8, B), Pos), sliding_piece(rook, square(8, B), Pos).
r_edge(A, rook, square(1, B), Pos) :-
    contents(A, rook, square(1, B), Pos), sliding_piece(rook, square(1, B), Pos).
kings_same_side(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordx(square(B, C), B, Pos), coordx(square(D, E), D, Pos), coordx(square(G, H), G, Pos),
    less_than(D, G), less_than(D, B).
kings_same_side(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordy(square(B, C), C, Pos), coordy(square(D, E), E, Pos), coordy(square(G, H), H, Pos),
    less_than(H, E), less_than(C, E).
kings_same_side(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordy(square(B, C), C, Pos), coordy(square(D, E), E, Pos), coordy(square(G, H), H, Pos),
    less_than(E, H), less_than(E, C).
kings_same_side(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordx(square(B, C), B, Pos), coordx(square(D, E), D, Pos), coordx(square(G, H), G, Pos),
    less_than(G, D), less_than(B, D).
l_patt(A, king, square(B, C), D, king, square(E, C), D, rook, square(B, F), 2, square(E, F), Pos) :-
    contents(D, king, square(E, C), Pos), contents(D, rook, square(B, F), Pos),
    contents(A, king, square(B, C), Pos), other_side(A, D), sliding_piece(rook, square(B, F), Pos),
    in_check(A, square(B, C), rook, square(B, F), Pos),
    legal_move(D, rook, square(B, F), square(E, F), Pos),
    opposition(A, king, square(B, C), D, king, square(E, C), 2, Pos),
    opposition(D, king, square(E, C), A, king, square(B, C), 2, Pos).
l_patt(A, king, square(B, C), D, king, square(B, E), D, rook, square(F, C), 2, square(F, E), Pos) :-
    contents(A, king, square(B, C), Pos), contents(D, king, square(B, E), Pos),
    contents(D, rook, square(F, C), Pos), other_side(D, A), sliding_piece(rook, square(F, C), Pos),
    in_check(A, square(B, C), rook, square(F, C), Pos),
    legal_move(D, rook, square(F, C), square(F, E), Pos),
    opposition(D, king, square(B, E), A, king, square(B, C), 2, Pos),
    opposition(A, king, square(B, C), D, king, square(B, E), 2, Pos).
rKk(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordx(square(B, C), B, Pos), coordx(square(D, E), D, Pos), coordx(square(G, H), G, Pos),
    less_than(D, G), less_than(D, B), less_than(G, B).
rKk(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordx(square(B, C), B, Pos), coordx(square(D, E), D, Pos), coordx(square(G, H), G, Pos),
    less_than(B, G), less_than(B, D), less_than(G, D).
rKk(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordy(square(B, C), C, Pos), coordy(square(D, E), E, Pos), coordy(square(G, H), H, Pos),
    less_than(E, H), less_than(E, C), less_than(H, C).
rKk(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordy(square(B, C), C, Pos), coordy(square(D, E), E, Pos), coordy(square(G, H), H, Pos),
    less_than(C, H), less_than(C, E), less_than(H, E).
rkK(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordx(square(B, C), B, Pos), coordx(square(D, E), D, Pos), coordx(square(G, H), G, Pos),
    less_than(D, B), less_than(D, G), less_than(B, G).
rkK(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordx(square(B, C), B, Pos), coordx(square(D, E), D, Pos), coordx(square(G, H), G, Pos),
    less_than(G, B), less_than(G, D), less_than(B, D).
rkK(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordy(square(B, C), C, Pos), coordy(square(D, E), E, Pos), coordy(square(G, H), H, Pos),
    less_than(E, C), less_than(E, H), less_than(C, H).
rkK(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    coordy(square(B, C), C, Pos), coordy(square(D, E), E, Pos), coordy(square(G, H), H, Pos),
    less_than(H, C), less_than(H, E), less_than(C, E).
closerKk(A, king, square(B, C), D, king, square(E, F), A, rook, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(D, king, square(E, F), Pos), other_side(D, A),
    contents(A, rook, square(G, H), Pos), sliding_piece(rook, square(G, H), Pos),
    manh_distance_falls(A, king, square(B, C), square(E, F), Pos).
rcloserKk(A, king, square(B, C), D, king, square(E, F), A, rook, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(D, king, square(E, F), Pos), other_side(D, A),
    contents(A, rook, square(G, H), Pos), sliding_piece(rook, square(G, H), Pos),
    distance_falls(A, king, square(B, C), square(E, F), Pos).
awayRk(A, rook, square(B, C), D, king, square(E, F), Pos) :-
    contents(A, rook, square(B, C), Pos), contents(D, king, square(E, F), Pos),
    other_side(A, D), sliding_piece(rook, square(B, C), Pos),
    restr_distance_rises(A, rook, square(B, C), square(E, F), Pos).
rawayRk(A, rook, square(B, C), D, king, square(E, F), Pos) :-
    contents(A, rook, square(B, C), Pos), contents(D, king, square(E, F), Pos),
    other_side(A, D), sliding_piece(rook, square(B, C), Pos),
    restr_manh_dist_rises(A, rook, square(B, C), square(E, F), Pos).
rcloserRk(A, rook, square(B, C), D, king, square(E, F), Pos) :-
    contents(A, rook, square(B, C), Pos), contents(D, king, square(E, F), Pos),
    other_side(A, D), sliding_piece(rook, square(B, C), Pos),
    restr_manh_dist_falls_on_file(A, rook, square(B, C), square(E, F), Pos).
rcloserRk(A, rook, square(B, C), D, king, square(E, F), Pos) :-
    contents(A, rook, square(B, C), Pos), contents(D, king, square(E, F), Pos),
    other_side(A, D), sliding_piece(rook, square(B, C), Pos),
    restr_manh_dist_falls_on_rank(A, rook, square(B, C), square(E, F), Pos).
in_lineRK(A, king, square(B, C), A, rook, square(B, D), Pos) :-
    contents(A, rook, square(B, D), Pos), contents(A, king, square(B, C), Pos),
    sliding_piece(rook, square(B, D), Pos).
in_lineRK(A, king, square(B, C), A, rook, square(D, C), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, C), Pos),
    sliding_piece(rook, square(D, C), Pos).
closeRK2(A, rook, square(B, C), A, king, square(D, E), 2, Pos) :-
    contents(A, rook, square(B, C), Pos), contents(A, king, square(D, E), Pos),
    sliding_piece(rook, square(B, C), Pos),
    distance(square(D, E), square(B, C), 2, Pos), distance(square(B, C), square(D, E), 2, Pos).
distkR6(A, rook, square(B, C), F, king, square(D, E), 6, Pos) :-
    contents(A, rook, square(B, C), Pos), contents(F, king, square(D, E), Pos),
    other_side(A, F), sliding_piece(rook, square(B, C), Pos),
    distance(square(D, E), square(B, C), 6, Pos), distance(square(B, C), square(D, E), 6, Pos).

% Appendix E.

squeeze(A, king, square(B, C), D, rook, square(E, F), square(E, C), square(B, F), Pos) :-
    contents(D, rook, square(E, F), Pos), contents(A, king, square(B, C), Pos), other_side(D, A),
    sliding_piece(rook, square(E, F), Pos), legal_move(D, rook, square(E, F), square(E, C), Pos),
    legal_move(D, rook, square(E, F), square(B, F), Pos),
    area_falls(D, rook, square(E, F), square(B, C), Pos).
closerkKR(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    nearer(square(D, E), square(G, H), square(B, C), Pos).
closerKkR(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    nearer(square(D, E), square(B, C), square(G, H), Pos).
k_trap(A, rook, square(B, 2), C, king, square(D, 1), Pos) :-
    contents(A, rook, square(B, 2), Pos), contents(C, king, square(D, 1), Pos),
    other_side(A, C), sliding_piece(rook, square(B, 2), Pos).
k_trap(A, rook, square(2, B), C, king, square(1, D), Pos) :-
    contents(A, rook, square(2, B), Pos), contents(C, king, square(1, D), Pos),
    other_side(A, C), sliding_piece(rook, square(2, B), Pos).
k_trap(A, rook, square(B, 7), C, king, square(D, 8), Pos) :-
    contents(A, rook, square(B, 7), Pos), contents(C, king, square(D, 8), Pos),
    other_side(A, C), sliding_piece(rook, square(B, 7), Pos).
k_trap(A, rook, square(7, B), C, king, square(8, D), Pos) :-
    contents(A, rook, square(7, B), Pos), contents(C, king, square(8, D), Pos),
    other_side(A, C), sliding_piece(rook, square(7, B), Pos).
distKR1(A, king, square(B, C), A, rook, square(D, E), F, king, square(G, H), 1, Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    contents(F, king, square(G, H), Pos), other_side(A, F), sliding_piece(rook, square(D, E), Pos),
    distance(square(D, E), square(B, C), 1, Pos), distance(square(B, C), square(D, E), 1, Pos),
    nearer(square(B, C), square(D, E), square(G, H), Pos).
mvKcloserR(A, king, square(B, C), A, rook, square(D, E), Pos) :-
    contents(A, king, square(B, C), Pos), contents(A, rook, square(D, E), Pos),
    sliding_piece(rook, square(D, E), Pos),
    restr_distance_falls(A, king, square(B, C), square(D, E), Pos).
corner(A, king, square(3, 3), B, king, square(1, 1), Pos) :-
    contents(A, king, square(3, 3), Pos), contents(B, king, square(1, 1), Pos), other_side(A, B).
corner(A, king, square(3, 6), B, king, square(1, 8), Pos) :-
    contents(A, king, square(3, 6), Pos), contents(B, king, square(1, 8), Pos), other_side(A, B).
corner(A, king, square(6, 3), B, king, square(8, 1), Pos) :-
    contents(A, king, square(6, 3), Pos), contents(B, king, square(8, 1), Pos), other_side(A, B).
corner(A, king, square(6, 6), B, king, square(8, 8), Pos) :-
    contents(A, king, square(6, 6), Pos), contents(B, king, square(8, 8), Pos), other_side(A, B).
corner2(A, king, square(3, 3), B, king, square(1, 2), Pos) :-
    contents(A, king, square(3, 3), Pos), contents(B, king, square(1, 2), Pos), other_side(A, B).
corner2(A, king, square(3, 3), B, king, square(2, 1), Pos) :-
    contents(A, king, square(3, 3), Pos), contents(B, king, square(2, 1), Pos), other_side(A, B).
corner2(A, king, square(3, 6), B, king, square(1, 7), Pos) :-
    contents(A, king, square(3, 6), Pos), contents(B, king, square(1, 7), Pos), other_side(A, B).
corner2(A, king, square(3, 6), B, king, square(2, 8), Pos) :-
    contents(A, king, square(3, 6), Pos), contents(B, king, square(2, 8), Pos), other_side(A, B).
corner2(A, king, square(6, 3), B, king, square(8, 2), Pos) :-
    contents(A, king, square(6, 3), Pos), contents(B, king, square(8, 2), Pos), other_side(A, B).
corner2(A, king, square(6, 3), B, king, square(7, 1), Pos) :-
    contents(A, king, square(6, 3), Pos), contents(B, king, square(7, 1), Pos), other_side(A, B).
corner2(A, king, square(6, 6), B, king, square(8, 7), Pos) :-
    contents(A, king, square(6, 6), Pos), contents(B, king, square(8, 7), Pos), other_side(A, B).
corner2(A, king, square(6, 6), B, king, square(7, 8), Pos) :-
    contents(A, king, square(6, 6), Pos), contents(B, king, square(7, 8), Pos), other_side(A, B).
