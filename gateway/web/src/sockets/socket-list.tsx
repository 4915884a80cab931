import { Anchor } from "@mantine/core";
import type { Service } from "@nts/shared/contract";
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { CopyIcon } from "../parts/copy.js";
import { boundOf, type OnHost, type ServiceSocket, socketsOf } from "./sockets.js";
import classes from "./sockets.module.css";

interface SocketListProps {
  readonly service: Pick<Service, "service_definition" | "bindings">;
  /** null while loading. */
  readonly host: OnHost | null;
  /** Maximum number shown; all if absent. */
  readonly most?: number;
}

/** Sockets of a service: each can be copied, and web pages can be opened. */
export function SocketList({ service, host, most = Infinity }: SocketListProps): ReactNode {
  if (service.bindings.length === 0) return null;
  if (host === null) return "…";
  const addresses = host.interfaces.map(({ ip_address }) => ip_address);
  const sockets = socketsOf(service.service_definition, boundOf(service.bindings, host), addresses);
  return <Sockets sockets={sockets} most={most} />;
}

interface SocketsProps {
  readonly sockets: readonly ServiceSocket[];
  readonly most?: number;
}

/** Sockets that are known already. */
export function Sockets({ sockets, most = Infinity }: SocketsProps): ReactNode {
  return (
    <ul className={classes.sockets}>
      {sockets.slice(0, most).map((socket) => (
        <li key={socket.id}>
          <SocketText {...socket} />
          <CopyIcon label={`Copy ${socket.value}`} value={socket.value} />
        </li>
      ))}
      {sockets.length > most && <li className={classes.more}>and {sockets.length - most} more</li>}
    </ul>
  );
}

/** A socket; a link if a browser can open it. */
export function SocketText({ text, href }: Pick<ServiceSocket, "text" | "href">): ReactNode {
  if (href === null) return <span className="mono">{text}</span>;
  return (
    <Anchor
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      size="sm"
      className={`mono ${classes.link ?? ""}`}
      title={href}
    >
      {text}
      <ExternalLink size={12} aria-label="(opens in a new tab)" />
    </Anchor>
  );
}
