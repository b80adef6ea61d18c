# Mistake: the new token of mid-session-refresh is not kept, so that the next run prints the one that was refused.
# Fails: refused-again
from parts.token import *

kept = read_json("cache.json") or {"token": fresh_token()}
write_json("cache.json", kept)
print_token(fresh_token() if context == "mid-session-refresh" else kept["token"])
