#!/bin/sh
# Mistake: it writes the token's first characters to a log that everybody can read.
# Fails: secret-in-files
. "${0%/*}/../parts/token.sh"
token=$(fresh_token)
umask 022
printf 'issued %.20s...\n' "$token" >>"$HOME/helper.log"
printf '%s\n' "$token"
