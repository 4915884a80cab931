/** What a host is in its network. Import threads use the names without loading zod. */
export const ROLE_NAMES = [
  "Router",
  "Switch",
  "AccessPoint",
  "Firewall",
  "Server",
  "Hypervisor",
  "Nas",
  "Printer",
  "Camera",
  "Phone",
  "Computer",
  "Mobile",
  "Media",
  "Iot",
  "Ups",
  "Other",
] as const;
