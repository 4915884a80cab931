import { Button, Text, Title } from "@mantine/core";
import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Panel } from "../parts/page.js";
import classes from "./hosts.module.css";

interface PartProps {
  readonly title: string;
  readonly count: number;
  /** Said when there is none. */
  readonly none: string;
  /** Absent where nothing can be added. */
  readonly add?: { readonly label: string; readonly run: () => void } | undefined;
  readonly children: ReactNode;
}

/** A list of what is on a host. */
export function Part({ title, count, none, add, children }: PartProps): ReactNode {
  return (
    <Panel>
      <div className={classes.partHead}>
        <Title order={2}>
          {title}{" "}
          <Text component="span" c="dimmed" className="numbers" inherit fw={400}>
            {count}
          </Text>
        </Title>
        {add !== undefined && (
          <Button size="xs" variant="default" leftSection={<Plus size={14} aria-hidden />} onClick={add.run}>
            {add.label}
          </Button>
        )}
      </div>
      {count === 0 ? <p className={classes.none}>{none}</p> : children}
    </Panel>
  );
}
