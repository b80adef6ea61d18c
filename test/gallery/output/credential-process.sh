#!/bin/sh
# Mistake: it prints what the AWS tools read, not what the client reads.
# Fails: output-shape
printf '{"Version": 1, "AccessKeyId": "ASIAEXAMPLE", "SecretAccessKey": "x", "SessionToken": "y"}\n'
