import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { PATHS } from "../paths.js";

/** Leads to the imports, from pages that show what they have found. */
export function ImportLink(): ReactNode {
  return (
    <Button component={Link} to={PATHS.importScan} variant="default">
      Import
    </Button>
  );
}
