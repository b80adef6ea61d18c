#!/bin/sh
# Mistake: it reads its stdin to the end, which may never come.
# Fails: open-stdin
. "${0%/*}/../parts/token.sh"
cat >/dev/null 2>&1
print_token
