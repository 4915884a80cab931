import { Badge, Tooltip } from "@mantine/core";
import type { UserApiKey } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { statusOf } from "./key-status.js";

/** The status of a key and of its rotation. */
export function KeyStatus({ apiKey }: { readonly apiKey: UserApiKey }): ReactNode {
  const status = statusOf(apiKey);
  const badge = (
    <Badge variant="light" color={status === "Active" ? "teal" : "gray"} tt="none">
      {status}
    </Badge>
  );
  if (apiKey.previous === null) return badge;
  return (
    <>
      {badge}{" "}
      <Tooltip label="The previous secret still works">
        <Badge variant="light" color="yellow" tt="none" tabIndex={0}>
          Two secrets
        </Badge>
      </Tooltip>
    </>
  );
}
