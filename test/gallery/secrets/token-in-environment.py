# Mistake: it hands the token to another program in its environment.
# Fails: secret-in-children
import subprocess
from parts.token import *

token = fresh_token()
subprocess.run(["/bin/sleep", "0.1"], env={"TOKEN": token})
print_token(token)
