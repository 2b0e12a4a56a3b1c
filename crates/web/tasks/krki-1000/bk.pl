% White king on file A, rank B; rook on C, D; black king on E, F.
adj(0,0). adj(0,1).
adj(1,0). adj(1,1). adj(1,2).
adj(2,1). adj(2,2). adj(2,3).
adj(3,2). adj(3,3). adj(3,4).
adj(4,3). adj(4,4). adj(4,5).
adj(5,4). adj(5,5). adj(5,6).
adj(6,5). adj(6,6). adj(6,7).
adj(7,6). adj(7,7).
lt(0,1). lt(0,2). lt(0,3). lt(0,4). lt(0,5). lt(0,6). lt(0,7).
lt(1,2). lt(1,3). lt(1,4). lt(1,5). lt(1,6). lt(1,7).
lt(2,3). lt(2,4). lt(2,5). lt(2,6). lt(2,7).
lt(3,4). lt(3,5). lt(3,6). lt(3,7).
lt(4,5). lt(4,6). lt(4,7).
lt(5,6). lt(5,7).
lt(6,7).
