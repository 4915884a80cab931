// A long suite that starts last runs alone while the other worker is idle. Jest knows durations only after a first run,
// so the longest suites are listed here.
import TestSequencer from "@jest/test-sequencer";

const LONG = [
  "browser/pages",
  "integration/mongo",
  "integration/lifecycle",
  "integration/topology.indexes",
  "integration/rolling",
  "integration/topology.races",
  "integration/gateway.redis-away",
  "integration/topology.imports.long",
  "integration/archive",
  "integration/gateway.upstreams",
  "browser/editors",
  "e2e/hostile",
  "integration/gateway.credentials",
  "integration/identity.admin",
  "e2e/authorization",
  "integration/topology.feed",
  "browser/picture",
  "integration/revocation",
  "integration/gateway.uploads",
  "integration/retries",
  "browser/journey",
  "integration/gateway.connections",
  "e2e/start",
  "integration/topology.as-of",
  "e2e/readme",
  "integration/tracing",
  "integration/topology.streams",
  "imports/thread",
  "integration/gateway.streams",
  "integration/topology.sweeps",
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
