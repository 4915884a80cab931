import { Select } from "@mantine/core";
import type { Permission } from "@nts/shared/contract";
import { isAtLeast } from "@nts/shared/contract";
import {
  Archive,
  BadgeCheck,
  Boxes,
  EyeOff,
  FileUp,
  History,
  KeyRound,
  type LucideIcon,
  Network,
  Server,
  Settings,
  ShieldCheck,
  Spline,
  Tags,
  Users,
  Waypoints,
  Webhook,
} from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { NavLink, useLocation } from "react-router";
import { PATHS } from "../paths.js";
import { useSession } from "../session/session.js";
import { useNetworkScope } from "./networks.js";
import classes from "./shell.module.css";

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
      { path: PATHS.gone, label: "Not seen", icon: EyeOff },
      { path: PATHS.activity, label: "Activity", icon: History },
    ],
  },
  {
    label: "Structure",
    entries: [
      { path: PATHS.networks, label: "Networks", icon: Network },
      { path: PATHS.subnets, label: "Subnets", icon: Spline },
      { path: PATHS.tags, label: "Tags", icon: Tags },
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

/** The navigation, according to the caller's level; `onNavigate` is called when a link is followed. */
export function Navigation({ onNavigate }: { readonly onNavigate?: () => void }): ReactNode {
  const { permissions } = useSession();
  const links = useVisibleEntry();
  return (
    <>
      <NetworkChoice />
      <nav ref={links} aria-label="Main" className={classes.links}>
        {GROUPS.map(({ label, entries }) => (
          <div key={label} className={classes.group}>
            <div className={classes.groupLabel}>{label}</div>
            <ul>
              {entries
                .filter(({ needs = "Viewer" }) => isAtLeast(permissions, needs))
                .map(({ path, label: name, icon: Icon }) => (
                  <li key={path}>
                    <NavLink to={path} end={path === PATHS.settings} className={classes.link} onClick={onNavigate}>
                      <Icon size={18} strokeWidth={1.75} aria-hidden />
                      {name}
                    </NavLink>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </nav>
    </>
  );
}

/** Scrolls the links to the current page, if the window is too low for all. */
function useVisibleEntry(): React.RefObject<HTMLElement | null> {
  const { pathname } = useLocation();
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    links.current?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest" });
  }, [pathname]);
  return links;
}

const ALL = "all";

function NetworkChoice(): ReactNode {
  const { networks, networkId, choose } = useNetworkScope();
  if (networks.length === 0) return null;
  return (
    <Select
      label="Network"
      classNames={{ root: classes.choice ?? "" }}
      value={networkId ?? ALL}
      allowDeselect={false}
      searchable={networks.length > 10}
      data={[{ value: ALL, label: "All networks" }, ...networks.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={(value) => choose(value === ALL ? null : value)}
    />
  );
}
