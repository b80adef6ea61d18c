#!/bin/sh
# Mistake: it leaves a process behind that holds its stdout, so that a client waits for more.
# Fails: ends
. "${0%/*}/../parts/token.sh"
print_token
sleep 600 &
