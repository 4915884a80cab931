import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { networkPath } from "../paths.js";
import { useNetworkScope } from "./networks.js";

/** The name of a network, which leads to its page. */
export function NetworkLink({ id }: { readonly id: string }): ReactNode {
  const { nameOf } = useNetworkScope();
  return (
    <Anchor component={Link} to={networkPath(id)} size="sm">
      {nameOf(id)}
    </Anchor>
  );
}
