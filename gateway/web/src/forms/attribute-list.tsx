import { Anchor } from "@mantine/core";
import type { Attributes } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { linkIn } from "./attributes.js";
import classes from "./attribute-list.module.css";

/** Attributes by name; addresses of pages are links. */
export function AttributeList({ attributes }: { readonly attributes: Attributes }): ReactNode {
  return (
    <ul className={classes.list}>
      {Object.entries(attributes).map(([key, value]) => {
        const link = linkIn(value);
        return (
          <li key={key}>
            <span className={`${classes.key ?? ""} mono`}>{key}</span>{" "}
            {link === null ? (
              String(value)
            ) : (
              <Anchor href={link} target="_blank" rel="noreferrer noopener" inherit>
                {link}
              </Anchor>
            )}
          </li>
        );
      })}
    </ul>
  );
}
