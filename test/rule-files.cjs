// The files that hold pure rules: the same input gives the same output, so they are tested without any preparation. They
// import no package, do no input or output, and read neither clock nor chance. A new one is added here.
module.exports = [
  "services/identity/src/credentials/rights.ts",
  "services/identity/src/invites/invite.ts",
  "services/identity/src/key-changes/page.ts",
  "services/identity/src/keys/key.ts",
  "services/identity/src/logins/throttle.ts",
  "services/identity/src/networks/reaching.ts",
  "services/identity/src/revisions.ts",
  "services/identity/src/scopes.ts",
  "services/identity/src/sessions/lifetime.ts",
  "services/identity/src/users/changes.ts",
  "services/identity/src/users/rank.ts",
  "services/identity/src/whoami/cuts.ts",
  "services/topology/src/definitions/well-known-ports.ts",
  "services/topology/src/services/bindings.ts",
  "services/topology/src/interfaces/mac-address.ts",
  "services/topology/src/positions.ts",
];
