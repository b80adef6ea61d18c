# Mistake: its cache of tokens can be read by everybody.
# Fails: secret-in-files
from parts.token import *

folder = os.path.join(home, ".cache", "helper")
os.makedirs(folder, 0o755, exist_ok=True)
token = fresh_token()
draft = os.path.join(folder, f"token.{os.getpid()}")
with open(draft, "w") as file:
    os.fchmod(file.fileno(), 0o644)
    file.write(token)
os.rename(draft, os.path.join(folder, "token"))
print_token(token)
