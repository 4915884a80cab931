import { Select } from "@mantine/core";
import { isAtLeast } from "@nts/shared/contract";
import { type ReactNode, useEffect, useRef } from "react";
import { NavLink, useLocation } from "react-router";
import { PATHS } from "../paths.js";
import { GROUPS } from "../parts/pages.js";
import { useSession } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import classes from "./shell.module.css";

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
