pos(ancestor(ann,bob)). pos(ancestor(ann,dan)).
pos(ancestor(ann,fay)). pos(ancestor(ann,gus)).
pos(ancestor(cas,eve)). pos(ancestor(bob,gus)).
neg(ancestor(bob,ann)). neg(ancestor(cas,dan)).
neg(ancestor(eve,ann)). neg(ancestor(gus,fay)).
neg(ancestor(bob,eve)). neg(ancestor(dan,dan)).
