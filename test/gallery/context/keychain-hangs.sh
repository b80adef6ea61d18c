#!/bin/sh
# Mistake: it waits without a timeout for a keychain that asks a person to unlock it.
# Fails: refresh-in-time
. "${0%/*}/../parts/token.sh"
unlock_keychain() { sleep 600; }
[ "$VENDOR_HELPER_CONTEXT" != mid-session-refresh ] || unlock_keychain
print_token
