head_pred(grandparent,2). body_pred(parent,2).
type(grandparent,(person,person)). type(parent,(person,person)).
