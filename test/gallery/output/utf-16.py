# Mistake: its output is UTF-16 with a byte order mark, as Windows PowerShell 5 writes redirected output.
# Fails: byte-order-mark
from parts.token import *

sys.stdout.buffer.write(json.dumps({"token": fresh_token()}).encode("utf-16"))
