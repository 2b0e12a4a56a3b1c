p(1, -2.5e3, "text", 'quo\\n'). q(X) :- X is - (1) + 2 ** 3, \+ r(X), {a, b} = Y ; [H|T] = "x". :- op(700, xfx, ==>). ! - (1). a ==> b. not p(X) -> !.
