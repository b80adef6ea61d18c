# Mistake: it caches an assertion that is valid for one use (RFC 7523 section 3, jti), and sends it twice.
# Fails: refresh-works
from parts.token import *

kept = read_json("cache.json") or {"assertion": ask("/assertion")["assertion"]}
if context == "mid-session-refresh" or "token" not in kept:
    kept["token"] = ask("/token", assertion=kept["assertion"])["access_token"]
    write_json("cache.json", kept)
print_token(kept["token"])
