#!/bin/sh
# Mistake: it prints the word Bearer before the token, and the client adds its own.
# Fails: output-shape
. "${0%/*}/../parts/token.sh"
echo "Bearer $(fresh_token)"
