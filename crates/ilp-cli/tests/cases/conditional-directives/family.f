grandparent(ann,dan).
grandparent(ann,eve).
grandparent(bob,fay).
