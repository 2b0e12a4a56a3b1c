% Chess concepts as Morales 1992 prints them: section 6.3.1, and appendices A and B.
%
% Places are square(File, Rank). Each definition describes every piece of its head with contents/4 in
% the position it starts from (section 5.1.2), also where the printed one leaves such a literal out
% after its final reduction. Slips of the print that were mended are named with the definition.

% A piece can capture another one, the opponent not being in check.
threat(S1, P1, square(X1, Y1), S2, P2, square(X2, Y2), Pos1) :-
    contents(S1, P1, square(X1, Y1), Pos1),
    contents(S2, P2, square(X2, Y2), Pos1),
    other_side(S2, S1),
    make_move(S1, P1, square(X1, Y1), square(X2, Y2), Pos1, Pos2),
    \+ contents(S2, P2, square(X2, Y2), Pos2).

% The same without a move.
threat1(S1, P1, square(X1, Y1), S2, P2, square(X2, Y2), Pos) :-
    contents(S1, P1, square(X1, Y1), Pos),
    contents(S2, P2, square(X2, Y2), Pos),
    other_side(S2, S1),
    legal_move(S1, P1, square(X1, Y1), square(X2, Y2), Pos).

% The head of the printed definition has X2 for Y1.
fork(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
    contents(S1, king, square(X1, Y1), Pos),
    contents(S1, P2, square(X2, Y2), Pos),
    contents(S2, P3, square(X3, Y3), Pos),
    other_side(S2, S1),
    in_check(S1, square(X1, Y1), P3, square(X3, Y3), Pos),
    legal_move(S2, P3, square(X3, Y3), square(X2, Y2), Pos).

% The last literal has P2 for P1 in section 6.3.1; section 5.2.2.3 has it right.
can_check(S1, P1, square(X1, Y1), S2, king, square(X2, Y2), square(X3, Y3), Pos1) :-
    contents(S1, P1, square(X1, Y1), Pos1),
    contents(S2, king, square(X2, Y2), Pos1),
    other_side(S1, S2),
    \+ in_check(S2, square(X2, Y2), P1, square(X1, Y1), Pos1),
    make_move(S1, P1, square(X1, Y1), square(X3, Y3), Pos1, Pos2),
    in_check(S2, square(X2, Y2), P1, square(X3, Y3), Pos2).

can_threat(S1, P1, square(X1, Y1), S2, P2, square(X2, Y2), square(X3, Y3), Pos1) :-
    contents(S1, P1, square(X1, Y1), Pos1),
    contents(S2, P2, square(X2, Y2), Pos1),
    other_side(S1, S2),
    \+ threat(S1, P1, square(X1, Y1), S2, P2, square(X2, Y2), Pos1),
    make_move(S1, P1, square(X1, Y1), square(X3, Y3), Pos1, Pos2),
    threat(S1, P1, square(X3, Y3), S2, P2, square(X2, Y2), Pos2).

can_fork(S1, P1, square(X1, Y1), S2, king, square(X2, Y2), S2, P3, square(X3, Y3),
         square(X4, Y4), Pos1) :-
    contents(S1, P1, square(X1, Y1), Pos1),
    contents(S2, king, square(X2, Y2), Pos1),
    contents(S2, P3, square(X3, Y3), Pos1),
    other_side(S1, S2),
    \+ fork(S2, king, square(X2, Y2), S2, P3, square(X3, Y3), S1, P1, square(X1, Y1), Pos1),
    make_move(S1, P1, square(X1, Y1), square(X4, Y4), Pos1, Pos2),
    fork(S2, king, square(X2, Y2), S2, P3, square(X3, Y3), S1, P1, square(X4, Y4), Pos2).

disc_check(S1, P1, square(X1, Y1), S1, P2, square(X2, Y2), S2, king, square(X3, Y3),
           square(X4, Y4), Pos1) :-
    contents(S1, P1, square(X1, Y1), Pos1),
    contents(S1, P2, square(X2, Y2), Pos1),
    contents(S2, king, square(X3, Y3), Pos1),
    other_side(S1, S2),
    sliding_piece(P1, square(X1, Y1), Pos1),
    \+ in_check(S2, square(X3, Y3), P1, square(X1, Y1), Pos1),
    make_move(S1, P2, square(X2, Y2), square(X4, Y4), Pos1, Pos2),
    in_check(S2, square(X3, Y3), P1, square(X1, Y1), Pos2).

disc_threat(S1, P1, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3),
            square(X4, Y4), Pos1) :-
    contents(S1, P1, square(X1, Y1), Pos1),
    contents(S1, P2, square(X2, Y2), Pos1),
    contents(S2, P3, square(X3, Y3), Pos1),
    other_side(S1, S2),
    sliding_piece(P1, square(X1, Y1), Pos1),
    \+ threat(S1, P1, square(X1, Y1), S2, P3, square(X3, Y3), Pos1),
    make_move(S1, P2, square(X2, Y2), square(X4, Y4), Pos1, Pos2),
    threat(S1, P1, square(X1, Y1), S2, P3, square(X3, Y3), Pos2).

% Accepts a blocked pawn for a pinned one, as the thesis says (Figure 6.2).
pin1(S1, P1, square(X1, Y1), S2, king, square(X2, Y2), S2, P3, square(X3, Y3), Pos1) :-
    contents(S1, P1, square(X1, Y1), Pos1),
    contents(S2, king, square(X2, Y2), Pos1),
    contents(S2, P3, square(X3, Y3), Pos1),
    sliding_piece(P1, square(X1, Y1), Pos1),
    stale(S2, P3, square(X3, Y3), Pos1),
    threat(S1, P1, square(X1, Y1), S2, P3, square(X3, Y3), Pos1),
    \+ in_check(S2, square(X2, Y2), P1, square(X1, Y1), Pos1),
    make_move(S1, P1, square(X1, Y1), square(X3, Y3), Pos1, Pos2),
    \+ contents(S2, P3, square(X3, Y3), Pos2),
    \+ stale(S2, P3, square(X3, Y3), Pos2),
    \+ threat(S1, P1, square(X1, Y1), S2, P3, square(X3, Y3), Pos2),
    in_check(S2, square(X2, Y2), P1, square(X3, Y3), Pos2).

% The heads of ltx3, lty3 and ltxy3 are printed with Side1 for S1.
w_line(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
    contents(S1, king, square(X1, Y1), Pos),
    contents(S1, P2, square(X2, Y2), Pos),
    contents(S2, P3, square(X3, Y3), Pos),
    other_side(S1, S2),
    all_but_k(P3, square(X3, Y3), Pos),
    all_but_k(P2, square(X2, Y2), Pos),
    line(square(X1, Y1), square(X3, Y3), Pos),
    line(square(X1, Y1), square(X2, Y2), Pos),
    line(square(X2, Y2), square(X3, Y3), Pos),
    line(square(X2, Y2), square(X1, Y1), Pos),
    line(square(X3, Y3), square(X2, Y2), Pos),
    line(square(X3, Y3), square(X1, Y1), Pos).

ltx3(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
    contents(S1, king, square(X1, Y1), Pos),
    contents(S1, P2, square(X2, Y2), Pos),
    contents(S2, P3, square(X3, Y3), Pos),
    other_side(S1, S2),
    all_but_k(P2, square(X2, Y2), Pos),
    all_but_k(P3, square(X3, Y3), Pos),
    coordx(square(X1, Y1), X1, Pos),
    coordx(square(X2, Y2), X2, Pos),
    coordx(square(X3, Y3), X3, Pos),
    less_than(X1, X2), less_than(X1, X3), less_than(X2, X3).
ltx3(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
    contents(S1, king, square(X1, Y1), Pos),
    contents(S1, P2, square(X2, Y2), Pos),
    contents(S2, P3, square(X3, Y3), Pos),
    other_side(S1, S2),
    all_but_k(P2, square(X2, Y2), Pos),
    all_but_k(P3, square(X3, Y3), Pos),
    coordx(square(X1, Y1), X1, Pos),
    coordx(square(X2, Y2), X2, Pos),
    coordx(square(X3, Y3), X3, Pos),
    less_than(X2, X1), less_than(X3, X1), less_than(X3, X2).

lty3(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
    contents(S1, king, square(X1, Y1), Pos),
    contents(S1, P2, square(X2, Y2), Pos),
    contents(S2, P3, square(X3, Y3), Pos),
    other_side(S1, S2),
    all_but_k(P2, square(X2, Y2), Pos),
    all_but_k(P3, square(X3, Y3), Pos),
    coordy(square(X1, Y1), Y1, Pos),
    coordy(square(X2, Y2), Y2, Pos),
    coordy(square(X3, Y3), Y3, Pos),
    less_than(Y1, Y2), less_than(Y1, Y3), less_than(Y2, Y3).
lty3(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
    contents(S1, king, square(X1, Y1), Pos),
    contents(S1, P2, square(X2, Y2), Pos),
    contents(S2, P3, square(X3, Y3), Pos),
    other_side(S1, S2),
    all_but_k(P2, square(X2, Y2), Pos),
    all_but_k(P3, square(X3, Y3), Pos),
    coordy(square(X1, Y1), Y1, Pos),
    coordy(square(X2, Y2), Y2, Pos),
    coordy(square(X3, Y3), Y3, Pos),
    less_than(Y2, Y1), less_than(Y3, Y1), less_than(Y3, Y2).

ltxy3(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
    contents(S1, king, square(X1, Y1), Pos),
    contents(S1, P2, square(X2, Y2), Pos),
    contents(S2, P3, square(X3, Y3), Pos),
    ltx3(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos),
    lty3(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos).

in_line(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
    contents(S1, king, square(X1, Y1), Pos),
    contents(S1, P2, square(X2, Y2), Pos),
    contents(S2, P3, square(X3, Y3), Pos),
    w_line(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos),
    ltx3(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos).
in_line(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
    contents(S1, king, square(X1, Y1), Pos),
    contents(S1, P2, square(X2, Y2), Pos),
    contents(S2, P3, square(X3, Y3), Pos),
    w_line(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos),
    lty3(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos).
in_line(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
    contents(S1, king, square(X1, Y1), Pos),
    contents(S1, P2, square(X2, Y2), Pos),
    contents(S2, P3, square(X3, Y3), Pos),
    w_line(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos),
    ltxy3(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos).

pin2(S1, P1, square(X1, Y1), S2, king, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
    contents(S1, P1, square(X1, Y1), Pos),
    contents(S2, king, square(X2, Y2), Pos),
    contents(S2, P3, square(X3, Y3), Pos),
    sliding_piece(P1, square(X1, Y1), Pos),
    stale(S2, P3, square(X3, Y3), Pos),
    threat(S1, P1, square(X1, Y1), S2, P3, square(X3, Y3), Pos),
    in_line(S2, king, square(X2, Y2), S2, P3, square(X3, Y3), S1, P1, square(X1, Y1), Pos).

skewer(S1, P1, square(X1, Y1), S2, king, square(X2, Y2), S2, P3, square(X3, Y3),
       square(X4, Y4), Pos1) :-
    contents(S1, P1, square(X1, Y1), Pos1),
    contents(S2, king, square(X2, Y2), Pos1),
    contents(S2, P3, square(X3, Y3), Pos1),
    sliding_piece(P1, square(X1, Y1), Pos1),
    stale(S2, P3, square(X3, Y3), Pos1),
    in_check(S2, square(X2, Y2), P1, square(X1, Y1), Pos1),
    \+ threat1(S1, P1, square(X1, Y1), S2, P3, square(X3, Y3), Pos1),
    make_move(S2, king, square(X2, Y2), square(X4, Y4), Pos1, Pos2),
    \+ stale(S2, P3, square(X3, Y3), Pos2),
    \+ in_check(S2, square(X2, Y2), P1, square(X1, Y1), Pos2),
    threat1(S1, P1, square(X1, Y1), S2, P3, square(X3, Y3), Pos2).
