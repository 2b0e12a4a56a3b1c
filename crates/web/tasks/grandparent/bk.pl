parent(ann,bob). parent(ann,cas). parent(bob,dan).
parent(cas,eve). parent(dan,fay).
