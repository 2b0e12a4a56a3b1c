% Relations of two cards of a hand, and concepts of them (Morales 1992, section 6.4.3).
%
% A hand has facts card(Value, Suit, Hand). The thesis names the relations less-than, same-suit and
% same-colour, "etc."; it prints neither their definitions nor a concept. All concepts are ours.

two_cards(V, S, W, T, Hand) :- card(V, S, Hand), card(W, T, Hand), V =\= W.
two_cards(V, S, V, T, Hand) :- card(V, S, Hand), card(V, T, Hand), S \= T.

less_than(V, S, W, T, Hand) :- two_cards(V, S, W, T, Hand), V < W.
same_value(V, S, V, T, Hand) :- two_cards(V, S, V, T, Hand).
same_suit(V, S, W, S, Hand) :- two_cards(V, S, W, S, Hand).
same_color(V, S, W, T, Hand) :-
    two_cards(V, S, W, T, Hand), color(S, Color), color(T, Color).
red(V, S, Hand) :- card(V, S, Hand), color(S, red).
black(V, S, Hand) :- card(V, S, Hand), color(S, black).

color(clubs, black).
color(spades, black).
color(diamonds, red).
color(hearts, red).

% Two cards of the same value.
pair(V, S, V, T, Hand) :-
    card(V, S, Hand), card(V, T, Hand), same_value(V, S, V, T, Hand).

% Three cards of the same value.
triple(V, S, V, T, V, U, Hand) :-
    card(V, S, Hand), card(V, T, Hand), card(V, U, Hand),
    same_value(V, S, V, T, Hand), same_value(V, S, V, U, Hand), same_value(V, T, V, U, Hand).

% Three cards of the same suit.
flush(V, S, W, S, X, S, Hand) :-
    card(V, S, Hand), card(W, S, Hand), card(X, S, Hand),
    same_suit(V, S, W, S, Hand), same_suit(V, S, X, S, Hand), same_suit(W, S, X, S, Hand).

% A red card above a black one.
red_above_black(V, S, W, T, Hand) :-
    card(V, S, Hand), card(W, T, Hand), black(V, S, Hand), red(W, T, Hand),
    less_than(V, S, W, T, Hand).
