// `@jest/globals` of suites that Node loads: what each name stands for in the suite that is loaded, or runs, now.
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest;

export function giveToSuite(given) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } = given);
}
