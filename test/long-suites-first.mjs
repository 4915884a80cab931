// A long suite that begins last runs alone in the end, while the other worker has nothing to do. Jest knows how long suites
// took only where they have run before; a fresh clone is told here which take longest.
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
  /** The long ones in the order of the list, then all others as jest orders them. */
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ path }) {
  const index = LONG.findIndex((name) => path.endsWith(`dist/${name}.test.js`));
  return index === -1 ? LONG.length : index;
}
