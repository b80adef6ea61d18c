#!/bin/sh
# Mistake: a banner stands before the JSON object.
# Warns: output-alone
. "${0%/*}/../parts/token.sh"
echo 'Corporate sign-in 4.2, authorized use only'
print_token
