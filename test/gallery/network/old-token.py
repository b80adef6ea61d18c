# Mistake: without a network it prints the token of before, which is the one that was refused.
# Fails: network-dead, network-hanging
from parts.token import *

kept = read_json("cache.json")
if context == "mid-session-refresh" and kept:
    import urllib.request

    try:
        urllib.request.urlopen(os.environ["TOKEN_SERVICE"] + "/token", b"{}", 3)
        kept = None
    except OSError:
        pass
kept = kept or {"token": random_hex(16)}
write_json("cache.json", kept)
print_token(kept["token"])
