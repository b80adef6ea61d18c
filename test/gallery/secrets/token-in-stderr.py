# Mistake: it writes the token's first characters to stderr, which the client logs.
# Fails: secret-in-stderr
# Warns: quiet-stderr
from parts.token import *

token = fresh_token()
print(f"issued {token[:10]}...", file=sys.stderr)
print_token(token)
