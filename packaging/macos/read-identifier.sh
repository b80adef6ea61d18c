#!/bin/sh
# Prints the identifier in a program's signature, which the build has read from the vendor file.
set -eu
identifier=$(codesign --display --verbose=2 "$1" 2>&1 | sed -n 's/^Identifier=//p')
if [ -z "$identifier" ]; then
  printf '%s\n' "read-identifier.sh: $1 has no signature" \
    'read-identifier.sh: hint: build it on macOS with SIGN_COMMAND=packaging/sign-macos.sh' >&2
  exit 2
fi
printf '%s\n' "$identifier"
