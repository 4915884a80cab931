// Limits of entities that import threads use without loading zod.

/** Maximum addresses that a job of a collector looks at. */
export const MOST_TARGET_ADDRESSES = 65_536;

/** Maximum tags of an entity. */
export const MOST_TAGS = 50;

/** Maximum bindings of a service. */
export const MOST_BINDINGS = 1_000;

/** Of one host, at either end: deleting a host deletes them with it. */
export const MOST_DEPENDENCIES_OF_HOST = 2_000;
