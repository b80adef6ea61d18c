# Mistake: it fails without a message.
# Fails: network-dead, network-hanging
from parts.token import *

if context == "mid-session-refresh":
    sys.stderr = open(os.devnull, "w")
    print_token(ask("/token")["access_token"])
else:
    print_token()
