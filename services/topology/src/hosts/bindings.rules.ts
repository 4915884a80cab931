import type { Binding, BindingInput, HostCreate } from "@nts/shared/contract";
import { bindingJudge, bindingKey, type BindingJudge } from "@nts/shared/contract/bindings.rules";
import { AppError } from "@nts/shared/errors";

// The binding rules of a service, enforced. What comes out is a set that does not depend on the order asked. @see docs/api.md "Bindings"

/**
 * Applies the binding rules to what a caller asked for, and returns what is left of it.
 *
 * @throws AppError `binding_cross_host` with every binding that names a port or interface of another host
 * @throws AppError `binding_conflict` with every pair that meets on an interface
 * @see docs/api.md "Bindings": in this order
 */
export function resolveBindings(requested: readonly BindingInput[], judge: BindingJudge): BindingInput[] {
  const { foreign, conflicts, kept } = judge(requested);
  refuse("binding_cross_host", foreign);
  refuse("binding_conflict", conflicts);
  return [...kept];
}

/** The judge of a host that is to be made, whose ports and interfaces have names of their own. */
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

/** The bindings to store: one that stays what it was keeps its id and times; new ones follow in an order of their own. */
export function bindingsOf(
  resolved: readonly BindingInput[],
  current: readonly Binding[],
  owner: BindingOwner,
): Binding[] {
  const wanted = new Map(resolved.map((binding) => [bindingKey(binding), binding]));
  const kept = current.filter((binding) => wanted.delete(bindingKey(binding)));
  const added = [...wanted.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...kept, ...added.map(([, binding]) => bindingOf(binding, owner))];
}

/** The bindings of a service without those that name one of the ids, which are being deleted. */
export function withoutTargets<B extends BindingInput>(bindings: readonly B[], deleted: ReadonlySet<string>): B[] {
  return bindings.filter(
    (binding) => !deleted.has(binding.interface_id ?? "") && !(binding.type === "Port" && deleted.has(binding.port_id)),
  );
}

function bindingOf(binding: BindingInput, { serviceId, networkId, now, newId }: BindingOwner): Binding {
  const owned = { id: newId(), created_at: now, updated_at: now, service_id: serviceId, network_id: networkId };
  return binding.type === "Interface"
    ? { ...owned, type: "Interface", interface_id: binding.interface_id }
    : { ...owned, type: "Port", port_id: binding.port_id, interface_id: binding.interface_id };
}

function refuse(code: "binding_cross_host" | "binding_conflict", violations: readonly object[]): void {
  if (violations.length > 0) throw new AppError(code, { violations });
}
