#!/bin/sh
# Mistake: it prints one key for ever, so that a client whose key was revoked gets the same again.
# Client: api-key-helper
# Warns: after-refusal
echo sk-one-key-for-ever
