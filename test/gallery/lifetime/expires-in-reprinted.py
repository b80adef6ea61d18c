# Mistake: it caches the lifetime that the token had when it was issued, as if that did not pass.
# Fails: refused-again, token-life
# Ttl: 1
from parts.token import *

kept = read_json("cache.json")
if context == "mid-session-refresh":
    print_token(fresh_token(60))
elif kept and kept["expires_in"] > 1:
    print_token(kept["token"])
else:
    write_json("cache.json", {"token": fresh_token(3), "expires_in": 3})
    print_token(read_json("cache.json")["token"])
