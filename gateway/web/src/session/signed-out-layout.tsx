import { Anchor, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { Logo } from "../shell/logo.js";
import classes from "./signed-out-layout.module.css";

interface EntranceProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Links to sign-in or sign-up. */
  readonly footer: ReactNode;
}

/** The layout of pages for signed-out users. */
export function SignedOutLayout({ title, children, footer }: EntranceProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Network topology`;
  }, [title]);
  return (
    <div className={classes.page}>
      <main className={classes.card}>
        <Logo />
        <Title order={1} mt="lg" mb="md">
          {title}
        </Title>
        {children}
        <div className={classes.footer}>{footer}</div>
      </main>
      <footer>
        <Anchor href="/api/docs" size="sm" c="dimmed" underline="always">
          API documentation
        </Anchor>
      </footer>
    </div>
  );
}
