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

/** A framed part of a page with a title of its own. */
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

/** What stands in a part that is no table. */
export function PartBody({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className={classes.body}>{children}</div>;
}

/** A sentence in a part, such as that there is nothing. */
export function PartRemark({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className={classes.remark}>{children}</p>;
}

interface ListPartProps {
  readonly title: string;
  readonly count: number;
  /** Said when there is none. */
  readonly none: string;
  /** Absent where nothing can be added. */
  readonly add?: { readonly label: string; readonly run: () => void } | undefined;
  readonly children: ReactNode;
}

/** A list of what belongs to the thing that the page is about. */
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
