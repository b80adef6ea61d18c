#!/bin/sh
# Mistake: it opens a browser in a silent context, through a shell.
# Fails: no-browser
. "${0%/*}/../parts/token.sh"
[ "$VENDOR_HELPER_CONTEXT" = interactive ] || sh -c 'xdg-open https://sign-in.example/' >/dev/null 2>&1
print_token
