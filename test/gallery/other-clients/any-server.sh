#!/bin/sh
# Mistake: it looks at neither the operation nor the server, and gives the refused token again.
# Client: git
# BaseUrl: https://code.example
# Warns: other-servers, other-operations
# Fails: erase
cat >/dev/null
printf 'username=token\npassword=the-same-token-each-time\n'
