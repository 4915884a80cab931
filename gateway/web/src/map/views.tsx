import { Tabs } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { type View, VIEWS } from "./boxes.js";
import classes from "./map.module.css";

const NAMES: Readonly<Record<View, string>> = {
  subnets: "Subnets",
  hosts: "Hosts & VMs",
  services: "Services",
  tags: "Tags",
  links: "Links",
};

interface ViewsProps {
  readonly view: View;
  readonly onView: (view: View) => void;
}

/** What the boxes of the map are. */
export function Views({ view, onView }: ViewsProps): ReactNode {
  const tabs = useRef<HTMLDivElement>(null);
  // On telephones, not all have room beside each other.
  useEffect(() => {
    tabs.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [view]);
  const choose = (value: string | null): void => onView(VIEWS.find((one) => one === value) ?? view);
  return (
    <Tabs value={view} onChange={choose} mb="sm">
      <Tabs.List ref={tabs} aria-label="Views of the map" className={classes.tabs ?? ""}>
        {VIEWS.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {NAMES[one]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}
