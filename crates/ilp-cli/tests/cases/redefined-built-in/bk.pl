heavy(lead). heavy(gold).
atom(lead).
atom(gold).
atom(iron).
