"""Zone rules that change: other releases of tzdata, and the move from one to the next."""
