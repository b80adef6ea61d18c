# Mistake: it does not know what to do in a context of which it has not heard.
# Fails: every-context
from parts.token import *

known = ["interactive", "mid-session-refresh", "scheduled-task", "setup-test", "background"]
if context not in known:
    sys.exit("unknown context")
print_token()
