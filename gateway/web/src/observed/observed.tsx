import { Badge, Tooltip } from "@mantine/core";
import type { Host, ObservedOfHost, Port, Service } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useNow } from "../parts/now.js";
import { roleText } from "../parts/texts.js";
import { When } from "../parts/when.js";
import classes from "./observed.module.css";
import { certificateState, productText, systemText } from "./observed-texts.js";

interface Said {
  readonly by: string;
  readonly since: string;
}

/** Who says so, and since when, below a value. */
function SaidBy({ by, since }: Said): ReactNode {
  return (
    <span className={classes.detail}>
      {by}, since <When at={since} />
    </span>
  );
}

/** The role that people have given, or else the probable one. */
export function RoleFact({ role, observed }: Pick<Host, "role" | "observed">): ReactNode {
  if (role !== null) return roleText(role);
  const probable = observed?.role ?? null;
  if (probable === null) return null;
  return (
    <>
      {roleText(probable.value)} <span className={classes.detail}>probably</span>
    </>
  );
}

/** The facts that sources say of a host. */
export function observedFacts(observed: ObservedOfHost | null): readonly (readonly [string, ReactNode])[] {
  const { os = null, vendor = null, model = null, serial = null, duid = null, machine_id: id = null } = observed ?? {};
  const text = (said: (Said & { value: string }) | null): ReactNode =>
    said !== null && (
      <>
        {said.value}
        <SaidBy {...said} />
      </>
    );
  return [
    [
      "Operating system",
      os !== null && (
        <>
          {systemText(os)}
          <SaidBy {...os} />
        </>
      ),
    ],
    ["Vendor", text(vendor)],
    ["Model", text(model)],
    ["Serial number", text(serial)],
    ["DUID", text(duid)],
    ["Machine id", text(id)],
  ];
}

/** Product and version of a service; marked where only the number of its port speaks for what it is. */
export function ProductText({ observed }: Pick<Service, "observed">): ReactNode {
  if (observed === null) return null;
  const text = productText(observed);
  const isGuess = observed.confidence?.value === "port";
  return (
    <>
      {text}
      {isGuess && (
        <Tooltip label="Only the number of its port speaks for what it is." withinPortal>
          <Badge variant="default" size="sm" ml={text === "" ? 0 : "xs"}>
            guess
          </Badge>
        </Tooltip>
      )}
    </>
  );
}

/** The certificate of a port, and when it ends. */
export function CertificateText({ observed }: Pick<Port, "observed">): ReactNode {
  const now = useNow();
  const certificate = observed?.certificate ?? null;
  if (certificate === null) return null;
  const { subject, issuer, not_after: until } = certificate;
  return (
    <>
      {subject}
      <span className={classes.detail}>{subject === issuer ? "self-signed" : `by ${issuer}`}</span>
      {until !== null && (
        <span className={classes.detail} data-state={certificateState(until, now)}>
          ends {until.slice(0, 10)}
        </span>
      )}
    </>
  );
}
