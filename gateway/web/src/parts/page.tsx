import { Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import classes from "./page.module.css";

interface PageProps {
  readonly title: string;
  /** One sentence under the title. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page of the signed-in part: its title, in the window's title too, its actions, and its content. */
export function Page({ title, about, actions, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Network topology`;
  }, [title]);
  return (
    <>
      <header className={classes.head}>
        <div className={classes.titles}>
          <Title order={1}>{title}</Title>
          {about !== undefined && (
            <Text c="dimmed" size="sm">
              {about}
            </Text>
          )}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** A framed part of a page. */
export function Panel({ children, pad = false }: { readonly children: ReactNode; readonly pad?: boolean }): ReactNode {
  return <section className={`${classes.panel ?? ""} ${pad ? (classes.padded ?? "") : ""}`}>{children}</section>;
}
