#!/bin/sh
# Mistake: it uses up what it signs in with, so that only its first run gives keys.
# Client: aws
# Fails: closed-stdin, open-stdin, bare-path, runs-again
# Warns: stated-end
[ -e "$HOME/used" ] && exit 1
: >"$HOME/used"
printf '{"Version": 1, "AccessKeyId": "ASIAEXAMPLE", "SecretAccessKey": "%s"}\n' "$$-0123456789abcdef"
