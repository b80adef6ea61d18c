# Mistake: it serves its cache in mid-session-refresh, which is the token that was refused.
# Fails: refresh-fresh
from parts.token import *

kept = read_json("cache.json") or {"token": fresh_token()}
write_json("cache.json", kept)
print_token(kept["token"])
