% Consequences of the predicates over placements, for the final reduction.
line(X, Y, X2, Y2, Pos) :- line(X2, Y2, X, Y, Pos).
