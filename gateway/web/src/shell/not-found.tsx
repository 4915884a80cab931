import { Button } from "@mantine/core";
import { CircleHelp } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { PATHS } from "../paths.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";

/** For unknown paths of the console. */
export function NotFound(): ReactNode {
  return (
    <Page title="Not found">
      <EmptyState
        icon={CircleHelp}
        title="Page not found"
        actions={
          <Button component={Link} to={PATHS.home}>
            Go to the start page
          </Button>
        }
      >
        The address may be mistyped, or the page has moved.
      </EmptyState>
    </Page>
  );
}
