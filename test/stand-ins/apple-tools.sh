#!/bin/sh
# Stands for Apple's tools, under the name of each: writes its arguments to $APPLE_RECORD/calls, makes the file that the tool
# would make, and keeps what it was given to make it of.
set -eu
tool=$(basename "$0")
echo "$tool $*" >>"$APPLE_RECORD/calls"
for output in "$@"; do :; done
case "$tool $1" in
  'codesign --display') echo "Identifier=com.vendor.gatepass.$(basename "$output")" >&2 ;;
  'pkgbuild --root')
    cp -R "$2" "$APPLE_RECORD/root"
    for argument in "$@"; do
      if [ "${before:-}" = --scripts ]; then cp -R "$argument" "$APPLE_RECORD/scripts"; fi
      before=$argument
    done
    echo component >"$output"
    ;;
  'productbuild --distribution')
    cp "$2" "$APPLE_RECORD/distribution.xml"
    ls "$4" >"$APPLE_RECORD/packages"
    echo product >"$output"
    ;;
  'productsign --timestamp') sed 's/^/signed /' "$4" >"$output" ;;
  'security import')
    if [ "${APPLE_REFUSES:-}" = import ]; then
      echo 'security: SecKeychainItemImport: MAC verification failed during PKCS12 import (wrong password?)' >&2
      exit 1
    fi
    ;;
  'xcrun notarytool') if [ "$2" = submit ]; then cat "$APPLE_RECORD/answer.json"; else echo 'the log of Apple'; fi ;;
esac
