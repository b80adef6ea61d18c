# Mistake: it deletes its lock file when it is done, so that the next run locks another file than the runs that wait.
# Fails: parallel-runs
# Alone: its runs must meet in time
import fcntl
import urllib.error, urllib.request

from parts.token import *

if context != "mid-session-refresh":
    print_token()
    sys.exit()
time.sleep(0.9 * (count_run() % 2))  # every other one starts slower, as on a busy machine
path = os.path.join(home, "session.lock")
with open(path, "w") as locked:
    fcntl.flock(locked, fcntl.LOCK_EX)
    renewed = ask("/token", refresh_token=read_json("session.json")["refresh_token"])
    write_json("session.json", renewed)
    print_token(renewed["access_token"])
    if os.path.exists(path):
        os.unlink(path)
