// `@jest/globals` of suites that Node.js loads: bound to the suite that is currently loaded or run.
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest;

export function giveToSuite(given) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } = given);
}
