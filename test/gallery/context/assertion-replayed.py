# Mistake: it keeps an assertion that can be used once, and sends it a second time.
# Fails: refresh-works
from parts.token import *

kept = read_json("cache.json") or {"assertion": ask("/assertion")["assertion"]}
if context == "mid-session-refresh" or "token" not in kept:
    kept["token"] = ask("/token", assertion=kept["assertion"])["access_token"]
    write_json("cache.json", kept)
print_token(kept["token"])
