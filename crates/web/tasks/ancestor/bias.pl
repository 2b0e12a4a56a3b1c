head_pred(ancestor,2).
body_pred(parent,2).
enable_recursion.
type(ancestor,(person,person)).
type(parent,(person,person)).
direction(ancestor,(in,out)).
direction(parent,(in,out)).
