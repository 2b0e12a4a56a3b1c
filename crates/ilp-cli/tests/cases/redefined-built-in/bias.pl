head_pred(good,1). body_pred(atom,1). body_pred(heavy,1).
type(good,(element,)). type(atom,(element,)). type(heavy,(element,)).
