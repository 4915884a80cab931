import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type Ends, clientOf, isOfItself, keyOf, namedBy, placeIn, renamed, serverOf } from "./ends.rules.js";

const orNull = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { nil: null });
const id = fc.uuid();
const process = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom(" > ", "a b > c", " "));
const ends: fc.Arbitrary<Ends> = fc.record({
  client: fc.record({ host_id: id, service_id: orNull(id), process: orNull(process) }),
  server: fc.record({ host_id: id, service_id: orNull(id), port_id: orNull(id) }),
});

describe("the ends of a dependency", () => {
  it("are places, which are those of their keys, whatever a process is called", () => {
    fc.assert(
      fc.property(ends, (one) => {
        for (const place of [clientOf(one), serverOf(one)]) expect(placeIn(keyOf(place))).toEqual(place);
      }),
    );
  });

  it("are renamed in every id that they name, and in nothing else", () => {
    fc.assert(
      fc.property(ends, (one) => {
        const back = renamed(
          renamed(one, (name) => `x${name}`),
          (name) => name.slice(1),
        );
        expect(back).toEqual(one);
        expect(Object.values(namedBy(renamed(one, (name) => `x${name}`))).flat()).toEqual(
          Object.values(namedBy(one))
            .flat()
            .map((name) => `x${String(name)}`),
        );
      }),
    );
  });

  it("are of one thing if a host, or one of its services, would depend on itself", () => {
    const of = (client: Partial<Ends["client"]>, server: Partial<Ends["server"]>): boolean =>
      isOfItself({
        client: { host_id: "a", service_id: null, process: null, ...client },
        server: { host_id: "a", service_id: null, port_id: null, ...server },
      });
    expect(of({}, {})).toBe(true);
    expect(of({ service_id: "s" }, {})).toBe(true);
    expect(of({ service_id: "s" }, { service_id: "s" })).toBe(true);
    expect(of({ process: "cron" }, {})).toBe(false);
    expect(of({ service_id: "s" }, { service_id: "t" })).toBe(false);
    expect(of({}, { host_id: "b" })).toBe(false);
  });
});
