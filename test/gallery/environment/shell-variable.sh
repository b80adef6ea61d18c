#!/bin/sh
# Mistake: it needs a variable that a shell's profile sets, which a desktop gives to programs only where somebody arranged it.
# Warns: desktop-environment
. "${0%/*}/../parts/token.sh"
[ -n "$CORP_TEAM" ] || { echo 'CORP_TEAM is not set' >&2; exit 1; }
print_token
