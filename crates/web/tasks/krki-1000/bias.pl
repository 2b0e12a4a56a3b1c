head_pred(illegal,6).
body_pred(adj,2).
body_pred(lt,2).
