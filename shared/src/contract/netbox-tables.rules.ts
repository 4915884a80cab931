/** Tables that NetBox imports, in this order. */
export const NETBOX_TABLES = [
  "sites",
  "manufacturers",
  "device-roles",
  "device-types",
  "devices",
  "interfaces",
  "mac-addresses",
  "prefixes",
  "ip-addresses",
  "services",
] as const;
/** For NetBox 4.3 to 4.6, instead of `services`: their services have one protocol. */
export const OLDER_NETBOX_TABLES = ["services-before-4-7"] as const;
export type NetboxTable = (typeof NETBOX_TABLES | typeof OLDER_NETBOX_TABLES)[number];
