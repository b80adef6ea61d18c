#!/bin/sh
# Mistake: it prints messages before a bare token, which only a JSON object allows.
# Fails: output-shape
. "${0%/*}/../parts/token.sh"
echo 'Signing in ...'
fresh_token
