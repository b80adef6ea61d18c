#!/bin/sh
# Mistake: it states the local time as if it were UTC, so that its credential has ended when it is printed.
# Client: kubernetes
# Fails: stated-end
# Warns: quiet-stderr
. "${0%/*}/../parts/token.sh"
echo 'Using profile default ...' >&2
printf '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "%s", "expirationTimestamp": "2020-01-01T00:00:00Z"}}\n' "$(fresh_token)"
