pos(grandparent(ann,dan)). pos(grandparent(ann,eve)). pos(grandparent(bob,fay)).
neg(grandparent(ann,bob)). neg(grandparent(bob,dan)). neg(grandparent(dan,ann)).
neg(grandparent(cas,fay)). neg(grandparent(eve,eve)).
