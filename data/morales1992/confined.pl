% The area in which a rook confines the other king, as Morales 1992 prints its first disjunct in section 7.4, and
% the three for the other corners; then the same with each area as a product.
confined(S1, rook, square(X1, Y1), S2, king, square(X2, Y2), Pos) :-
    contents(S1, rook, square(X1, Y1), Pos), contents(S2, king, square(X2, Y2), Pos),
    sliding_piece(rook, square(X1, Y1), Pos), other_side(S1, S2),
    corner_area(square(X1, Y1), bx1, by1, A1, Pos), corner_area(square(X1, Y1), bx8, by8, A2, Pos),
    corner_area(square(X2, Y2), bx1, by1, A3, Pos), corner_area(square(X2, Y2), bx8, by8, A4, Pos),
    less_value(A4, A2, Pos), less_value(A1, A3, Pos).
confined(S1, rook, square(X1, Y1), S2, king, square(X2, Y2), Pos) :-
    contents(S1, rook, square(X1, Y1), Pos), contents(S2, king, square(X2, Y2), Pos),
    sliding_piece(rook, square(X1, Y1), Pos), other_side(S1, S2),
    corner_area(square(X1, Y1), bx1, by8, A1, Pos), corner_area(square(X1, Y1), bx8, by1, A2, Pos),
    corner_area(square(X2, Y2), bx1, by8, A3, Pos), corner_area(square(X2, Y2), bx8, by1, A4, Pos),
    less_value(A4, A2, Pos), less_value(A1, A3, Pos).
confined(S1, rook, square(X1, Y1), S2, king, square(X2, Y2), Pos) :-
    contents(S1, rook, square(X1, Y1), Pos), contents(S2, king, square(X2, Y2), Pos),
    sliding_piece(rook, square(X1, Y1), Pos), other_side(S1, S2),
    corner_area(square(X1, Y1), bx8, by1, A1, Pos), corner_area(square(X1, Y1), bx1, by8, A2, Pos),
    corner_area(square(X2, Y2), bx8, by1, A3, Pos), corner_area(square(X2, Y2), bx1, by8, A4, Pos),
    less_value(A4, A2, Pos), less_value(A1, A3, Pos).
confined(S1, rook, square(X1, Y1), S2, king, square(X2, Y2), Pos) :-
    contents(S1, rook, square(X1, Y1), Pos), contents(S2, king, square(X2, Y2), Pos),
    sliding_piece(rook, square(X1, Y1), Pos), other_side(S1, S2),
    corner_area(square(X1, Y1), bx8, by8, A1, Pos), corner_area(square(X1, Y1), bx1, by1, A2, Pos),
    corner_area(square(X2, Y2), bx8, by8, A3, Pos), corner_area(square(X2, Y2), bx1, by1, A4, Pos),
    less_value(A4, A2, Pos), less_value(A1, A3, Pos).
confined_by_products(S1, rook, square(X1, Y1), S2, king, square(X2, Y2), Pos) :-
    contents(S1, rook, square(X1, Y1), Pos), contents(S2, king, square(X2, Y2), Pos),
    sliding_piece(rook, square(X1, Y1), Pos), other_side(S1, S2),
    border_distance(square(X1, Y1), bx1, B1, Pos), border_distance(square(X1, Y1), by1, C1, Pos), product(B1, C1, A1, Pos),
    border_distance(square(X1, Y1), bx8, B2, Pos), border_distance(square(X1, Y1), by8, C2, Pos), product(B2, C2, A2, Pos),
    border_distance(square(X2, Y2), bx1, B3, Pos), border_distance(square(X2, Y2), by1, C3, Pos), product(B3, C3, A3, Pos),
    border_distance(square(X2, Y2), bx8, B4, Pos), border_distance(square(X2, Y2), by8, C4, Pos), product(B4, C4, A4, Pos),
    less_value(A4, A2, Pos), less_value(A1, A3, Pos).
confined_by_products(S1, rook, square(X1, Y1), S2, king, square(X2, Y2), Pos) :-
    contents(S1, rook, square(X1, Y1), Pos), contents(S2, king, square(X2, Y2), Pos),
    sliding_piece(rook, square(X1, Y1), Pos), other_side(S1, S2),
    border_distance(square(X1, Y1), bx1, B1, Pos), border_distance(square(X1, Y1), by8, C1, Pos), product(B1, C1, A1, Pos),
    border_distance(square(X1, Y1), bx8, B2, Pos), border_distance(square(X1, Y1), by1, C2, Pos), product(B2, C2, A2, Pos),
    border_distance(square(X2, Y2), bx1, B3, Pos), border_distance(square(X2, Y2), by8, C3, Pos), product(B3, C3, A3, Pos),
    border_distance(square(X2, Y2), bx8, B4, Pos), border_distance(square(X2, Y2), by1, C4, Pos), product(B4, C4, A4, Pos),
    less_value(A4, A2, Pos), less_value(A1, A3, Pos).
confined_by_products(S1, rook, square(X1, Y1), S2, king, square(X2, Y2), Pos) :-
    contents(S1, rook, square(X1, Y1), Pos), contents(S2, king, square(X2, Y2), Pos),
    sliding_piece(rook, square(X1, Y1), Pos), other_side(S1, S2),
    border_distance(square(X1, Y1), bx8, B1, Pos), border_distance(square(X1, Y1), by1, C1, Pos), product(B1, C1, A1, Pos),
    border_distance(square(X1, Y1), bx1, B2, Pos), border_distance(square(X1, Y1), by8, C2, Pos), product(B2, C2, A2, Pos),
    border_distance(square(X2, Y2), bx8, B3, Pos), border_distance(square(X2, Y2), by1, C3, Pos), product(B3, C3, A3, Pos),
    border_distance(square(X2, Y2), bx1, B4, Pos), border_distance(square(X2, Y2), by8, C4, Pos), product(B4, C4, A4, Pos),
    less_value(A4, A2, Pos), less_value(A1, A3, Pos).
confined_by_products(S1, rook, square(X1, Y1), S2, king, square(X2, Y2), Pos) :-
    contents(S1, rook, square(X1, Y1), Pos), contents(S2, king, square(X2, Y2), Pos),
    sliding_piece(rook, square(X1, Y1), Pos), other_side(S1, S2),
    border_distance(square(X1, Y1), bx8, B1, Pos), border_distance(square(X1, Y1), by8, C1, Pos), product(B1, C1, A1, Pos),
    border_distance(square(X1, Y1), bx1, B2, Pos), border_distance(square(X1, Y1), by1, C2, Pos), product(B2, C2, A2, Pos),
    border_distance(square(X2, Y2), bx8, B3, Pos), border_distance(square(X2, Y2), by8, C3, Pos), product(B3, C3, A3, Pos),
    border_distance(square(X2, Y2), bx1, B4, Pos), border_distance(square(X2, Y2), by1, C4, Pos), product(B4, C4, A4, Pos),
    less_value(A4, A2, Pos), less_value(A1, A3, Pos).
