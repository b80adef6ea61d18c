# Mistake: every run opens a browser tab of its own.
# Warns: parallel-browser
import subprocess
from parts.token import *

if context == "interactive":
    subprocess.run(["xdg-open", "https://sign-in.example/"])
print_token()
