import { Anchor } from "@mantine/core";
import type { Attachment } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { hostPath } from "../paths.js";

const SHOWN = 4;

/** The switches and ports that a host hangs on, and what is between. */
export function HangsOn({ attachments }: { readonly attachments: readonly Attachment[] }): ReactNode {
  const more = attachments.length - SHOWN;
  return (
    <>
      {attachments.slice(0, SHOWN).map(({ switch: { host_id, name, port }, path }) => {
        const through = path.slice(0, -1).map((step) => step.name);
        return (
          <div key={`${host_id} ${port ?? ""} ${through.join()}`}>
            <Anchor component={Link} to={hostPath(host_id)} size="sm">
              {name}
            </Anchor>{" "}
            <span className="mono">{port}</span>
            {through.length > 0 && ` through ${through.join(", ")}`}
          </div>
        );
      })}
      {more > 0 && `and ${more} more`}
    </>
  );
}
