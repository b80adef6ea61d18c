#!/bin/sh
# Mistake: it needs a program that is on a shell's PATH but not on a desktop's.
# Fails: bare-path
. "${0%/*}/../parts/token.sh"
corporate-sign-in || exit 1
print_token
