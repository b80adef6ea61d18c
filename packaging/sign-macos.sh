#!/bin/sh
# Signs one executable. Without an identity it gets an ad-hoc signature, which Apple's processors require.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${SIGN_MACOS_IDENTITY:-}" ]; then stamp=--timestamp; else stamp=--timestamp=none; fi
codesign --force --options runtime "$stamp" \
  --entitlements "$here/entitlements.plist" --sign "${SIGN_MACOS_IDENTITY:--}" "$1"
