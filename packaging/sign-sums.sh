#!/bin/sh
# Writes SHA256SUMS of all files in a directory, and signs it if there is a key: sign-sums.sh DIRECTORY
# The signature is SHA256SUMS.asc, and the public key gatepass-release-key.asc.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
rm -f SHA256SUMS SHA256SUMS.asc gatepass-release-key.asc
LC_ALL=C sha256sum -- * >../SHA256SUMS.new
mv ../SHA256SUMS.new SHA256SUMS
if [ -n "${RELEASE_OPENPGP_KEY:-}" ]; then
  # shellcheck disable=SC2016 # The variable is the inner shell's.
  "$here/with-openpgp-key.sh" sh -c 'gpg --armor --detach-sign --output SHA256SUMS.asc SHA256SUMS &&
    gpg --armor --export "$RELEASE_OPENPGP_FINGERPRINT" >gatepass-release-key.asc'
fi
