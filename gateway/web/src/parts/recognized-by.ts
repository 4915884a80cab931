import type { RecognizedBy } from "@nts/shared/contract/sightings";

/** By what imports recognize hosts. */
export const RECOGNIZED_BY: Readonly<Record<RecognizedBy, string>> = {
  request: "chosen",
  mac_address: "MAC address",
  former_mac_address: "former MAC address",
  hostname: "name",
  ip_address: "address",
};
