#!/bin/sh
# Mistake: the end that it states has fractions of a second, which Bazel does not read.
# Client: bazel
# BaseUrl: https://build.example
# Fails: client-output
. "${0%/*}/../parts/token.sh"
cat >/dev/null
printf '{"headers": {"Authorization": ["Bearer %s"]}, "expires": "2099-01-01T00:00:00.000Z"}\n' "$(fresh_token)"
