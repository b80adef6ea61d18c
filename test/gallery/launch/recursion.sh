#!/bin/sh
# Mistake: the AWS profile that it is given names the helper itself as its credential_process.
# Fails: recursion
"$0"
