import { describe, expect, it } from "@jest/globals";
import { type BindingInput, bindingKey } from "@nts/shared/contract";
import { bindingJudge } from "@nts/shared/contract/bindings.rules";
import { AppError } from "@nts/shared/errors";
import fc from "fast-check";
import { bindingsOf, resolveBindings } from "./bindings.rules.js";

const host = { ports: ["p1", "p2", "p3"], interfaces: ["i1", "i2", "i3"] };
const judge = bindingJudge(host);
const anInterface = fc.constantFrom(...host.interfaces);
const aPortBinding: fc.Arbitrary<BindingInput> = fc.record({
  type: fc.constant("Port" as const),
  port_id: fc.constantFrom(...host.ports),
  interface_id: fc.option(anInterface, { freq: 2 }),
});
const aBinding: fc.Arbitrary<BindingInput> = fc.oneof(
  { weight: 4, arbitrary: aPortBinding },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("Interface" as const), interface_id: anInterface }) },
);
/** Any request with the host's own ports and interfaces; about half of them conflict. */
const aRequest = fc.oneof(fc.array(aPortBinding, { maxLength: 12 }), fc.array(aBinding, { maxLength: 6 }));
/** A request, and the same one in another order. */
const twoOrders = aRequest.chain((request) =>
  fc.tuple(fc.constant(request), fc.shuffledSubarray(request, { minLength: request.length })),
);

/** The resolved bindings as a set, or the code of the rejection. */
function outcome(request: readonly BindingInput[]): string[] | string {
  try {
    return resolveBindings(request, judge).map(bindingKey).sort();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

/** The resolved bindings; skips the case when they are rejected. */
function resolved(request: readonly BindingInput[]): BindingInput[] {
  fc.pre(outcome(request) !== "binding_conflict");
  return resolveBindings(request, judge);
}

let made = 0;
const owner = { serviceId: "s", networkId: "n", now: "now", newId: () => `id${made++}` };

describe("bindings: properties of every request", () => {
  it("do not depend on the order sent, neither the set nor the rejection", () => {
    fc.assert(
      fc.property(twoOrders, ([one, other]) => {
        expect(outcome(other)).toEqual(outcome(one));
      }),
    );
  });

  it("are unchanged when they are resolved twice", () => {
    fc.assert(
      fc.property(aRequest, (request) => {
        const once = resolved(request);
        expect(resolveBindings(once, judge)).toEqual(once);
      }),
    );
  });

  it("contain no conflict, no duplicate and nothing that an all-interfaces binding covers", () => {
    fc.assert(
      fc.property(aRequest, (request) => {
        const kept = resolved(request);
        const keys = kept.map(bindingKey);
        expect(new Set(keys).size).toBe(keys.length);
        const ports = kept.filter((binding) => binding.type === "Port");
        const everywhere = ports.filter(({ interface_id }) => interface_id === null);
        for (const binding of kept) {
          if (binding.type === "Interface")
            expect(
              ports.filter(({ interface_id }) => interface_id === null || interface_id === binding.interface_id),
            ).toEqual([]);
          else if (binding.interface_id !== null)
            expect(everywhere.map(({ port_id }) => port_id)).not.toContain(binding.port_id);
        }
      }),
    );
  });

  it("lose nothing that was requested: what is dropped is covered by what is kept", () => {
    fc.assert(
      fc.property(aRequest, (request) => {
        const kept = new Set(resolved(request).map(bindingKey));
        for (const binding of request) {
          const covered = binding.type === "Port" && kept.has(bindingKey({ ...binding, interface_id: null }));
          expect(kept.has(bindingKey(binding)) || covered).toBe(true);
        }
        expect([...kept].filter((key) => !request.map(bindingKey).includes(key))).toEqual([]);
      }),
    );
  });
});

describe("bindings: properties of every change", () => {
  it("keep the ids of bindings in both sets, and give new ones their own", () => {
    fc.assert(
      fc.property(aRequest, aRequest, (before, after) => {
        const current = bindingsOf(resolved(before), [], owner);
        const requested = resolved(after);
        const next = bindingsOf(requested, current, owner);
        const idBefore = new Map(current.map((binding) => [bindingKey(binding), binding.id]));
        expect(next.map(bindingKey).sort()).toEqual(requested.map(bindingKey).sort());
        expect(new Set(next.map(({ id }) => id)).size).toBe(next.length);
        for (const binding of next) {
          const known = idBefore.get(bindingKey(binding));
          if (known === undefined) expect([...idBefore.values()]).not.toContain(binding.id);
          else expect(binding.id).toBe(known);
        }
      }),
    );
  });

  it("store unchanged what is sent back in another order", () => {
    fc.assert(
      fc.property(twoOrders, ([one, other]) => {
        const current = bindingsOf(resolved(one), [], owner);
        expect(bindingsOf(resolveBindings(other, judge), current, owner)).toEqual(current);
      }),
    );
  });
});
