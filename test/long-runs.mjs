// The runs of the long tier. A run is either suites at a larger scale, a program of `test/src/load`, or a script of
// `test/long`, which says itself when the machine lacks what it needs.

/** Suites of the short tier with more of what they draw at random. */
const SCALED = {
  archives: { suites: ["topology.archives.import"], env: { ARCHIVES: 200 } },
  assistants: { suites: ["e2e/assistants"], env: { MCP_ATTEMPTS: 1_000 } },
  "dry-runs": { suites: ["topology.dry-runs"], env: { DRY_RUNS: 20_000 } },
  history: {
    suites: ["topology.diff", "topology.revert", "topology.as-of"],
    env: { DIFF_LENGTH: 3_000, REVERT_LENGTH: 1_000, AS_OF_LENGTH: 1_000, AS_OF_MOMENTS: 1_000 },
  },
  links: { suites: ["wiring/networks"], env: { LINK_NETWORKS: 300 } },
  races: {
    suites: [
      "histories",
      "races",
      "patches",
      "cursors",
      "next-addresses",
      "identity.users",
      "integration/revocation.test",
    ],
    env: {
      HISTORY_LENGTH: 50_000,
      RACE_ROUNDS: 1_000,
      PATCH_ROUNDS: 1_000,
      CURSOR_SERVICES: 20_000,
      NEXT_CREATES: 1_000,
    },
  },
  readers: { suites: ["readers.properties", "plan.properties"], env: { READER_RUNS: 20_000 } },
  sightings: {
    suites: ["sightings.model", "session.properties", "recognition.properties"],
    env: { SIGHTING_ROUNDS: 1_000, RENAMED_IMPORTS: 1_000 },
  },
  variants: {
    suites: [
      "browser/pages",
      "integration/archive",
      "gateway.redis-away",
      "lifecycle.",
      "e2e/hostile",
      "change-stream",
      "imports/thread",
      "topology.imports.formats",
      "topology.indexes",
      "topology.large-writes",
    ],
    env: {
      BACKUPS: 2,
      BACKUP_HISTORY: 200,
      EXPENSIVE_FILES: 100,
      HOSTILE_EVERY: 1,
      IMPORT_ORDERS: 7,
      LARGE_HOST_CHILDREN: 1_000,
      LARGE_WRITE_HOSTS: 200,
      PAGE_LOOKS: 3,
      PLANS_EVERY: 1,
      REDIS_FAULTS: 10,
      START_ORDERS: 2,
      STREAM_ENDS: 100,
    },
  },
};

/** Suites of the long tier alone, at their own scale and at a larger one. */
const LONG_SUITES = {
  maps: { suites: ["map/geometry"], env: { NTS_SUITES: "long", MAP_NETWORKS: 300 } },
  feed: { suites: ["topology.feed"], env: { NTS_SUITES: "long", FEED_LENGTH: 10_000, FEED_ROUNDS: 20 } },
  suites: { suites: [], env: { NTS_SUITES: "long" } },
  retries: { suites: ["retries"], env: { NTS_SUITES: "long", RETRIED_WRITES: 10_000, RETRIED_KILLS: 300 } },
  webhooks: { suites: ["webhooks.delivery"], env: { NTS_SUITES: "long", WEBHOOK_CHANGES: 10_000, WEBHOOK_ROUNDS: 40 } },
};

const programs = (names) => Object.fromEntries(names.map((name) => [name, { script: "test/bench.mjs", args: [name] }]));
const scripts = (names) => Object.fromEntries(names.map((name) => [name, { script: `test/long/${name}.mjs` }]));

/** By name, in the order of `npm run long -- all`: the shortest first. */
export const LONG_RUNS = {
  ...LONG_SUITES,
  ...SCALED,
  ...programs(["attacks", "deletions", "migrations", "revocation", "rolling", "soak"]),
  ...scripts(["collector", "consumers", "containers", "discovery", "fuzz", "lab", "switches", "sdk", "clients"]),
};
