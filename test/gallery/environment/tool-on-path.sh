#!/bin/sh
# Mistake: it needs a program that is on a person's PATH and not on a desktop's.
# Fails: bare-path
. "${0%/*}/../parts/token.sh"
corporate-sign-in || exit 1
print_token
