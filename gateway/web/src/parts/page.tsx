import { Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import classes from "./page.module.css";

interface PageProps {
  readonly title: string;
  /** A sentence below the title. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with title, actions and content. Sets the document title. */
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

interface PanelProps {
  readonly children: ReactNode;
  readonly pad?: boolean;
  /** The page takes the whole width of the window. */
  readonly wide?: boolean;
}

/** A framed section. */
export function Panel({ children, pad = false, wide = false }: PanelProps): ReactNode {
  return (
    <section
      className={`${classes.panel ?? ""} ${pad ? (classes.padded ?? "") : ""}`}
      data-whole-width={wide || undefined}
    >
      {children}
    </section>
  );
}
