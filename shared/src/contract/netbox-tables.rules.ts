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
export type NetboxTable = (typeof NETBOX_TABLES)[number];
