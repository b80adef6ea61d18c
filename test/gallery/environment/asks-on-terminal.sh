#!/bin/sh
# Mistake: it asks on the terminal whenever there is one, whatever the context says.
# Fails: terminal-prompt
. "${0%/*}/../parts/token.sh"
if (: >/dev/tty) 2>/dev/null; then
  printf 'One-time code: ' >/dev/tty
  read -r _code </dev/tty
fi
print_token
