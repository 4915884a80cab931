import { Button, Text } from "@mantine/core";
import { deleteNetwork } from "@nts/shared/contract";
import { FlaskConical } from "lucide-react";
import type { ReactNode } from "react";
import { useWrite } from "../api/queries.js";
import { notifyFailure, notifySuccess } from "../parts/toast.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { isSample } from "./is-sample.js";
import classes from "./sample.module.css";

/** Says that a network is sample data, and removes it; nothing without one. */
export function SampleNote(): ReactNode {
  const { networks } = useNetworkScope();
  const may = useHasLevel("Admin");
  const remove = useWrite(deleteNetwork);
  const sample = networks.find(isSample);
  if (sample === undefined || !may) return null;
  const run = (): void =>
    remove.mutate(
      { params: { id: sample.id }, comment: "Sample data" },
      { onSuccess: () => notifySuccess("Sample data removed."), onError: notifyFailure },
    );
  return (
    <div className={classes.note} role="note">
      <Text size="xs" component="span">
        <FlaskConical size={14} aria-hidden /> {sample.name} is sample data.
      </Text>
      <Button size="compact-xs" variant="default" loading={remove.isPending} onClick={run}>
        Remove it
      </Button>
    </div>
  );
}
