import type { Permission } from "@nts/shared/contract";
import {
  Archive,
  BadgeCheck,
  Boxes,
  Cable,
  CopyCheck,
  EyeOff,
  FileUp,
  History,
  KeyRound,
  type LucideIcon,
  Network,
  Rows3,
  Radar,
  Server,
  Settings,
  ShieldCheck,
  Spline,
  Tags,
  Users,
  Waypoints,
  Webhook,
} from "lucide-react";
import { PATHS } from "../paths.js";

// The pages that people go to, as the navigation and the palette list them.

interface Entry {
  readonly path: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly needs?: Permission;
}

export const GROUPS: readonly { readonly label: string; readonly entries: readonly Entry[] }[] = [
  {
    label: "Explore",
    entries: [
      { path: PATHS.topology, label: "Topology", icon: Waypoints },
      { path: PATHS.hosts, label: "Hosts", icon: Server },
      { path: PATHS.services, label: "Services", icon: Boxes },
      { path: PATHS.certificates, label: "Certificates", icon: BadgeCheck },
      { path: PATHS.notSeen, label: "Not seen", icon: EyeOff },
      { path: PATHS.duplicates, label: "Duplicates", icon: CopyCheck },
      { path: PATHS.activity, label: "Activity", icon: History },
    ],
  },
  {
    label: "Structure",
    entries: [
      { path: PATHS.networks, label: "Networks", icon: Network },
      { path: PATHS.subnets, label: "Subnets", icon: Spline },
      { path: PATHS.vlans, label: "VLANs", icon: Rows3 },
      { path: PATHS.links, label: "Links", icon: Cable },
      { path: PATHS.tags, label: "Tags", icon: Tags },
      { path: PATHS.collectors, label: "Collectors", icon: Radar, needs: "Admin" },
      { path: PATHS.importScan, label: "Import", icon: FileUp, needs: "Member" },
    ],
  },
  {
    label: "Access",
    entries: [
      { path: PATHS.keys, label: "API keys", icon: KeyRound },
      { path: PATHS.users, label: "Users", icon: Users, needs: "Admin" },
      { path: PATHS.audit, label: "Audit", icon: ShieldCheck, needs: "Owner" },
      { path: PATHS.webhooks, label: "Webhooks", icon: Webhook, needs: "Admin" },
      { path: PATHS.archive, label: "Backup", icon: Archive, needs: "Owner" },
      { path: PATHS.settings, label: "Settings", icon: Settings },
    ],
  },
];
