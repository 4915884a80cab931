import type { Binding, BindingInput, HostCreate } from "@nts/shared/contract";
import { bindingJudge, bindingKey, type BindingJudge } from "@nts/shared/contract/bindings.rules";
import { AppError } from "@nts/shared/errors";

// Enforces the binding rules of a service. The result does not depend on the order of the request. @see docs/api.md
// "Bindings"

/**
 * Applies the binding rules to the requested bindings, and returns the remaining ones.
 *
 * @throws AppError `binding_cross_host` with every binding to a port or interface of another host
 * @throws AppError `binding_conflict` with every pair that conflicts on an interface
 * @see docs/api.md "Bindings": in this order
 */
export function resolveBindings(requested: readonly BindingInput[], judge: BindingJudge): BindingInput[] {
  const { foreign, conflicts, kept } = judge(requested);
  refuse("binding_cross_host", foreign);
  refuse("binding_conflict", conflicts);
  return [...kept];
}

/** The rules for a new host, whose ports and interfaces have local ids. */
export function judgeOfNew({ ports, interfaces }: Pick<HostCreate, "ports" | "interfaces">): BindingJudge {
  const namesOf = (list: readonly { id?: string | undefined }[]): string[] => list.flatMap(({ id }) => id ?? []);
  return bindingJudge({ ports: namesOf(ports), interfaces: namesOf(interfaces) });
}

export interface BindingOwner {
  readonly serviceId: string;
  readonly networkId: string;
  readonly now: string;
  readonly newId: () => string;
}

/** The bindings to store: unchanged ones keep id and times; new ones follow in a canonical order. */
export function bindingsOf(
  resolved: readonly BindingInput[],
  current: readonly Binding[],
  owner: BindingOwner,
): Binding[] {
  const requested = new Map(resolved.map((binding) => [bindingKey(binding), binding]));
  const kept = current.filter((binding) => requested.delete(bindingKey(binding)));
  const added = [...requested.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...kept, ...added.map(([, binding]) => bindingOf(binding, owner))];
}

/** The bindings of a service without those to the given, deleted ids. */
export function withoutTargets<B extends BindingInput>(bindings: readonly B[], deleted: ReadonlySet<string>): B[] {
  return bindings.filter(
    (binding) => !deleted.has(binding.interface_id ?? "") && !(binding.type === "Port" && deleted.has(binding.port_id)),
  );
}

function bindingOf(binding: BindingInput, { serviceId, networkId, now, newId }: BindingOwner): Binding {
  const bound =
    binding.type === "Interface"
      ? { type: "Interface" as const, interface_id: binding.interface_id }
      : { type: "Port" as const, port_id: binding.port_id, interface_id: binding.interface_id };
  return { id: newId(), created_at: now, updated_at: now, service_id: serviceId, network_id: networkId, ...bound };
}

function refuse(code: "binding_cross_host" | "binding_conflict", violations: readonly object[]): void {
  if (violations.length > 0) throw new AppError(code, { violations });
}
