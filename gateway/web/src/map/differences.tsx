import { Badge, Title } from "@mantine/core";
import type { Diff, TopologyNode } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { fieldsText } from "../activity/entries.js";
import { entityName } from "../parts/texts.js";
import { differencesOf } from "./past.js";
import classes from "./map.module.css";

const MOST = 50;

/** The differences of a node and its children since the selected time. */
export function Differences({
  node,
  diff,
}: {
  readonly node: TopologyNode;
  readonly diff: Diff | undefined;
}): ReactNode {
  const differences = differencesOf(node, diff);
  if (differences.length === 0) return null;
  return (
    <>
      <Title order={3}>Since then</Title>
      <ul className={classes.differences}>
        {differences.slice(0, MOST).map(({ entity, entity_id, name, before, after, fields }) => {
          const [word, color] =
            before === null ? ["new", "teal"] : after === null ? ["gone", "gray"] : ["changed", "yellow"];
          return (
            <li key={entity_id}>
              <Badge variant="light" color={color} tt="none">
                {word}
              </Badge>
              <span>
                {entity} {entityName({ entity, name })}
                {fields.length > 0 && <span className={classes.minor}> {fieldsText({ fields })}</span>}
              </span>
            </li>
          );
        })}
        {differences.length > MOST && <li className={classes.minor}>And {differences.length - MOST} more.</li>}
      </ul>
    </>
  );
}
