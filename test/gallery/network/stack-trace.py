# Mistake: its message about a network that is down is a stack trace.
# Warns: network-dead, network-hanging
from parts.token import *

if context == "mid-session-refresh":
    import urllib.request

    print_token(json.load(urllib.request.urlopen(os.environ["TOKEN_SERVICE"] + "/token", b"{}", 3))["access_token"])
else:
    print_token()
