#!/bin/sh
# Mistake: the file is not executable.
# Fails: starts
echo token
