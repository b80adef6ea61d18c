# Mistake: every run renews its session without a lock, so that runs at once end it for all that follow.
# Fails: parallel-runs
# Alone: its runs must meet in time
import urllib.error, urllib.request

from parts.token import *

renewed = ask("/token", refresh_token=read_json("session.json")["refresh_token"])
write_json("session.json", renewed)
print_token(renewed["access_token"])
