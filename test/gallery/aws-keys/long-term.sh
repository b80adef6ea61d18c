#!/bin/sh
# Mistake: it prints a long-term Bedrock API key.
# Warns: refresh-fresh, long-term-key
echo 'ABSKQmVkcm9ja0FQSUtleS1kZXYtYXQtMTExMTIyMjIzMzMzOm1hZGUtdXAtc2VjcmV0'
