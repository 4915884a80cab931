import { Anchor } from "@mantine/core";
import { memo, type ReactNode, useEffect, useMemo } from "react";
import { detailBeside } from "../parts/detail.js";
import { NotSeen } from "../parts/seen.js";
import { useNetworkScope } from "../shell/networks.js";
import { type Card, type CardHost, cardsOf, type CardService } from "./cards.js";
import classes from "./cards.module.css";
import { colourOf, type Colouring } from "./colours.js";
import { hostIdOf, missedSince, type Model } from "./model.js";

interface CardViewProps {
  readonly model: Model;
  readonly shown: ReadonlySet<string>;
  /** Ids of search results; null without a search. */
  readonly found: ReadonlySet<string> | null;
  readonly colouring: Colouring;
  readonly selected: string | null;
  readonly onSelect: (id: string) => void;
}

/** The topology as cards per subnet, to read and print. */
export function CardView({ model, shown, found, colouring, selected, onSelect }: CardViewProps): ReactNode {
  const cards = useMemo(() => cardsOf(model, shown, found), [model, shown, found]);
  const node = selected === null ? undefined : model.nodes.get(selected);
  const selectedHost = node === undefined ? null : hostIdOf(node);

  useEffect(() => {
    if (selected !== null)
      document.querySelector(`[data-card~="${selectedHost ?? selected}"]`)?.scrollIntoView({ block: "nearest" });
  }, [selected, selectedHost]);

  if (cards.length === 0) return <p className={classes.nothing}>No results.</p>;
  return (
    <div className={classes.cards} role="region" aria-label="Topology by subnet" tabIndex={0}>
      {cards.map((card) => (
        <section
          key={card.id}
          className={classes.card}
          aria-label={card.subnet?.label ?? "No address"}
          data-card={card.id}
        >
          <CardHead card={card} onSelect={onSelect} />
          <div className={classes.hosts}>
            {card.hosts.map((host) => (
              <HostCard
                key={host.node.id}
                {...{ host, colouring, onSelect }}
                isSelected={host.node.id === selectedHost}
              />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function CardHead({
  card: { subnet, networkId, hosts },
  onSelect,
}: {
  readonly card: Card;
  readonly onSelect: (id: string) => void;
}): ReactNode {
  const { networks, nameOf } = useNetworkScope();
  const block = subnet === null ? "" : detailBeside(subnet.label, subnet.cidr);
  return (
    <header className={classes.head}>
      <h2>
        {subnet === null ? (
          "No address"
        ) : (
          <button type="button" onClick={() => onSelect(subnet.id)}>
            {subnet.label}
          </button>
        )}
      </h2>
      {block !== "" && <span className="mono">{block}</span>}
      {networks.length > 1 && <span className={classes.minor}>{nameOf(networkId)}</span>}
      <span className={classes.minor}>{hosts.length === 1 ? "1 host" : `${hosts.length} hosts`}</span>
    </header>
  );
}

interface HostCardProps {
  readonly host: CardHost;
  readonly colouring: Colouring;
  readonly isSelected: boolean;
  readonly onSelect: (id: string) => void;
}

const HostCard = memo(function HostCard({ host, colouring, isSelected, onSelect }: HostCardProps): ReactNode {
  const { node, addresses, services } = host;
  const isMissed = missedSince(node) !== null;
  return (
    <article
      className={classes.host}
      data-card={node.id}
      data-missed={isMissed || undefined}
      data-selected={isSelected || undefined}
    >
      <h3>
        <button type="button" onClick={() => onSelect(node.id)}>
          {node.label}
        </button>
        {colouring.marks?.has(node.id) === true && (
          <span className={classes.minor}>{colouring.marks.get(node.id)}</span>
        )}
      </h3>
      {isMissed && <NotSeen missed_since={missedSince(node)} />}
      {addresses.length > 0 && <div className={`mono ${classes.addresses ?? ""}`}>{addresses.join(" · ")}</div>}
      {services.length > 0 && (
        <ul>
          {services.map((service) => (
            <ServiceLine key={service.node.id} service={service} colouring={colouring} />
          ))}
        </ul>
      )}
    </article>
  );
});

function ServiceLine({
  service: { node, sockets },
  colouring,
}: {
  readonly service: CardService;
  readonly colouring: Colouring;
}): ReactNode {
  const since = missedSince(node);
  return (
    <li data-missed={since !== null || undefined}>
      <svg width="8" height="8" aria-hidden>
        <circle cx="4" cy="4" r="3.6" fill={colourOf(node, colouring)} />
      </svg>
      <span className={classes.line}>
        <span className={classes.service}>
          {node.label}
          {since !== null && <NotSeen missed_since={since} />}
        </span>
        <span className={`mono ${classes.ports ?? ""}`}>
          {sockets.map(({ id, text, href }) =>
            href === null ? (
              <span key={id}>{text}</span>
            ) : (
              <Anchor key={id} href={href} target="_blank" rel="noopener noreferrer" inherit title={href}>
                {text}
              </Anchor>
            ),
          )}
        </span>
      </span>
    </li>
  );
}
