// Who may import whom. Each rule's comment is the sentence that a violation prints.
/** Another workspace is reached through its package name, which leads to the built files. */
const shared = (inside) => `^shared/(?:src|dist)/${inside}`;
const TEST = "\\.(?:test|long)\\.ts$";
const CLIENT = "^shared/client/(?:src|dist)/";
const BROWSER_SAFE = `${shared("(?:contract/|sample/|errors\\.|client\\.|follow-job\\.)")}|${CLIENT}`;
/** Declarations of kinds, and documents' types with what follows from them. */
const MODELS = ["^services/topology/src/kinds/", "^services/identity/src/model/"];
/** Files that say by their names that they hold pure rules, and the tables of the catalogue that rules look things up in. */
const PURE = ["\\.rules\\.ts$", ...MODELS, "^services/topology/src/values/definitions/[a-z]+\\.ts$"];

/** What says which operation does what. */
const ROUTES = "^services/(?:identity/src/routes|topology/src/resources)/.*\\.ts$";

/**
 * The rooms of each workspace, from the ground up: a room imports those before it, and none that comes after it. The
 * commands of operators (`admin`) are a process of their own, which puts itself together.
 */
const ROOMS = {
  "cli/src": ["machine", "discover", "collect", "agent", "commands"],
  "gateway/web/src": [
    ...[
      "api",
      "parts",
      "styles",
      "session",
      "scope",
      "sockets",
      "live",
      "forms",
      "list",
      "observed",
      "tags",
      "second-factor",
      "sign-in",
    ],
    ...[
      "mail",
      "activity",
      "imports",
      "exports",
      "collectors",
      "webhooks",
      "sample",
      "users",
      "keys",
      "settings",
      "dependencies",
      "services",
      "links",
      "subnets",
    ],
    ...[
      "hosts",
      "not-seen",
      "certificates",
      "audit",
      "archive",
      "stats",
      "networks",
      "map",
      "welcome",
      "news",
      "palette",
      "shell",
    ],
  ],
  "gateway/src": [
    "rate-limit",
    "edge",
    "charges",
    "files",
    "console",
    "authenticate",
    "streams",
    "proxy",
    "oauth",
    "mcp",
    "pipeline",
  ],
  "shared/src": [
    "contract",
    "sample",
    "scheduling",
    "bus",
    "tracing",
    "mongo",
    "http",
    "writes",
    "upstream",
    "openapi",
  ],
  "deploy/local/src": ["demo", "processes", "servers", "supervisor"],
  "services/identity/src": [
    "model",
    "secrets",
    "storage",
    "topology",
    "audit",
    "mail",
    "rights",
    "flows",
    "routes",
    "admin",
  ],
  "services/topology/src": [
    "values",
    "kinds",
    "storage",
    "journal",
    "past",
    "webhooks",
    "hosts",
    "commit",
    "map",
    "stats",
    "exports",
    "deletions",
    "reverts",
    "imports",
    "archives",
    "collectors",
    "resources",
    "admin",
  ],
};

/** A name of rules, such as `identity` for `services/identity/src`. */
const nameOf = (workspace) => workspace.split("/").at(-2);

/** Files outside of rooms are above all of them, except these, on which the rooms stand. */
const GROUND = {
  "gateway/web/src": "(?:paths|theme|zod-setup|vite\\.d)\\.ts$",
  "cli/src": "(?!main\\.|program\\.)[^/]+\\.ts$",
  "shared/src": "(?!openapi-write\\.)[^/]+\\.ts$",
  "deploy/local/src": "(?:secrets|start-problem)\\.ts$",
};

/** For each room: what stands above it, and what puts the process together, is not imported. */
const noArrowBackUp = Object.entries(ROOMS).flatMap(([workspace, rooms]) => {
  const ground = GROUND[workspace] ?? "(?!)";
  const files = `(?!${ground})[^/]+$`;
  return rooms
    .filter((room) => room !== "admin")
    .map((room, floor) => ({
      name: `no-arrow-back-up-from-${room}-of-${nameOf(workspace)}`,
      comment: `A room of ${workspace} imports only what stands below it: ${rooms.join(" < ")} < app.ts < main.ts.`,
      severity: "error",
      from: { path: `^${workspace}/${room}/`, pathNot: TEST },
      to: { path: `^${workspace}/(?:${[...rooms.slice(floor + 1).map((above) => `${above}/`), files].join("|")})` },
    }));
});

/** What rooms stand on imports none of them; of the shared ones, only the contract. */
const groundOfRooms = Object.entries(GROUND).map(([workspace, ground]) => ({
  name: `ground-of-${nameOf(workspace)}`,
  comment: `Files of ${workspace} that its rooms stand on import no room but the contract.`,
  severity: "error",
  from: { path: `^${workspace}/${ground}`, pathNot: TEST },
  to: { path: `^${workspace}/(?!contract/)[^/]+/` },
}));

/** A new folder has a place in the order, or the rules above would not know it. */
const knownRooms = Object.entries(ROOMS).map(([workspace, rooms]) => ({
  name: `${nameOf(workspace)}-has-known-rooms`,
  comment: `Every folder of ${workspace} is a room with a place in the order: add a new one to ROOMS.`,
  severity: "error",
  from: { path: `^${workspace}/` },
  to: { path: `^${workspace}/(?!(?:${rooms.join("|")})/)[^/]+/` },
}));

module.exports = {
  forbidden: [
    ...noArrowBackUp,
    ...knownRooms,
    ...groundOfRooms,
    {
      name: "no-cycles",
      comment: "Files that import each other in a circle cannot be understood one by one.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-circles-of-types",
      comment: "Where types import each other in a circle, what they describe cannot be understood one by one either.",
      severity: "error",
      from: { pathNot: "^(?:services/topology|test)/src/" },
      to: { circular: true },
    },
    {
      name: "contract-is-browser-safe",
      comment:
        "The contract, the errors and the client run in browsers too: they import zod and each other, nothing else.",
      severity: "error",
      from: { path: "^shared/src/(?:contract/|errors\\.ts|client\\.ts)", pathNot: TEST },
      to: { pathNot: [BROWSER_SAFE, "^node_modules/zod/"] },
    },
    {
      name: "threads-of-imports-load-no-schemas",
      comment:
        "Readers, rules and values are used in the threads of imports, which would load the contract's schemas for longer than they plan a thousand hosts.",
      severity: "error",
      from: {
        path: "^services/topology/src/(?:values/|imports/(?:readers/|session\\.|[^/]+\\.rules\\.ts$))",
        pathNot: TEST,
      },
      to: {
        path: [
          shared("contract/(?:index|common|endpoint)\\."),
          "^services/topology/src/kinds/(?!recipe\\.rules)",
          "^node_modules/zod/",
        ],
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "the-client-stands-alone",
      comment: "The client is installed without the rest: it imports nothing of ours, and nothing of Node.",
      severity: "error",
      from: { path: "^shared/client/src/", pathNot: TEST },
      to: { pathNot: [CLIENT, "^node_modules/eventsource-parser/"] },
    },
    {
      name: "the-command-line-is-a-client",
      comment:
        "It is a program of its own, which reaches the system by HTTP: of ours it imports the contract and the client.",
      severity: "error",
      from: { path: "^cli/src/", pathNot: TEST },
      to: { path: "^(?:shared|gateway|services|deploy|test)/", pathNot: [BROWSER_SAFE] },
    },
    {
      name: "console-is-a-browser-program",
      comment:
        "The console runs in browsers: of ours it imports the contract, the sample, the errors and the client, and nothing of Node.",
      severity: "error",
      from: { path: "^gateway/web/src/", pathNot: TEST },
      to: { path: "^(?:shared|gateway|services|deploy|test)/", pathNot: ["^gateway/web/", BROWSER_SAFE] },
    },
    {
      name: "console-uses-no-node",
      comment:
        "The console runs in browsers: of ours it imports the contract, the errors and the client, and nothing of Node.",
      severity: "error",
      from: { path: "^gateway/web/src/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "console-reaches-the-gateway-by-http",
      comment: "The gateway serves what the console was built into; it imports nothing of it.",
      severity: "error",
      from: { path: "^gateway/src/" },
      to: { path: "^gateway/web/" },
    },
    {
      name: "shared-knows-no-process",
      comment: "What processes share must not depend on one of them.",
      severity: "error",
      from: { path: "^shared/" },
      to: { path: "^(?:gateway|services|deploy|test)/" },
    },
    {
      name: "processes-are-strangers",
      comment:
        "The gateway and the services talk over HTTP and NATS; none imports another, nor what starts or tests them.",
      severity: "error",
      from: { path: "^(gateway|services/[^/]+)/" },
      to: { path: "^(?:gateway|services/[^/]+|deploy|test)/", pathNot: "^$1/" },
    },
    {
      name: "rules-are-pure",
      comment: "Rules import the contract, the errors, groups and other rules: no package, no input or output.",
      severity: "error",
      from: { path: PURE, pathNot: MODELS },
      to: { pathNot: [BROWSER_SAFE, shared("groups\\."), ...PURE], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "models-are-pure",
      comment: "Kinds and documents' types import the contract, schemas, values and formats: no input or output.",
      severity: "error",
      from: { path: MODELS, pathNot: TEST },
      to: {
        pathNot: [
          BROWSER_SAFE,
          ...PURE,
          shared("(?:groups|api-key|address-block|collector-(?:schedule|targets)|mongo/adding-form)\\."),
          "^services/topology/src/values/",
          "^node_modules/zod/",
        ],
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "stores-know-no-http",
      comment:
        "A store knows MongoDB, the contract and the errors; HTTP (but for types), processes and other packages are not its business.",
      severity: "error",
      from: {
        path: "^services/(?:identity/src/storage|topology/src/storage/stores)/.*\\.ts$",
        pathNot: "\\.test\\.ts$",
      },
      to: {
        path: [shared("(?:http|bus)/"), "^node_modules/(?!mongodb/|ipaddr\\.js/)", "/(?:routes|app|main|config)\\.ts$"],
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "routes-use-no-packages",
      comment:
        "Routes say what an operation does; packages and Node's modules stay behind shared/http, rules and stores.",
      severity: "error",
      from: { path: ROUTES, pathNot: TEST },
      to: { path: ["^node_modules/", "/(?:app|main|config)\\.ts$"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "routes-use-no-node",
      comment:
        "Routes say what an operation does; packages and Node's modules stay behind shared/http, rules and stores.",
      severity: "error",
      from: { path: ROUTES, pathNot: TEST },
      to: { dependencyTypes: ["core"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "main-is-the-root",
      comment: "main.ts puts a process together; nothing imports it.",
      severity: "error",
      from: { path: "^(?:gateway|services)/" },
      to: { path: "^(?:gateway|services/[^/]+)/src/main\\.ts$" },
    },
    {
      name: "no-tests-in-products",
      comment: "What ships imports no test and no tool of tests.",
      severity: "error",
      from: { path: "^(?:shared|gateway|services|deploy)/", pathNot: [TEST, "/testing/"] },
      to: { path: ["\\.test\\.", "/testing/", "^node_modules/(?:@?jest|fast-check|supertest)"] },
    },
    {
      name: "resolvable",
      comment: "Every import leads somewhere, and to something that the workspace's own package.json declares.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^virtual:" }, // what the build of the console makes up
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    doNotFollow: { path: ["node_modules", "/dist/"] },
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "default", "node"],
      mainFields: ["main"],
    },
  },
};
