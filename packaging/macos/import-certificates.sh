#!/bin/sh
# Puts the signing certificates of a hosted runner into a keychain of its own, which ends with the runner:
#   SIGN_MACOS_CERTIFICATES  a PKCS #12 file in base64, with Developer ID Application and Developer ID Installer
#   SIGN_MACOS_PASSWORD      its password
set -eu
umask 077

: "${SIGN_MACOS_CERTIFICATES:?is not set}" "${SIGN_MACOS_PASSWORD:?is not set}" "${RUNNER_TEMP:?is not set}"
keychain=$RUNNER_TEMP/signing.keychain-db
password=$(openssl rand -hex 24)
certificates=$RUNNER_TEMP/certificates.p12
trap 'rm -f "$certificates"' EXIT
trap 'exit 1' HUP INT TERM

printf '%s' "$SIGN_MACOS_CERTIFICATES" | openssl base64 -d -A >"$certificates"
security create-keychain -p "$password" "$keychain"
# The keychain is locked after an hour, and not earlier.
security set-keychain-settings -lut 3600 "$keychain"
security unlock-keychain -p "$password" "$keychain"
if ! security import "$certificates" -f pkcs12 -k "$keychain" -P "$SIGN_MACOS_PASSWORD" -T /usr/bin/codesign -T /usr/bin/productsign; then
  printf '%s\n' 'import-certificates.sh: SIGN_MACOS_CERTIFICATES cannot be imported' \
    'import-certificates.sh: hint: where the password is right, the file has algorithms that macOS does not read: make it as docs/verify-release.md says' >&2
  exit 2
fi
# Without this, macOS asks on the screen whether the tools may use the keys.
security set-key-partition-list -S apple-tool:,apple: -s -k "$password" "$keychain" >/dev/null
security list-keychains -d user -s "$keychain"
