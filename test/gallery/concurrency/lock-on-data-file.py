# Mistake: it locks the data file and then replaces it, so that the next run locks another file.
# Fails: parallel-runs
# Alone: its runs must meet in time
import fcntl
import urllib.error, urllib.request

from parts.token import *

if context != "mid-session-refresh":
    print_token()
    sys.exit()
time.sleep(0.9 * (count_run() % 2))  # every other one starts slower, as on a busy machine
with open(os.path.join(home, "session.json")) as locked:
    fcntl.flock(locked, fcntl.LOCK_EX)
    renewed = ask("/token", refresh_token=read_json("session.json")["refresh_token"])
    write_json("session.json", renewed)
    print_token(renewed["access_token"])
