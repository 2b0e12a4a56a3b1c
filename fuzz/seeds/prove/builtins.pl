a(L,N) :- length(L, 3), findall(X-Y, (between(1, 4, X), Y is X * X mod 3), L2), append(L, L2, M), length(M, N).
b(X) :- X = f(Y, Z), Y == Z ; X @< g(X), ground(X), \+ X \= X.
c(X) :- forall(member(X, [1,2]), X >= 1), once(member(X, [a|T])), call(succ(1), Y), plus(1, Y, 3).
d(X) :- X = [a|X], length(X, N). e(X) :- nth1(2, [a,b], X), reverse([1,2|T], Y), copy(T, "text", 'a b').
