import { describe, expect, it } from "@jest/globals";
import { withValues } from "./members.rules.js";

const ENTITY = {
  id: "a",
  name: 'quoted "name", with \\ and }',
  '"odd",': 1,
  count: -1.5e-7,
  isOpen: false,
  nothing: null,
  empty: "",
  none: {},
  list: [1, ["]", { name: "inner" }], "\\"],
  details: { name: "inner", list: [{ count: 2 }], "}": '"' },
  last: "ü\u2028😀",
};
const NAMES = Object.keys(ENTITY) as (keyof typeof ENTITY)[];
const OTHERS = [true, 12, null, "", '\\"', 'a","name":"b', {}, [], { name: ["}"] }, [{}]];

const someOf = (entity: object, isIn: (n: number) => boolean): object =>
  Object.fromEntries(Object.entries(entity).filter((_, n) => isIn(n)));

describe("an object with other values of some members", () => {
  it("has the JSON of both objects merged, whichever members differ", () => {
    for (let chosen = 0; chosen < 2 ** NAMES.length; chosen++) {
      const former = Object.fromEntries(NAMES.map((name, n) => [name, OTHERS[(n + chosen) % OTHERS.length]]));
      const others = someOf(former, (n) => (chosen & (1 << n)) !== 0);
      const text = withValues(JSON.stringify(ENTITY), JSON.stringify(others));
      if (text !== JSON.stringify({ ...ENTITY, ...others }))
        throw new Error(`${JSON.stringify(others)}: ${text ?? "null"}`);
    }
  });

  it("is null if a member is missing, or at another place", () => {
    const json = JSON.stringify(ENTITY);
    expect(withValues(json, JSON.stringify({ other: 1 }))).toBeNull();
    expect(withValues(json, JSON.stringify({ inner: 1 }))).toBeNull();
    expect(withValues(json, JSON.stringify({ last: 1, id: "b" }))).toBeNull();
    expect(withValues("{}", JSON.stringify({ id: "b" }))).toBeNull();
  });
});
