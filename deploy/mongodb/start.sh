# Starts MongoDB as a member of a replica set; its members know each other by a key, which has to be a file of its own user.
set -eu
umask 077
printf '%s' "$MONGODB_KEYFILE" >/tmp/keyfile
unset MONGODB_KEYFILE
exec mongod --keyFile /tmp/keyfile "$@"
