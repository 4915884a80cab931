import { DATA } from "./catalogue/data.js";
import type { ServiceDefinition } from "./catalogue/definition.js";
import { HOME } from "./catalogue/home.js";
import { NETWORK } from "./catalogue/network.js";
import { OPERATIONS } from "./catalogue/operations.js";
import { WORK } from "./catalogue/work.js";

export type { ServiceDefinition };

/** Every service the product knows by name; no two names differ in case only. */
export const CATALOGUE: readonly ServiceDefinition[] = [...NETWORK, ...DATA, ...OPERATIONS, ...HOME, ...WORK];
