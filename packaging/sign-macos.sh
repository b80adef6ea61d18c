#!/bin/sh
# Signs one executable. Without an identity it gets an ad-hoc signature, which Apple's processors require.
# SIGN_IDENTIFIER is its identifier in rules, such as com.example.gatepass.gatepass-helpers; the build sets it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${SIGN_MACOS_IDENTITY:-}" ]; then stamp=--timestamp; else stamp=--timestamp=none; fi
codesign --force --options runtime "$stamp" --identifier "${SIGN_IDENTIFIER:?is not set; rules of macOS name an executable by it}" \
  --entitlements "$here/entitlements.plist" --sign "${SIGN_MACOS_IDENTITY:--}" "$1"
