#!/bin/sh
# A helper of Git's that keeps every rule.
# Client: git
# BaseUrl: https://code.example
. "${0%/*}/../parts/token.sh"
request=$(cat)
[ "$1" = get ] || exit 0
case $request in *'host=code.example'*) ;; *) exit 0 ;; esac
printf 'username=token\npassword=%s\npassword_expiry_utc=%s\n' "$(fresh_token)" "$(($(date +%s) + 3600))"
