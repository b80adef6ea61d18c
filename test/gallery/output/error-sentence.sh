#!/bin/sh
# Mistake: it prints its error message on stdout and ends with exit status 0.
# Fails: output-shape
echo 'Error: not signed in'
