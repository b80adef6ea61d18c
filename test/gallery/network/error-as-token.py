# Mistake: it prints its error message on stdout and ends with exit status 0, so the client sends the message.
# Fails: network-dead, network-hanging
from parts.token import *

if context != "mid-session-refresh":
    print_token()
    sys.exit()
try:
    print_token(ask("/token")["access_token"])
except SystemExit as failure:
    print(failure)
