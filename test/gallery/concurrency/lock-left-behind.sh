#!/bin/sh
# Mistake: its lock is a directory that it removes itself, so that a kill leaves it there for ever.
# Fails: after-kill
# Alone: its runs must meet in time
. "${0%/*}/../parts/token.sh"
until mkdir "$HOME/lock" 2>/dev/null; do sleep 0.1; done
sleep 0.05
print_token
rmdir "$HOME/lock"
