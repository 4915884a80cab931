import { ActionIcon, Drawer } from "@mantine/core";
import { Menu as MenuIcon } from "lucide-react";
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Link, Outlet, useLocation } from "react-router";
import { LiveProvider } from "../live/live.js";
import { Boundary } from "../parts/boundary.js";
import { PaletteButton, PaletteIcon, PaletteProvider } from "../palette/palette-provider.js";
import { ConfirmProvider } from "../forms/confirm.js";
import { Confirmation } from "../second-factor/confirmation.js";
import { FreshCodes } from "../second-factor/fresh-codes.js";
import { Unverified } from "../mail/unverified.js";
import { Bell } from "../news/bell.js";
import { PATHS } from "../paths.js";
import { Waiting } from "../parts/waiting.js";
import { SampleNote } from "../sample/sample-note.js";
import { useSession } from "../session/session.js";
import { Account, SchemeChoice } from "./account.js";
import { LimitMeter } from "./limit-meter.js";
import { Logo } from "../parts/logo.js";
import { Navigation } from "./navigation.js";
import { NetworkScopeProvider } from "../scope/networks.js";
import classes from "./shell.module.css";

/** The layout of signed-in pages: navigation at the side, or in a drawer on narrow screens. */
export function Shell(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  const main = useFocusOnNavigation(pathname);
  return (
    <LiveProvider>
      <NetworkScopeProvider>
        <ConfirmProvider>
          <PaletteProvider>
            <a href="#main" className="skip-link">
              Skip to content
            </a>
            <div className={classes.shell}>
              <nav className={classes.bar} aria-label="Menu">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="lg"
                  aria-label="Open menu"
                  onClick={() => setOpen(true)}
                >
                  <MenuIcon size={20} aria-hidden />
                </ActionIcon>
                <Link to={PATHS.home} className={classes.home}>
                  <Logo />
                </Link>
                <div className={classes.barEnd}>
                  <PaletteIcon />
                  <Bell />
                  <SchemeChoice />
                </div>
              </nav>
              <aside className={classes.side}>
                <Side />
              </aside>
              <main id="main" ref={main} tabIndex={-1} className={classes.main}>
                {/* outside of the pages' keys, so that a page stays until the next one has loaded */}
                <Suspense fallback={<Waiting />}>
                  <Boundary key={pathname}>
                    <Content />
                  </Boundary>
                </Suspense>
              </main>
            </div>
            <Drawer
              opened={isOpen}
              onClose={() => setOpen(false)}
              size="18rem"
              title="Menu"
              closeButtonProps={{ "aria-label": "Close menu" }}
            >
              <Side onNavigate={() => setOpen(false)} />
            </Drawer>
            <Confirmation />
            <FreshCodes />
          </PaletteProvider>
        </ConfirmProvider>
      </NetworkScopeProvider>
    </LiveProvider>
  );
}

function Content(): ReactNode {
  return (
    <>
      <Unverified />
      <Outlet />
    </>
  );
}

function Side({ onNavigate }: { readonly onNavigate?: () => void }): ReactNode {
  const { organization } = useSession();
  return (
    <div className={classes.sideInner}>
      <div className={classes.brand}>
        <Link to={PATHS.home} className={classes.home} {...(onNavigate && { onClick: onNavigate })}>
          <Logo />
        </Link>
        <SchemeChoice />
      </div>
      {onNavigate === undefined && <PaletteButton />}
      <div className={classes.organization}>
        {organization.name}
        {onNavigate === undefined && <Bell />}
      </div>
      <SampleNote />
      <Navigation {...(onNavigate && { onNavigate })} />
      <div className={classes.foot}>
        <LimitMeter />
        <Account />
      </div>
    </div>
  );
}

/** Moves the focus to the content on navigation, as browsers do for documents. */
function useFocusOnNavigation(pathname: string): React.RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  const last = useRef(pathname);
  useEffect(() => {
    if (last.current === pathname) return;
    last.current = pathname;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [pathname]);
  return main;
}
