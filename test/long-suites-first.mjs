// A long suite that begins last runs alone in the end, while the other worker has nothing to do. Jest knows how long suites
// took only where they have run before; a fresh clone is told here which take longest.
import TestSequencer from "@jest/test-sequencer";

const LONG = [
  "browser/pages",
  "integration/archive",
  "integration/topology.indexes",
  "integration/lifecycle",
  "integration/rolling",
  "integration/topology.races",
  "integration/topology.imports.long",
  "e2e/authorization",
  "integration/identity.admin",
  "browser/editors",
  "e2e/hostile",
  "integration/mongo",
  "e2e/start",
  "integration/gateway.redis-away",
  "integration/retries",
  "integration/gateway.upstreams",
  "integration/revocation",
  "browser/journey",
  "browser/picture",
  "integration/gateway.credentials",
  "integration/topology.next-addresses",
  "integration/topology.revert.histories",
  "integration/topology.feed",
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
