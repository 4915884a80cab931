// A slow suite that starts last runs alone while the other workers are idle. Jest knows durations only after a first run,
// so those of more than ten seconds are listed here.
import TestSequencer from "@jest/test-sequencer";

const SLOW = [
  "browser/pages",
  "integration/killed-replicas",
  "integration/lifecycle",
  "integration/mongo",
  "integration/revocation",
  "integration/gateway.redis-away",
  "integration/gateway.credentials",
  "integration/gateway.envelope",
  "e2e/start",
  "integration/gateway.upstreams",
  "e2e/hostile",
  "integration/identity.admin",
  "browser/journey",
  "e2e/authorization",
  "integration/gateway.uploads",
  "e2e/cli",
  "integration/gateway.connections",
  "integration/lifecycle.stopping",
  "integration/topology.revert.histories",
  "integration/tracing",
  "e2e/secrets",
  "integration/archive",
  "integration/topology.large-writes",
  "integration/topology.next-addresses",
  "e2e/change-stream",
  "integration/identity.users",
  "integration/metrics",
  "integration/topology.sweeps",
  "integration/local.mongod",
  "integration/topology.revert",
  "integration/identity.key-changes",
  "integration/gateway.limits",
  "integration/gateway.exchange",
  "integration/topology.imports.formats",
  "upstream/upstream",
];

export default class SlowSuitesFirst extends TestSequencer {
  /** The listed ones in this order, then all others in the order of jest. */
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ path }) {
  const index = SLOW.findIndex((name) => path.endsWith(`dist/${name}.test.js`));
  return index === -1 ? SLOW.length : index;
}
