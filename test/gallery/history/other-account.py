# Mistake: where nobody is present it takes the account of the machine, to which the gateway then charges the person's turns.
# Fails: same-identity
from parts.token import *


def encode(part):
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


claims = {"sub": "dana" if context == "interactive" else "machine", "exp": int(time.time()) + 7200}
print_token(f'{encode({"alg": "ES256"})}.{encode(claims)}.{random_hex(12)}')
