// A long suite that begins last runs alone in the end, while the other worker has nothing to do. Jest knows how long suites
// took only where they have run before; a fresh clone is told here which take longest.
import TestSequencer from "@jest/test-sequencer";

const LONG = [
  "browser/pages",
  "integration/topology.indexes",
  "integration/lifecycle",
  "integration/topology.races",
  "integration/archive",
  "integration/rolling",
  "integration/topology.imports.long",
  "integration/identity.admin",
  "browser/editors",
  "e2e/hostile",
  "integration/gateway.redis-away",
  "e2e/authorization",
  "integration/mongo",
  "integration/topology.feed",
  "browser/picture",
  "integration/gateway.credentials",
  "integration/topology.as-of",
  "integration/topology.large-writes",
  "integration/topology.unguarded",
  "e2e/start",
  "integration/gateway.upstreams",
  "browser/journey",
  "integration/topology.sightings",
  "integration/retries",
  "integration/revocation",
];

export default class LongSuitesFirst extends TestSequencer {
  /** The long ones in the order of the list, then all others as jest orders them. */
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ path }) {
  const index = LONG.findIndex((name) => path.endsWith(`test/dist/${name}.test.js`));
  return index === -1 ? LONG.length : index;
}
