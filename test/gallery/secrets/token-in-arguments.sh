#!/bin/sh
# Mistake: it hands the token to another program in its arguments, where every user can read it.
# Fails: secret-in-children
. "${0%/*}/../parts/token.sh"
token=$(fresh_token)
sh -c 'sleep 0.1; :' verify "Authorization: Bearer $token"
printf '%s\n' "$token"
