#!/bin/sh
# Mistake: it writes "token" twice into its object, of which readers take the first or the last.
# Fails: repeated-key
. "${0%/*}/../parts/token.sh"
printf '{"token": "", "token": "%s"}\n' "$(fresh_token)"
