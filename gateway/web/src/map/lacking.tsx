import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { PATHS } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import type { View } from "./boxes.js";
import classes from "./map.module.css";
import type { Model } from "./model.js";

interface Advice {
  readonly isLacking: (model: Model) => boolean;
  readonly text: string;
  /** Where to get it. */
  readonly to: string;
  readonly label: string;
}

const ADVICE: Readonly<Partial<Record<View, Advice>>> = {
  services: {
    isLacking: ({ topology }) => !topology.nodes.some(({ kind }) => kind === "service"),
    text: "No services are known. A scan with nmap -sV finds them.",
    to: PATHS.importScan,
    label: "Import",
  },
  tags: {
    isLacking: ({ hosts }) => ![...hosts.values()].some(({ node }) => node.tags.length > 0),
    text: "No host has a tag. Edit hosts to tag them.",
    to: PATHS.hosts,
    label: "Go to hosts",
  },
  links: {
    isLacking: ({ links }) => links.length === 0,
    text: "No links are known. They come from lldpctl, from walks of switches, or are added by hand under Links.",
    to: PATHS.importScan,
    label: "Import",
  },
};

/** Says over the map how to get what its tab shows, while there is none. */
export function Lacking({ view, model }: { readonly view: View; readonly model: Model }): ReactNode {
  const may = useHasLevel("Member");
  const advice = ADVICE[view];
  if (advice === undefined || !advice.isLacking(model)) return null;
  return (
    <div className={classes.note} role="note">
      {advice.text}
      {may && (
        <Anchor component={Link} to={advice.to} size="sm" underline="always">
          {advice.label}
        </Anchor>
      )}
    </div>
  );
}
