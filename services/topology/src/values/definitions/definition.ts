import type { Category, Protocol } from "@nts/shared/contract";

interface DefinedPort {
  readonly number: number;
  readonly protocol: Protocol;
}

/** A known network service. */
export interface ServiceDefinition {
  readonly name: string;
  readonly category: Category;
  readonly description: string;
  /** Default ports; empty if there are none. */
  readonly ports: readonly DefinedPort[];
}

export function tcp(...numbers: readonly number[]): readonly DefinedPort[] {
  return numbers.map((number) => ({ number, protocol: "Tcp" }));
}

export function udp(...numbers: readonly number[]): readonly DefinedPort[] {
  return numbers.map((number) => ({ number, protocol: "Udp" }));
}

/** Creates a shorthand to define services of a category. */
export function definer(category: Category) {
  return (name: string, description: string, ...ports: readonly (readonly DefinedPort[])[]): ServiceDefinition => ({
    name,
    category,
    description,
    ports: ports.flat(),
  });
}
