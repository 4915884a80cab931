/**
 * The seed of everything that tests draw at random: fixed, so that a run never fails by luck, and chosen anew by each run
 * of the long tier. fast-check takes it from `suites/environment.mjs`.
 */
export const SEED = Number(process.env["SEED"] ?? 1);
