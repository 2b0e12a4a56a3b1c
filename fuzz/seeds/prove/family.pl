parent(a,b). parent(a,c). parent(b,d). parent(c,e). age(a, 50). age(b, 30).
anc(X,Y) :- parent(X,Y). anc(X,Z) :- parent(X,Y), anc(Y,Z).
leaf(X) :- parent(_,X), \+ parent(X,_).
first(X) :- p(X), !. small(X) :- p(X), (X < 2 -> true ; X > 2).
flat(1,[2,f(3)]). q(f(X,b),X). loop(X) :- loop(X). nat(0). nat(X) :- nat(Y), X is Y + 1.
