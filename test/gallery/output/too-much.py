# Mistake: it prints more than the client reads.
# Fails: output-size
from parts.token import *

print_token()
sys.stdout.write(" " * 9 * 1024 * 1024)
