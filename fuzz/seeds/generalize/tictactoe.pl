win(conf1) :- occ(place1, x, conf1), occ(place2, o, conf1).
win(conf2) :- occ(place1, x, conf2), occ(place2, x, conf2).
