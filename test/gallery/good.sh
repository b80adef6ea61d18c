#!/bin/sh
# A helper that keeps every rule: what every other one here is measured against.
. "${0%/*}/parts/token.sh"
print_token
