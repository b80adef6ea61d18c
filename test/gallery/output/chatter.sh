#!/bin/sh
# Mistake: it writes progress messages to stderr although all is well.
# Warns: quiet-stderr
. "${0%/*}/../parts/token.sh"
echo 'Using profile default ...' >&2
print_token
