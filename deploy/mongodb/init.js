// Run by mongosh on MongoDB's machine: creates the replica set, and creates or updates the users according to the
// settings. Each service has a user for its own database only. Idempotent.
const { env } = process;
const members = (env.MONGODB_MEMBERS ?? "mongodb:27017").split(",");
const TIMEOUT_MS = 60_000;

const admin = connected().getDB("admin");
if (admin.hello().setName === undefined) {
  // This is the first one, which becomes the primary, also after an outage.
  const configured = members.map((host, _id) =>
    _id === 0 && members.length > 1 ? { _id, host, priority: 2 } : { _id, host },
  );
  waitFor("all members to answer", () => admin.runCommand({ replSetInitiate: { _id: "rs0", members: configured } }).ok);
}
waitFor("the member to accept writes", () => admin.hello().isWritablePrimary);

// Without any users, MongoDB lets local connections create the first one.
if (!isAuthenticated()) {
  admin.createUser({ user: "admin", pwd: env.MONGODB_ADMIN_PASSWORD, roles: ["root"] });
  if (!isAuthenticated()) throw new Error("MONGODB_ADMIN_PASSWORD is not the password of MongoDB's user admin");
}

set(env.MONGODB_IDENTITY_USER, env.MONGODB_IDENTITY_PASSWORD, [{ role: "readWrite", db: "identity" }]);
set(env.MONGODB_TOPOLOGY_USER, env.MONGODB_TOPOLOGY_PASSWORD, [{ role: "readWrite", db: "topology" }]);
set("archive", env.MONGODB_ARCHIVE_PASSWORD, [
  { role: "dbOwner", db: "identity" },
  { role: "dbOwner", db: "topology" },
]);
print("MongoDB is a replica set, and its users are as the settings say.");

function set(user, pwd, roles) {
  if (admin.getUser(user) === null) admin.createUser({ user, pwd, roles });
  else admin.updateUser(user, { pwd, roles });
}

function isAuthenticated() {
  try {
    return Boolean(admin.auth("admin", env.MONGODB_ADMIN_PASSWORD));
  } catch {
    return false;
  }
}

function connected() {
  return waitFor("MongoDB to respond", () => new Mongo("mongodb://127.0.0.1:27017/?directConnection=true"));
}

function waitFor(what, attempt) {
  const end = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      const result = attempt();
      if (result) return result;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    if (Date.now() > end) throw new Error(`Timed out after ${TIMEOUT_MS / 1000} s waiting for ${what}.`);
    sleep(250);
  }
}
