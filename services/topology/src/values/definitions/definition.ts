import type { Category, Protocol } from "@nts/shared/contract";

interface DefinedPort {
  readonly number: number;
  readonly protocol: Protocol;
}

/** A network service that the product knows by name. */
export interface ServiceDefinition {
  readonly name: string;
  readonly category: Category;
  readonly description: string;
  /** The ports the service usually listens on; empty where there is no usual one. */
  readonly ports: readonly DefinedPort[];
}

export function tcp(...numbers: readonly number[]): readonly DefinedPort[] {
  return numbers.map((number) => ({ number, protocol: "Tcp" }));
}

export function udp(...numbers: readonly number[]): readonly DefinedPort[] {
  return numbers.map((number) => ({ number, protocol: "Udp" }));
}

/** A function that writes down one service of the category in a line. */
export function definer(category: Category) {
  return (name: string, description: string, ...ports: readonly (readonly DefinedPort[])[]): ServiceDefinition => ({
    name,
    category,
    description,
    ports: ports.flat(),
  });
}
