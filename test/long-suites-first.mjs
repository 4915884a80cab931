// A long suite that starts last runs alone while the other worker is idle. Jest knows durations only after a first run,
// so those of more than ten seconds are listed here.
import TestSequencer from "@jest/test-sequencer";

const LONG = [
  "browser/pages",
  "integration/rolling",
  "integration/lifecycle",
  "browser/picture",
  "integration/mongo",
  "integration/revocation",
  "integration/gateway.redis-away",
  "integration/topology.imports.long",
  "integration/topology.feed",
  "integration/gateway.credentials",
  "e2e/readme",
  "integration/gateway.envelope",
  "integration/topology.indexes",
  "integration/topology.as-of",
  "browser/people",
  "e2e/start",
  "browser/editors",
  "integration/gateway.upstreams",
  "e2e/hostile",
  "integration/topology.races",
  "integration/retries",
  "integration/identity.admin",
  "integration/topology.streams",
  "imports/readers/readers.properties",
  "browser/journey",
  "e2e/authorization",
  "integration/topology.unguarded",
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
  "browser/settings",
  "e2e/change-stream",
  "integration/identity.users",
  "integration/metrics",
  "e2e/admin",
  "integration/topology.webhooks.delivery",
  "integration/topology.sweeps",
  "integration/local.mongod",
  "integration/topology.revert",
  "integration/identity.key-changes",
  "integration/gateway.limits",
  "integration/topology.archives.import",
  "browser/mail",
  "browser/providers",
  "imports/thread",
  "integration/identity.deposed-primary",
  "integration/gateway.exchange",
  "integration/topology.imports.formats",
  "integration/keys.lifetimes",
  "upstream/upstream",
];

export default class LongSuitesFirst extends TestSequencer {
  /** The listed ones in this order, then all others in the order of jest. */
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ path }) {
  const index = LONG.findIndex((name) => path.endsWith(`dist/${name}.test.js`));
  return index === -1 ? LONG.length : index;
}
