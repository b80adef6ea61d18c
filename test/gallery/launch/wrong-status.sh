#!/bin/sh
# Mistake: it prints a token and ends with an exit status of another kind.
# Fails: exit-status
. "${0%/*}/../parts/token.sh"
print_token
exit 3
