#!/bin/sh
# Mistake: it can only be configured by arguments, which older clients do not pass.
# Warns: without-arguments
# Args: --team red
. "${0%/*}/../parts/token.sh"
[ $# -gt 0 ] || { echo 'usage: needs-arguments --team NAME' >&2; exit 2; }
print_token
