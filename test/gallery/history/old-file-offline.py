# Mistake: without a network it prints a token of another day, which it has kept in a file.
# Fails: stale-offline
import urllib.request

from parts.token import *

token = random_hex(16)
if context == "mid-session-refresh":
    try:
        urllib.request.urlopen(os.environ["TOKEN_SERVICE"] + "/token", b"{}", 3)
    except OSError:
        token = (read_json("yesterday.json") or {"token": token})["token"]
        write_json("yesterday.json", {"token": token})
print_token(token)
