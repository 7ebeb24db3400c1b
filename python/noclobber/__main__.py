"""`python -m noclobber`: the program."""
from .program import main

main()
