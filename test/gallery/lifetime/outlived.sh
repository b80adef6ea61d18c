#!/bin/sh
# Mistake: the client keeps its token for longer than the token lives.
# Fails: token-life
. "${0%/*}/../parts/token.sh"
print_token 900
