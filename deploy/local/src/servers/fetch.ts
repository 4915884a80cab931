/** Fetches the server programs that are missing, side by side, while the rest of a first start is being built. */
import { SERVER_PROGRAMS } from "./catalogue.js";
import { findOrFetch } from "./find.js";

const report = (line: string): void => {
  console.log(line);
};
const given = { mongodb: "MONGODB_URL", redis: "REDIS_URL", nats: "NATS_URL" } as const;

const kinds = Object.keys(given) as (keyof typeof given)[];
const needed = kinds.filter((kind) => (process.env[given[kind]] ?? "") === "");
// The start itself reports what is missing.
await Promise.allSettled(needed.map((kind) => findOrFetch(SERVER_PROGRAMS[kind], { report })));
