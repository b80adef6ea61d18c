#!/bin/sh
# Mistake: a line for people stands after the JSON object.
# Fails: output-alone
. "${0%/*}/../parts/token.sh"
print_token
echo 'Done.'
