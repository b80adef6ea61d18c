# Mistake: in mid-session-refresh it prints the token of before, of which nothing says when it ends.
# Warns: refresh-fresh
from parts.token import *

kept = read_json("cache.json") or {"token": random_hex(16)}
write_json("cache.json", kept)
print_token(kept["token"])
