// Limits of entities that import threads use without loading zod.

/** Maximum bindings of a service. */
export const MOST_BINDINGS = 1_000;
