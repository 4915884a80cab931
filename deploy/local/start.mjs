// Entry point of `npm start`. It runs before anything is installed, and on any Node version, so it has no dependencies.

const HELP = `Starts the whole system on this machine: MongoDB, Redis and NATS, and on top of them topology, identity and gateway.

  npm start                                   start, and stay in the foreground until Ctrl-C
  npm start -- --demo                         the same with a demo organization: a login, an API key, and a network
  npm start -- --replicas gateway=2,topology=2,identity=2
                                              several processes of a kind; gateways listen on PORT, PORT+1, …
  npm start -- --help                         this text

Settings (environment variables):
  PORT         port of the first gateway, default 8080
  DATA_DIR     folder of data, logs and secrets, default .local
  MONGODB_URL  use this MongoDB (a replica set) instead of starting one
  REDIS_URL    use this Redis instead of starting one
  NATS_URL     use this NATS instead of starting one
  MONGODB_DOWNLOAD_URL
               where MongoDB is downloaded from when no mongod is installed, default https://fastdl.mongodb.org
Other settings (docs/configuration.md) are passed to the processes, for example RATE_LIMIT_PER_MINUTE=1000 npm start.
Not passed are those that the start sets itself: HOST, OPS_PORT, NODE_OPTIONS, the addresses of the services, database
names and secrets. Each process serves /livez, /readyz and /metrics on a free port of 127.0.0.1, which is the ops_port in
its log.

Servers that are not installed are downloaded once to the user's cache folder; nothing is installed on the system.
Several systems can run at the same time if each has its own PORT and DATA_DIR.
`;

const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node 20.19 or newer is required, but this is ${process.versions.node}; install it from https://nodejs.org.`,
  );
  process.exitCode = 1;
} else if (process.argv.includes("--help") || process.argv.includes("-h")) {
  console.log(HELP);
} else {
  start();
}

async function start() {
  const parentPid = process.ppid; // read first, as the parent may end while packages are being installed
  const { prepare, PrepareProblem } = await import("./prepare.mjs");
  try {
    await prepare({ tests: false, report: console.log });
  } catch (error) {
    if (!(error instanceof PrepareProblem)) throw error;
    console.error(error.message);
    process.exitCode = 1;
    return;
  }
  const { main } = await import("./dist/bundle/main.js");
  process.exitCode = await main({ args: process.argv.slice(2), env: process.env, parentPid });
}
