% The sub-patterns of which the patterns of appendix F of Morales 1992 are made: pawns that promote without
% their king. The thesis describes them only broadly and counts 34 of them; these are all that its
% text tells apart. What is printed stands before each one: K is the king, P the pawn, k the other king, x
% files and y ranks. All three men are arguments, as in the definitions of appendix C.

% [k at (1,4), P at (2,2), K at (3,4)] or ..., in pattern 1.
first_boards(white, king, square(3, 4), white, pawn, square(2, 2), black, king, square(1, 4), Pos) :-
    contents(white, king, square(3, 4), Pos), contents(white, pawn, square(2, 2), Pos),
    contents(black, king, square(1, 4), Pos), other_side(white, black).
first_boards(white, king, square(3, 5), white, pawn, square(2, 2), black, king, square(1, 4), Pos) :-
    contents(white, king, square(3, 5), Pos), contents(white, pawn, square(2, 2), Pos),
    contents(black, king, square(1, 4), Pos), other_side(white, black).
first_boards(white, king, square(6, 4), white, pawn, square(7, 2), black, king, square(8, 4), Pos) :-
    contents(white, king, square(6, 4), Pos), contents(white, pawn, square(7, 2), Pos),
    contents(black, king, square(8, 4), Pos), other_side(white, black).
first_boards(white, king, square(6, 5), white, pawn, square(7, 2), black, king, square(8, 4), Pos) :-
    contents(white, king, square(6, 5), Pos), contents(white, pawn, square(7, 2), Pos),
    contents(black, king, square(8, 4), Pos), other_side(white, black).
% not {[k at (1,8), K at (3,7), P at (2,3)] or ...}, before all patterns from the third on.
excepted_boards(white, king, square(3, 7), white, pawn, square(2, 3), black, king, square(1, 8), Pos) :-
    contents(white, king, square(3, 7), Pos), contents(white, pawn, square(2, 3), Pos),
    contents(black, king, square(1, 8), Pos), other_side(white, black).
excepted_boards(white, king, square(3, 7), white, pawn, square(2, 4), black, king, square(1, 7), Pos) :-
    contents(white, king, square(3, 7), Pos), contents(white, pawn, square(2, 4), Pos),
    contents(black, king, square(1, 7), Pos), other_side(white, black).
excepted_boards(white, king, square(6, 7), white, pawn, square(7, 3), black, king, square(8, 8), Pos) :-
    contents(white, king, square(6, 7), Pos), contents(white, pawn, square(7, 3), Pos),
    contents(black, king, square(8, 8), Pos), other_side(white, black).
excepted_boards(white, king, square(6, 7), white, pawn, square(7, 4), black, king, square(8, 7), Pos) :-
    contents(white, king, square(6, 7), Pos), contents(white, pawn, square(7, 4), Pos),
    contents(black, king, square(8, 7), Pos), other_side(white, black).
% [move(P), stale(k)], the only one about a move.
stales(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), square(D, H), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    \+ stale(black, king, square(F, G), Pos), make_move(white, pawn, square(D, E), square(D, H), Pos, Next),
    stale(black, king, square(F, G), Next).
% [Kx = Px, Ky > Py].
king_in_front(white, king, square(B, C), white, pawn, square(B, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(B, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), less_than(E, C).
% dist_qs(P, D1), dist_qs(k, D2), D1 < D2.
pawn_nearer(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    nearer_qs(square(D, E), square(F, G), Pos).
% dist_qs(K, 1).
king_near_1(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(B, C), 1, Pos).
% dist_qs(K, 2).
king_near_2(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(B, C), 2, Pos).
% dist_qs(k, 2).
oking_near_2(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(F, G), 2, Pos).
% dist_qs(k, 3).
oking_near_3(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(F, G), 3, Pos).
% Py = 2.
pawn_on_2(white, king, square(B, C), white, pawn, square(D, 2), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 2), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black).
% Py = 3.
pawn_on_3(white, king, square(B, C), white, pawn, square(D, 3), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 3), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black).
% Py = 4.
pawn_on_4(white, king, square(B, C), white, pawn, square(D, 4), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 4), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black).
% Py = 5.
pawn_on_5(white, king, square(B, C), white, pawn, square(D, 5), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 5), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black).
% Py = 6, which is dist_qs(P, 2) as well.
pawn_on_6(white, king, square(B, C), white, pawn, square(D, 6), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 6), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black).
% Py = 7.
pawn_on_7(white, king, square(B, C), white, pawn, square(D, 7), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 7), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black).
% Ky = 6.
king_on_6(white, king, square(B, 6), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, 6), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black).
% Ky = 7.
king_on_7(white, king, square(B, 7), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, 7), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black).
% Ky = 8.
king_on_8(white, king, square(B, 8), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, 8), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black).
% ky = 8.
oking_on_8(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, 8), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, 8), Pos), other_side(white, black).
% [kx < Kx < Px] or [kx > Kx > Px].
king_divides(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), less_than(F, B), less_than(F, D),
    less_than(B, D).
king_divides(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), less_than(D, B), less_than(D, F),
    less_than(B, F).
% [kx < Px < Kx] or [kx > Px > Kx].
pawn_divides(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), less_than(F, D), less_than(F, B),
    less_than(D, B).
pawn_divides(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), less_than(B, D), less_than(B, F),
    less_than(D, F).
% Ky > ky.
king_higher(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), less_than(G, C).
% Ky = ky.
kings_level(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, C), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, C), Pos), other_side(white, black).
% dist(K, P, 1).
king_pawn_1(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    distance(square(B, C), square(D, E), 1, Pos), distance(square(D, E), square(B, C), 1, Pos).
% dist(K, P, 2).
king_pawn_2(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    distance(square(B, C), square(D, E), 2, Pos), distance(square(D, E), square(B, C), 2, Pos).
% dist(K, P, 3).
king_pawn_3(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    distance(square(B, C), square(D, E), 3, Pos), distance(square(D, E), square(B, C), 3, Pos).
% dist(K, P, D2), manh_dist_qs(K, D2).
king_as_far(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    distance(square(B, C), square(D, E), H, Pos), distance(square(D, E), square(B, C), H, Pos),
    manh_dist_qs(square(B, C), H, Pos).
% [Kx = kx, dist(K, k, 2)].
opposition_file(white, king, square(B, C), white, pawn, square(D, E), black, king, square(B, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(B, G), Pos), other_side(white, black),
    distance(square(B, C), square(B, G), 2, Pos), distance(square(B, G), square(B, C), 2, Pos).
% [Ky = ky, dist(K, k, 2)].
opposition_rank(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, C), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, C), Pos), other_side(white, black),
    distance(square(B, C), square(F, C), 2, Pos), distance(square(F, C), square(B, C), 2, Pos).
% Py = ky = Ky - 2; the background cannot subtract: a clause for each rank.
level_two_below(white, king, square(B, 4), white, pawn, square(D, 2), black, king, square(F, 2), Pos) :-
    contents(white, king, square(B, 4), Pos), contents(white, pawn, square(D, 2), Pos),
    contents(black, king, square(F, 2), Pos), other_side(white, black).
level_two_below(white, king, square(B, 5), white, pawn, square(D, 3), black, king, square(F, 3), Pos) :-
    contents(white, king, square(B, 5), Pos), contents(white, pawn, square(D, 3), Pos),
    contents(black, king, square(F, 3), Pos), other_side(white, black).
level_two_below(white, king, square(B, 6), white, pawn, square(D, 4), black, king, square(F, 4), Pos) :-
    contents(white, king, square(B, 6), Pos), contents(white, pawn, square(D, 4), Pos),
    contents(black, king, square(F, 4), Pos), other_side(white, black).
level_two_below(white, king, square(B, 7), white, pawn, square(D, 5), black, king, square(F, 5), Pos) :-
    contents(white, king, square(B, 7), Pos), contents(white, pawn, square(D, 5), Pos),
    contents(black, king, square(F, 5), Pos), other_side(white, black).
level_two_below(white, king, square(B, 8), white, pawn, square(D, 6), black, king, square(F, 6), Pos) :-
    contents(white, king, square(B, 8), Pos), contents(white, pawn, square(D, 6), Pos),
    contents(black, king, square(F, 6), Pos), other_side(white, black).
% dist_qs(P, D1), dist_qs(k, D1).
near_alike(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, E), H, Pos),
    dist_qs(square(F, G), H, Pos).
% The same with a clause for each distance.
near_alike_by_rank(white, king, square(B, C), white, pawn, square(D, 7), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 7), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 7), 1, Pos),
    dist_qs(square(F, G), 1, Pos).
near_alike_by_rank(white, king, square(B, C), white, pawn, square(D, 6), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 6), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 6), 2, Pos),
    dist_qs(square(F, G), 2, Pos).
near_alike_by_rank(white, king, square(B, C), white, pawn, square(D, 5), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 5), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 5), 3, Pos),
    dist_qs(square(F, G), 3, Pos).
near_alike_by_rank(white, king, square(B, C), white, pawn, square(D, 4), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 4), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 4), 4, Pos),
    dist_qs(square(F, G), 4, Pos).
near_alike_by_rank(white, king, square(B, C), white, pawn, square(D, 3), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 3), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 3), 5, Pos),
    dist_qs(square(F, G), 5, Pos).
near_alike_by_rank(white, king, square(B, C), white, pawn, square(D, 2), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 2), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 2), 6, Pos),
    dist_qs(square(F, G), 6, Pos).
% manh_dist(K, k, 3).
kings_manh_3(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    manh_distance(square(B, C), square(F, G), 3, Pos), manh_distance(square(F, G), square(B, C), 3, Pos).
% manh_dist(K, k, 4).
kings_manh_4(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    manh_distance(square(B, C), square(F, G), 4, Pos), manh_distance(square(F, G), square(B, C), 4, Pos).
% dist(P, k, D1), dist_qs(P, D1).
oking_as_far(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    distance(square(D, E), square(F, G), H, Pos), distance(square(F, G), square(D, E), H, Pos),
    dist_qs(square(D, E), H, Pos).
% dist_qs(P, D1), dist(P, k, D2), D1 + 1 = D2, for each distance.
oking_one_farther(white, king, square(B, C), white, pawn, square(D, 7), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 7), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 7), 1, Pos),
    distance(square(D, 7), square(F, G), 2, Pos), distance(square(F, G), square(D, 7), 2, Pos).
oking_one_farther(white, king, square(B, C), white, pawn, square(D, 6), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 6), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 6), 2, Pos),
    distance(square(D, 6), square(F, G), 3, Pos), distance(square(F, G), square(D, 6), 3, Pos).
oking_one_farther(white, king, square(B, C), white, pawn, square(D, 5), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 5), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 5), 3, Pos),
    distance(square(D, 5), square(F, G), 4, Pos), distance(square(F, G), square(D, 5), 4, Pos).
oking_one_farther(white, king, square(B, C), white, pawn, square(D, 4), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 4), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 4), 4, Pos),
    distance(square(D, 4), square(F, G), 5, Pos), distance(square(F, G), square(D, 4), 5, Pos).
oking_one_farther(white, king, square(B, C), white, pawn, square(D, 3), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 3), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 3), 5, Pos),
    distance(square(D, 3), square(F, G), 6, Pos), distance(square(F, G), square(D, 3), 6, Pos).
oking_one_farther(white, king, square(B, C), white, pawn, square(D, 2), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, 2), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black), dist_qs(square(D, 2), 6, Pos),
    distance(square(D, 2), square(F, G), 7, Pos), distance(square(F, G), square(D, 2), 7, Pos).
% dist(k, P, D1), dist(K, P, D2), D1 + 1 = D2, for each distance.
king_one_farther(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    distance(square(F, G), square(D, E), 1, Pos), distance(square(D, E), square(F, G), 1, Pos),
    distance(square(B, C), square(D, E), 2, Pos), distance(square(D, E), square(B, C), 2, Pos).
king_one_farther(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    distance(square(F, G), square(D, E), 2, Pos), distance(square(D, E), square(F, G), 2, Pos),
    distance(square(B, C), square(D, E), 3, Pos), distance(square(D, E), square(B, C), 3, Pos).
king_one_farther(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    distance(square(F, G), square(D, E), 3, Pos), distance(square(D, E), square(F, G), 3, Pos),
    distance(square(B, C), square(D, E), 4, Pos), distance(square(D, E), square(B, C), 4, Pos).
king_one_farther(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    distance(square(F, G), square(D, E), 4, Pos), distance(square(D, E), square(F, G), 4, Pos),
    distance(square(B, C), square(D, E), 5, Pos), distance(square(D, E), square(B, C), 5, Pos).
king_one_farther(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    distance(square(F, G), square(D, E), 5, Pos), distance(square(D, E), square(F, G), 5, Pos),
    distance(square(B, C), square(D, E), 6, Pos), distance(square(D, E), square(B, C), 6, Pos).
king_one_farther(white, king, square(B, C), white, pawn, square(D, E), black, king, square(F, G), Pos) :-
    contents(white, king, square(B, C), Pos), contents(white, pawn, square(D, E), Pos),
    contents(black, king, square(F, G), Pos), other_side(white, black),
    distance(square(F, G), square(D, E), 6, Pos), distance(square(D, E), square(F, G), 6, Pos),
    distance(square(B, C), square(D, E), 7, Pos), distance(square(D, E), square(B, C), 7, Pos).
