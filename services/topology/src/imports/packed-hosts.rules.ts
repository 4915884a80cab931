import type { Role } from "@nts/shared/contract";
import { type Mark, marksOf } from "@nts/shared/contract/marks.rules";
import { copyOf } from "./copies.rules.js";
import type { SeenAddress, SeenHost } from "./scan.rules.js";

// Hosts of which only what identifies them is at hand; the rest is unpacked when it is asked for.

/** What is packed. */
export type Details = Pick<SeenHost, "vendor" | "says" | "tags" | "attributes" | "ports" | "covered">;

/** Hosts that can be packed: what else a sighting may have is needed to recognize it. */
export type Packable = Pick<SeenHost, "line" | "addresses" | "hostname" | "name" | "role" | keyof Details>;

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
  /** At hand, because they identify it. */
  readonly marks: readonly Mark[];

  constructor(
    { line, addresses, hostname, name = null, role = null, says = {} }: Packable,
    private readonly packed: PackedDetails,
    private readonly position: number,
  ) {
    this.line = line;
    ({ addresses: this.addresses, hostname: this.hostname, name: this.name } = copyOf({ addresses, hostname, name }));
    this.role = role;
    this.marks = copyOf(marksOf(says));
  }

  get vendor(): string | null {
    return this.details().vendor;
  }

  get says(): SeenHost["says"] {
    return this.details().says;
  }

  get tags(): SeenHost["tags"] {
    return this.details().tags;
  }

  get attributes(): SeenHost["attributes"] {
    return this.details().attributes;
  }

  get ports(): SeenHost["ports"] {
    return this.details().ports;
  }

  get covered(): SeenHost["covered"] {
    return this.details().covered;
  }

  details(): Details {
    return this.packed.at(this.position);
  }
}

/** The serial number of a host, and the like. */
export function marksIn(host: SeenHost): readonly Mark[] {
  return host instanceof PackedHost ? host.marks : marksOf(host.says ?? {});
}

export function isPacked(host: SeenHost): boolean {
  return host instanceof PackedHost;
}

/** A host with other values of some members. */
export function hostWith(host: SeenHost, members: Partial<SeenHost>): SeenHost {
  if (!(host instanceof PackedHost)) return { ...host, ...members };
  const { line, addresses, hostname, name, role } = host;
  return { line, addresses, hostname, name, role, ...host.details(), ...members };
}
