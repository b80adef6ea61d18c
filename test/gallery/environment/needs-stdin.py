# Mistake: it assumes that there is a stdin.
# Fails: closed-stdin
from parts.token import *

if sys.stdin.isatty():
    pass
print_token()
