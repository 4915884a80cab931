// The order of the suites. Some wait most of their time; if they came together, the processor would be idle, and later
// overloaded. So two of the workers run those that wait, the others the rest, the longest first: a long suite that started
// last would run alone. Jest knows durations only after a first run, so those that matter are listed here, in seconds.
import TestSequencer from "@jest/test-sequencer";

/** Suites that wait more than they work. */
const WAITING = {
  "integration/mongo": 43,
  "integration/lifecycle": 34,
  "integration/gateway.envelope": 33,
  "integration/gateway.credentials": 31,
  "browser/pages": 29,
  "integration/topology.journal.set-aside": 29,
  "e2e/authorization": 28,
  "integration/gateway.upstreams": 24,
  "browser/journey": 23,
  "integration/gateway.uploads": 22,
  "integration/gateway.connections": 21,
  "integration/lifecycle.stopping": 20,
  "integration/identity.mail": 19,
  "integration/gateway.streams": 18,
  "integration/identity.admin": 16,
  "e2e/cli": 14,
  "integration/topology.as-of": 14,
  "integration/topology.members": 14,
  "integration/metrics": 14,
  "integration/tracing": 13,
  "integration/gateway.limits": 12,
  "integration/bus": 11,
  "integration/gateway.exchange": 11,
  "integration/gateway.in-flight": 11,
  "integration/topology.sweeps": 11,
  "upstream/upstream": 10,
  "e2e/interrupted": 9,
  "e2e/change-stream": 8,
  "e2e/collectors": 8,
  "integration/gateway.hostile": 8,
  "integration/gateway.edge": 7,
};

/** Long suites that work most of their time. */
const WORKING = {
  "integration/revocation": 25,
  "e2e/start": 18,
  "integration/killed-replicas": 16,
  "integration/archive": 14,
  "integration/topology.imports.jobs": 11,
  "integration/topology.large-writes": 11,
  "integration/identity.key-changes": 11,
  "integration/gateway.redis-away": 11,
  "integration/topology.revisions": 11,
  "integration/topology.bulk-delete": 10,
  "integration/topology.imports.interrupted": 9,
  "integration/topology.next-addresses": 9,
  "e2e/hostile": 8,
  "e2e/secrets": 8,
};

/** Of any other. */
const USUAL_SECONDS = 2;
const WORKERS = 4;
const WORKERS_FOR_WAITING = 2;

export default class SuiteOrder extends TestSequencer {
  /** The order in which workers with these durations would take them. */
  sort(tests) {
    const waiting = listedIn(WAITING, tests);
    const working = listedIn(WORKING, tests);
    const listed = new Set([...waiting, ...working].map(({ test }) => test));
    const others = super.sort(tests.filter((test) => !listed.has(test)));
    const rest = [...working, ...others.map((test) => ({ test, seconds: USUAL_SECONDS }))];
    const free = Array.from({ length: WORKERS }, (_, n) => ({
      at: 0,
      queue: n < WORKERS_FOR_WAITING ? waiting : rest,
    }));
    const order = [];
    while (waiting.length + rest.length > 0) {
      const worker = free.toSorted((a, b) => a.at - b.at)[0];
      const next = worker.queue.shift() ?? waiting.shift() ?? rest.shift();
      worker.at += next.seconds;
      order.push(next.test);
    }
    return order;
  }
}

/** Those of a table, in its order. */
function listedIn(table, tests) {
  return Object.entries(table).flatMap(([name, seconds]) =>
    tests.filter(({ path }) => path.endsWith(`dist/${name}.test.js`)).map((test) => ({ test, seconds })),
  );
}
