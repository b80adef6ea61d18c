#!/bin/sh
# Mistake: it prints the desktop client's document to a client that sends whatever it gets.
# Client: codex
# Fails: client-output
. "${0%/*}/../parts/token.sh"
print_token
