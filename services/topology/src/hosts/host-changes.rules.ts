import type { HostRecord, Interface, Port, Service } from "@nts/shared/contract";
import type { ChangesOf } from "../storage/changes.rules.js";

/** What becomes of hosts and their children when these are divided differently. */
export interface HostChanges {
  readonly hosts: ChangesOf<HostRecord>;
  readonly interfaces: ChangesOf<Interface>;
  readonly ports: ChangesOf<Port>;
  readonly services: ChangesOf<Service>;
}
