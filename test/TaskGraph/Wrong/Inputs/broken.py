def solve(state:
    pass
