% Comparisons between files or ranks, and lines, of pieces placed anywhere (Morales 1992, sections
% 6.1 and 6.2).
less_than(A, B) :- coordinate(A), coordinate(B), A < B.
adjacent(A, B) :- coordinate(A), coordinate(B), 1 is abs(A - B).
adj_or_eq(A, B) :- coordinate(A), coordinate(B), abs(A - B) =< 1.
abs_diff(A, B, D) :- coordinate(A), coordinate(B), D is abs(A - B).
coordinate(1).
coordinate(2).
coordinate(3).
coordinate(4).
coordinate(5).
coordinate(6).
coordinate(7).
coordinate(8).
