import type { RecognizedBy } from "@nts/shared/contract/sightings";

/** By what imports recognize hosts. */
export const RECOGNIZED_BY: Readonly<Record<RecognizedBy, string>> = {
  request: "chosen",
  mac_address: "MAC address",
  chassis_id: "chassis id",
  former_mac_address: "former MAC address",
  serial: "serial number",
  duid: "DUID",
  machine_id: "machine id",
  hostname: "name",
  ip_address: "address",
};
