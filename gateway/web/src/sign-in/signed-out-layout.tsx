import { Anchor, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { Logo } from "../parts/logo.js";
import { Picture } from "./picture.js";
import classes from "./signed-out-layout.module.css";

interface EntranceProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Links to sign-in or sign-up. */
  readonly footer: ReactNode;
  /** Says beside it what this is. */
  readonly isIntroduced?: boolean;
}

/** The layout of pages for signed-out users. */
export function SignedOutLayout({ title, children, footer, isIntroduced = false }: EntranceProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Network topology`;
  }, [title]);
  return (
    <div className={classes.page}>
      <main className={classes.main}>
        {isIntroduced && (
          <div className={classes.about}>
            <p>
              Every machine, address and service of your networks in one picture, who changed what and when, and an API
              for all of it.
            </p>
            <Picture />
          </div>
        )}
        <div className={classes.card}>
          <Logo />
          <Title order={1} mt="lg" mb="md">
            {title}
          </Title>
          {children}
          <div className={classes.footer}>{footer}</div>
        </div>
      </main>
      <footer>
        <Anchor href="/api/docs" size="sm" c="dimmed" underline="always">
          API documentation
        </Anchor>
      </footer>
    </div>
  );
}
