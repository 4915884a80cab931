import { Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import classes from "./page.module.css";

interface PageProps {
  readonly title: string;
  /** A sentence below the title. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** A form, which does not take the whole width of a large window. */
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

/** A page with title, actions and content. Sets the document title. */
export function Page({ title, about, actions, narrow = false, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Network topology`;
  }, [title]);
  return (
    <>
      <header className={classes.head} data-narrow={narrow || undefined}>
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
}

/** A framed section. */
export function Panel({ children, pad = false }: PanelProps): ReactNode {
  return <section className={`${classes.panel ?? ""} ${pad ? (classes.padded ?? "") : ""}`}>{children}</section>;
}

interface BesideProps {
  readonly children: ReactNode;
  /** Below the content, or beside it in a large window. */
  readonly aside: ReactNode;
}

/** Content with its history. */
export function Beside({ children, aside }: BesideProps): ReactNode {
  return (
    <div className={classes.beside}>
      <div>{children}</div>
      <div>{aside}</div>
    </div>
  );
}
