# Starts MongoDB as a member of a replica set. Members authenticate with a key file, which must belong to its user.
set -eu
umask 077
printf '%s' "$MONGODB_KEYFILE" >/tmp/keyfile
unset MONGODB_KEYFILE
exec mongod --keyFile /tmp/keyfile "$@"
