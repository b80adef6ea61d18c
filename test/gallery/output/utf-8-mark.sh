#!/bin/sh
# Mistake: a byte order mark stands before its UTF-8.
# Warns: byte-order-mark
. "${0%/*}/../parts/token.sh"
printf '\357\273\277'
print_token
