// A long suite that begins last runs alone in the end, while the other worker has nothing to do. Jest knows how long suites
// took only where they have run before; a fresh clone is told here which take longest.
import TestSequencer from "@jest/test-sequencer";

const LONG = [
  "browser/pages",
  "integration/rolling",
  "integration/lifecycle",
  "e2e/attacks",
  "integration/mongo",
  "integration/archive",
  "integration/gateway.redis-away",
  "integration/topology.imports.long",
  "integration/topology.indexes",
  "e2e/start",
  "integration/topology.races",
  "integration/gateway.uploads",
  "integration/topology.unguarded",
  "browser/journey",
  "browser/editors",
  "e2e/hostile",
  "integration/identity.admin",
  "integration/revocation",
  "e2e/authorization",
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
