# Mistake: the client keeps its token for longer than the output says that it lives.
# Fails: token-life
from parts.token import *

print(json.dumps({"token": random_hex(16), "expires_in": "900"}))
