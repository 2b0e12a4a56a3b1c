% What a literal over placements implies, for the final reduction.
line(X, Y, X2, Y2, Pos) :- line(X2, Y2, X, Y, Pos).
