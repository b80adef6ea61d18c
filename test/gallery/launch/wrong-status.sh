#!/bin/sh
# Mistake: it prints a token and ends with an exit status other than 0.
# Fails: exit-status
. "${0%/*}/../parts/token.sh"
print_token
exit 3
