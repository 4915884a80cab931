import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { PATHS } from "../paths.js";

/** Leads to the first steps, from where nothing can be done without them. */
export function GuideLink(): ReactNode {
  return (
    <Button component={Link} to={PATHS.welcome}>
      Getting started
    </Button>
  );
}
