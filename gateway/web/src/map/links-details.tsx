import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import { wordsOf } from "./link-words.js";
import { LINK_NAMES } from "./link-looks.js";
import type { LinkEdge, Model } from "./model.js";
import classes from "./map.module.css";

const MOST = 100;

interface LinksDetailsProps {
  readonly model: Model;
  readonly hostId: string;
  readonly onSelect: (id: string) => void;
}

/** The links of a host, by its own ports; nothing where links are not shown. */
export function LinksDetails({ model, hostId, onSelect }: LinksDetailsProps): ReactNode {
  const links = model.links.filter(({ source, target }) => source === hostId || target === hostId);
  if (links.length === 0) return null;
  return (
    <>
      <Title order={3}>Links ({links.length.toLocaleString("en")})</Title>
      <ul className={classes.rows}>
        {links.slice(0, MOST).map((link) => (
          <LinkRow key={link.id} {...{ model, hostId, link, onSelect }} />
        ))}
      </ul>
      {links.length > MOST && <p className={classes.minor}>And {(links.length - MOST).toLocaleString("en")} more.</p>}
    </>
  );
}

function LinkRow({ model, hostId, link, onSelect }: LinksDetailsProps & { readonly link: LinkEdge }): ReactNode {
  const isSource = link.source === hostId;
  const otherId = isSource ? link.target : link.source;
  const other = model.hosts.get(otherId);
  const words = wordsOf(model, link.id);
  if (words === null) return null;
  const [here, there] = isSource ? [words.here, words.there] : [words.there, words.here];
  const about = [LINK_NAMES[words.kind], words.speed, words.vlans, link.is_tree ? "" : "second way"];
  return (
    <li>
      <span className="mono">{here === "" ? "–" : here}</span>
      <span>
        <button type="button" onClick={() => onSelect(otherId)}>
          {other?.node.label ?? "a host"}
        </button>{" "}
        <span className="mono">{there}</span>
      </span>
      <span className={classes.minor}>{about.filter((text) => text !== "").join(", ")}</span>
    </li>
  );
}
