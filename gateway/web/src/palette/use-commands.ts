import { useMantineColorScheme } from "@mantine/core";
import { isAtLeast, type Permission } from "@nts/shared/contract";
import { useMatch } from "react-router";
import { PATHS } from "../paths.js";
import { useSession } from "../session/session.js";
import { useSignOut } from "../session/use-sign-out.js";
import { GROUPS } from "../parts/pages.js";
import { useNetworkScope } from "../scope/networks.js";
import type { Entry, Go, Section } from "./entries.js";
import type { EditorName } from "./editors.js";

interface Action {
  readonly label: string;
  readonly needs?: Permission;
  readonly run: () => void;
  /** False if unavailable. */
  readonly isPossible?: boolean;
}

/** Pages and actions allowed at the caller's level. @param edit opens an editor */
export function useCommands(go: Go, edit: (name: EditorName, hostId?: string) => void): readonly Section[] {
  const { permissions } = useSession();
  const { networks } = useNetworkScope();
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const hostId = useMatch(PATHS.host)?.params.id;
  const hasNetworks = networks.length > 0;
  const actions: readonly Action[] = [
    { label: "New host", needs: "Member", isPossible: hasNetworks, run: () => edit("host") },
    hostId === undefined
      ? { label: "New service: select a host", needs: "Member", isPossible: hasNetworks, run: () => go(PATHS.hosts) }
      : { label: "New service on this host", needs: "Member", run: () => edit("service", hostId) },
    { label: "New subnet", needs: "Member", isPossible: hasNetworks, run: () => edit("subnet") },
    { label: "New network", needs: "Admin", run: () => edit("network") },
    { label: "New tag", needs: "Admin", run: () => edit("tag") },
    { label: "Invite user", needs: "Admin", run: () => edit("invite") },
    { label: "API documentation", run: () => window.location.assign("/api/docs") },
    { label: "Colours: light", run: () => setColorScheme("light") },
    { label: "Colours: dark", run: () => setColorScheme("dark") },
    { label: "Colours: system", run: () => setColorScheme("auto") },
    { label: "Sign out", run: signOut },
  ];
  const pages: Entry[] = GROUPS.flatMap(({ entries }) => entries)
    .filter(({ needs = "Viewer" }) => isAtLeast(permissions, needs))
    .map(({ path, label }) => ({ id: path, label, detail: "", run: () => go(path) }));
  return [
    { label: "Pages", entries: pages },
    {
      label: "Actions",
      entries: actions
        .filter(({ needs = "Viewer", isPossible = true }) => isPossible && isAtLeast(permissions, needs))
        .map(({ label, run }) => ({ id: label, label, detail: "", run })),
    },
  ];
}
