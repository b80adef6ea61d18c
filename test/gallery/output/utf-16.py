# Mistake: its output is UTF-16 with a byte order mark, as a redirection in an old shell makes it.
# Fails: byte-order-mark
from parts.token import *

sys.stdout.buffer.write(json.dumps({"token": fresh_token()}).encode("utf-16"))
