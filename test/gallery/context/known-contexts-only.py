# Mistake: it refuses to run in a context that it does not know.
# Fails: every-context
from parts.token import *

known = ["interactive", "mid-session-refresh", "scheduled-task", "setup-test", "background"]
if context not in known:
    sys.exit("unknown context")
print_token()
