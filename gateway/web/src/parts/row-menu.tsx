import { ActionIcon, Menu } from "@mantine/core";
import { EllipsisVertical, type LucideIcon } from "lucide-react";
import { type ReactNode, useRef } from "react";

export interface RowAction {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly run: () => void;
  readonly isDestructive?: boolean;
  readonly isDisabled?: boolean;
}

export function RowMenu({
  name,
  actions,
}: {
  readonly name: string;
  readonly actions: readonly RowAction[];
}): ReactNode {
  const target = useRef<HTMLButtonElement>(null);
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon ref={target} variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
          <EllipsisVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, icon: Icon, run, isDestructive, isDisabled }) => (
          <Menu.Item
            key={label}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => {
              // closing the menu removes the item, so a window opened by it returns the focus to the button
              target.current?.focus();
              run();
            }}
            disabled={isDisabled === true}
            // Mantine's red lacks contrast for text
            {...(isDestructive === true && { color: "var(--mantine-color-error)" })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
