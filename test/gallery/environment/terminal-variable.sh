#!/bin/sh
# Mistake: it needs a variable that only a terminal sets.
# Fails: desktop-environment
. "${0%/*}/../parts/token.sh"
[ -n "$TERM" ] || { echo 'TERM is not set' >&2; exit 1; }
print_token
