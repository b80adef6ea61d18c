# Mistake: the script does not name its interpreter.
# Warns: starts
. "${0%/*}/../parts/token.sh"
print_token
