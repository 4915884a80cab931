import { ActionIcon, Menu, Text, Tooltip, useMantineColorScheme } from "@mantine/core";
import { BookOpen, Building2, Check, ChevronsUpDown, LogOut, Monitor, Moon, Settings, Sun } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { PATHS } from "../paths.js";
import { useSession } from "../session/session.js";
import { useActIn, useOrganizations } from "../session/use-organizations.js";
import { useSignOut } from "../session/use-sign-out.js";
import classes from "./shell.module.css";

const SCHEMES = [
  { value: "auto", label: "System", icon: Monitor },
  { value: "light", label: "Light", icon: Sun },
  { value: "dark", label: "Dark", icon: Moon },
] as const;

/** The menu of the account. */
export function Account(): ReactNode {
  const { user, permissions, organization } = useSession();
  const signOut = useSignOut();
  return (
    <Menu position="top-start" width="target" withinPortal>
      <Menu.Target>
        <button type="button" className={classes.account}>
          <span className={classes.who}>
            <Text size="sm" fw={500} truncate component="span">
              {user.email}
            </Text>
            <Text size="xs" c="dimmed" truncate component="span">
              {permissions}
            </Text>
          </span>
          <ChevronsUpDown size={16} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Organizations presentId={organization.id} />
        <Menu.Item component={Link} to={PATHS.settings} leftSection={<Settings size={16} aria-hidden />}>
          Settings
        </Menu.Item>
        <Menu.Item component="a" href="/api/docs" leftSection={<BookOpen size={16} aria-hidden />}>
          API documentation
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The other organizations to switch to, read when the menu opens; nothing if there is only one. */
function Organizations({ presentId }: { readonly presentId: string }): ReactNode {
  const all = useOrganizations();
  const actIn = useActIn();
  if (all.length < 2) return null;
  return (
    <>
      <Menu.Label>Organizations</Menu.Label>
      <div className={classes.organizations}>
        {all.map(({ id, name, permissions }) => (
          <Menu.Item
            key={id}
            classNames={{ itemLabel: classes.membership }}
            aria-current={id === presentId}
            leftSection={id === presentId ? <Check size={16} aria-hidden /> : <Building2 size={16} aria-hidden />}
            onClick={() => void (id === presentId ? undefined : actIn(id))}
          >
            <Text size="sm" truncate component="span" display="block">
              {name}
            </Text>
            <Text size="xs" c="dimmed" component="span">
              {permissions}
            </Text>
          </Menu.Item>
        ))}
      </div>
      <Menu.Divider />
    </>
  );
}

/** Light, dark, or as the system. */
export function SchemeChoice(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { icon: Icon, label } = SCHEMES.find(({ value }) => value === colorScheme) ?? SCHEMES[0];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Tooltip label={`Colours: ${label}`}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Colours: ${label}`}>
            <Icon size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ value, label: name, icon: Choice }) => (
          <Menu.Item key={value} leftSection={<Choice size={16} aria-hidden />} onClick={() => setColorScheme(value)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
