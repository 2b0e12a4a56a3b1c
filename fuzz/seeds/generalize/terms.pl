p(f(X), [1,2|T]) :- q(X, Y), q(Y, T), \+ r(X), q(A,B), q(B,C), q(C,A).
p(f(a), [1,3]) :- q(a, b), q(b, b), q(b,a), \+ r(a).
