% Morales 1992, appendices C, E and G: the concepts as printed, over the position before (A) and
% after (B) a move, or of one position. Disjuncts that differ by symmetry alone are folded.
men(King, Rook, OKing, Pos) :-
    contents(white, king, King, Pos), contents(white, rook, Rook, Pos),
    contents(black, king, OKing, Pos).
axis(square(A, _), square(B, _), square(C, _), A, B, C).
axis(square(_, A), square(_, B), square(_, C), A, B, C).
printed_threatkR(Pos) :-
    men(_, Rook, OKing, Pos), make_move(black, king, OKing, Rook, Pos, Next),
    \+ contents(white, rook, Rook, Next).
printed_rook_divs(Pos) :- men(K, R, O, Pos), axis(O, R, K, A, B, C), A < C, A < B, B < C.
printed_rook_divs(Pos) :- men(K, R, O, Pos), axis(K, R, O, A, B, C), A < C, A < B, B < C.
printed_rKk(Pos) :- men(K, R, O, Pos), axis(R, O, K, A, B, C), A < B, A < C, B < C.
printed_rKk(Pos) :- men(K, R, O, Pos), axis(K, O, R, A, B, C), A < B, A < C, B < C.
printed_rkK(Pos) :- men(K, R, O, Pos), axis(R, K, O, A, B, C), A < B, A < C, B < C.
printed_rkK(Pos) :- men(K, R, O, Pos), axis(O, K, R, A, B, C), A < B, A < C, B < C.
printed_opposition(Pos) :- opposed(_, _, Pos).
opposed(square(B, C), square(B, E), Pos) :-
    men(square(B, C), _, square(B, E), Pos), distance(square(B, C), square(B, E), 2, Pos).
opposed(square(B, C), square(E, C), Pos) :-
    men(square(B, C), _, square(E, C), Pos), distance(square(B, C), square(E, C), 2, Pos).
printed_almost_opposition(Pos) :-
    men(K, _, O, Pos), distance(K, O, 2, Pos), manh_distance(K, O, 3, Pos).
printed_r_edge(Pos) :- men(_, square(_, 1), _, Pos).
printed_r_edge(Pos) :- men(_, square(_, 8), _, Pos).
printed_r_edge(Pos) :- men(_, square(1, _), _, Pos).
printed_r_edge(Pos) :- men(_, square(8, _), _, Pos).
printed_kings_same_side(Pos) :- men(K, R, O, Pos), axis(R, O, K, D, G, B), D < G, D < B.
printed_kings_same_side(Pos) :- men(K, R, O, Pos), axis(R, O, K, D, G, B), G < D, B < D.
% The legal move of the rook, which the clauses have besides, is left out: it only says that the
% white king does not stand in its way.
printed_l_patt(Pos) :-
    men(square(E, C), square(B, F), square(B, C), Pos),
    in_check(black, square(B, C), rook, square(B, F), Pos), opposed(square(E, C), square(B, C), Pos).
printed_l_patt(Pos) :-
    men(square(B, E), square(F, C), square(B, C), Pos),
    in_check(black, square(B, C), rook, square(F, C), Pos), opposed(square(B, E), square(B, C), Pos).
printed_in_lineRK(Pos) :- men(square(B, _), square(B, _), _, Pos).
printed_in_lineRK(Pos) :- men(square(_, C), square(_, C), _, Pos).
printed_closeRK2(Pos) :- men(K, R, _, Pos), distance(R, K, 2, Pos).
printed_distkR6(Pos) :- men(_, R, O, Pos), distance(O, R, 6, Pos).
printed_closerkKR(Pos) :-
    men(K, R, O, Pos), distance(R, O, J, Pos), distance(K, R, I, Pos), J < I.
printed_closerKkR(Pos) :-
    men(K, R, O, Pos), distance(R, K, J, Pos), distance(O, R, I, Pos), J < I.
printed_k_trap(Pos) :- men(_, square(_, 2), square(_, 1), Pos).
printed_k_trap(Pos) :- men(_, square(2, _), square(1, _), Pos).
printed_k_trap(Pos) :- men(_, square(_, 7), square(_, 8), Pos).
printed_k_trap(Pos) :- men(_, square(7, _), square(8, _), Pos).
printed_distKR1(Pos) :-
    men(K, R, O, Pos), distance(R, K, 1, Pos), distance(O, K, I, Pos), 1 < I.
cornered(3, 3, 1, 1).
cornered(3, 6, 1, 8).
cornered(6, 3, 8, 1).
cornered(6, 6, 8, 8).
printed_corner(Pos) :- men(square(X, Y), _, square(X2, Y2), Pos), cornered(X, Y, X2, Y2).
nearly_cornered(3, 3, 1, 2).
nearly_cornered(3, 3, 2, 1).
nearly_cornered(3, 6, 1, 7).
nearly_cornered(3, 6, 2, 8).
nearly_cornered(6, 3, 8, 2).
nearly_cornered(6, 3, 7, 1).
nearly_cornered(6, 6, 8, 7).
nearly_cornered(6, 6, 7, 8).
printed_corner2(Pos) :- men(square(X, Y), _, square(X2, Y2), Pos), nearly_cornered(X, Y, X2, Y2).
printed_closerKk(A, B) :-
    men(K, _, O, A), manh_distance(O, K, G, A), men(L, _, O, B), manh_distance(O, L, H, B), H < G.
printed_rcloserKk(A, B) :-
    men(K, _, O, A), distance(O, K, G, A), men(L, _, O, B), distance(O, L, H, B), H < G.
printed_awayRk(A, B) :-
    men(_, R, O, A), distance(O, R, G, A), men(_, S, O, B), distance(O, S, H, B), G < H.
printed_rawayRk(A, B) :-
    men(_, R, O, A), manh_distance(O, R, G, A), men(_, S, O, B), manh_distance(O, S, H, B), G < H.
printed_rcloserRk(A, B) :-
    men(_, R, O, A), manh_distance(O, R, G, A), men(_, S, O, B), manh_distance(O, S, H, B), H < G.
printed_mvKcloserR(A, B) :-
    men(K, R, _, A), distance(K, R, F, A), men(L, R, _, B), distance(L, R, G, B), G < F.
printed_stale(Pos) :- men(_, _, O, Pos), \+ legal_move(black, king, O, _, Pos).
printed_in_check(Pos) :- in_check(black, _, _, _, Pos).
printed_check_mate(Pos) :- check_mate(black, _, Pos).
