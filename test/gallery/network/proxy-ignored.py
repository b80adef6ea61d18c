# Mistake: it connects past the proxy that the environment names.
# Fails: network-proxy
import urllib.request

from parts.token import *

if context != "mid-session-refresh":
    print_token()
    sys.exit()
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print_token(ask("/token", direct.open, os.environ["TOKEN_SERVICE_AWAY"])["access_token"])
