pos(good(lead)). pos(good(gold)).
neg(good(iron)).
