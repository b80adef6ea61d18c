#!/bin/sh
# Mistake: the answer that it reads has no token, and it prints the word null.
# Fails: output-shape
echo '{"token": "null"}'
