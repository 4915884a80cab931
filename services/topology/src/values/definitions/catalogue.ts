import { DATA } from "./data.js";
import type { ServiceDefinition } from "./definition.js";
import { HOME } from "./home.js";
import { NETWORK } from "./network.js";
import { OPERATIONS } from "./operations.js";
import { WORK } from "./work.js";

export type { ServiceDefinition };

/** All service definitions; their names are unique ignoring case. */
export const CATALOGUE: readonly ServiceDefinition[] = [...NETWORK, ...DATA, ...OPERATIONS, ...HOME, ...WORK];
