# Mistake: it prints an address in a silent context and waits until somebody has signed in.
# Fails: ends
from parts.token import *

if context != "interactive":
    print("To sign in, open https://sign-in.example/device and enter ABCD-EFGH", file=sys.stderr, flush=True)
    time.sleep(600)
print_token()
