import { Button, Text, Title } from "@mantine/core";
import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Panel } from "./page.js";
import classes from "./part.module.css";

interface PartProps {
  readonly title: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A framed section with a title. */
export function Part({ title, action, children }: PartProps): ReactNode {
  return (
    <Panel>
      <div className={classes.head}>
        <Title order={2}>{title}</Title>
        {action}
      </div>
      {children}
    </Panel>
  );
}

/** The content of a section other than a table. */
export function PartBody({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className={classes.body}>{children}</div>;
}

/** A sentence in a section. */
export function PartRemark({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className={classes.remark}>{children}</p>;
}

interface ListPartProps {
  readonly title: string;
  readonly count: number;
  /** Shown if there are none. */
  readonly none: string;
  /** Absent if nothing can be added. */
  readonly add?: { readonly label: string; readonly run: () => void } | undefined;
  readonly children: ReactNode;
}

/** A section that lists the children of an entity. */
export function ListPart({ title, count, none, add, children }: ListPartProps): ReactNode {
  return (
    <Part
      title={
        <>
          {title}{" "}
          <Text component="span" c="dimmed" className="numbers" inherit fw={400}>
            {count}
          </Text>
        </>
      }
      action={
        add !== undefined && (
          <Button size="xs" variant="default" leftSection={<Plus size={14} aria-hidden />} onClick={add.run}>
            {add.label}
          </Button>
        )
      }
    >
      {count === 0 ? <PartRemark>{none}</PartRemark> : children}
    </Part>
  );
}
