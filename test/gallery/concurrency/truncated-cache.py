# Mistake: it writes its cache in place, so that a kill leaves a part of it, and does not expect that when it reads.
# Fails: after-kill
# Alone: its runs must meet in time
import fcntl
import urllib.error, urllib.request

from parts.token import *

path = os.path.join(home, "cache.json")
with open(os.path.join(home, "cache.lock"), "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    if context == "mid-session-refresh" or not os.path.exists(path):
        text = json.dumps({"token": fresh_token()})
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as cache:
            cache.write(text[:20])
            cache.flush()
            time.sleep(0.5)
            cache.write(text[20:])
    try:
        print_token(read_json("cache.json")["token"])
    except json.JSONDecodeError:
        sys.exit("the cache cannot be read")
