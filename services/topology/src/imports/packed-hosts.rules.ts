import type { Role } from "@nts/shared/contract";
import type { SeenAddress, SeenHost } from "./scan.rules.js";

// Hosts of which only what identifies them is at hand; the rest is unpacked when it is asked for.

/** What is packed. */
export type Details = Pick<SeenHost, "vendor" | "says" | "ports">;

/** The details of some hosts, by their position. */
export interface PackedDetails {
  at(position: number): Details;
}

/** A host whose details are packed. It is changed by {@link hostWith}, since a spread would lose them. */
export class PackedHost implements SeenHost {
  readonly line: number;
  readonly addresses: readonly SeenAddress[];
  readonly hostname: string | null;
  readonly name: string | null;
  readonly role: Role | null;
  readonly covered: NonNullable<SeenHost["covered"]>;

  constructor(
    { line, addresses, hostname, name = null, role = null, covered = [] }: SeenHost,
    private readonly packed: PackedDetails,
    private readonly position: number,
  ) {
    this.line = line;
    this.covered = covered;
    // Copied, because texts that were cut out of a file keep all of it.
    ({ addresses: this.addresses, hostname: this.hostname, name: this.name } = copyOf({ addresses, hostname, name }));
    this.role = role;
  }

  get vendor(): string | null {
    return this.details().vendor;
  }

  get says(): SeenHost["says"] {
    return this.details().says;
  }

  get ports(): SeenHost["ports"] {
    return this.details().ports;
  }

  details(): Details {
    return this.packed.at(this.position);
  }
}

export function isPacked(host: SeenHost): boolean {
  return host instanceof PackedHost;
}

/** A host with other values of some members. */
export function hostWith(host: SeenHost, members: Partial<SeenHost>): SeenHost {
  if (!(host instanceof PackedHost)) return { ...host, ...members };
  const { line, addresses, hostname, name, role, covered } = host;
  return { line, addresses, hostname, name, role, covered, ...host.details(), ...members };
}

function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
