import { Anchor, Button, Text } from "@mantine/core";
import { deleteDependency, listDependencies, listHosts } from "@nts/shared/contract";
import { Plus, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { useRows } from "../api/queries.js";
import { type Column, DataTable } from "../list/data-table.js";
import { useRemoval } from "../list/use-removal.js";
import { Part, PartRemark } from "../parts/part.js";
import { RowMenu } from "../parts/row-menu.js";
import { When } from "../parts/when.js";
import { dependencyPath, hostPath } from "../paths.js";
import { DependencyWindow } from "./dependency-window.js";
import { type NeedRow, rowsOf, type Subject } from "./ends.js";

const SHOWN = 100;

interface DependenciesPartProps extends Subject {
  readonly mayWrite: boolean;
}

/** What a host and what is on it use, and by what it is used; or one service. */
export function DependenciesPart({ host, serviceId, mayWrite }: DependenciesPartProps): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const of = serviceId === null ? { host_id: host.id } : { service_id: serviceId };
  const { data } = useRows(listDependencies, { query: { ...of, limit: SHOWN } });
  const dependencies = data?.data ?? [];
  const ends = dependencies.flatMap(({ client, server }) => [client.host_id, server.host_id]);
  const ids = [...new Set(ends)].filter((id) => id !== host.id);
  const others = useRows(listHosts, { query: { ids, limit: 2 * SHOWN } }, { enabled: ids.length > 0 });
  const removal = useRemoval({
    one: deleteDependency,
    noun: "dependency",
    consequence: "Hosts and services stay as they are.",
  });
  const rows = rowsOf({ host, serviceId }, dependencies, others.data?.data ?? []);
  const uses = rows.filter((row) => row.uses).length;
  const total = data?.pagination.total_count ?? 0;
  return (
    <>
      <Part
        title={
          <>
            Dependencies{" "}
            <Text component="span" c="dimmed" className="numbers" inherit fw={400}>
              {rows.length === 0 ? 0 : `used by ${rows.length - uses}, uses ${uses}`}
            </Text>
          </>
        }
        action={
          mayWrite && (
            <Button
              size="xs"
              variant="default"
              leftSection={<Plus size={14} aria-hidden />}
              onClick={() => setAdding(true)}
            >
              Add dependency
            </Button>
          )
        }
      >
        {rows.length === 0 ? (
          <PartRemark>
            None is known. What needs this {serviceId === null ? "host" : "service"}, or what it needs, is shown here.
          </PartRemark>
        ) : (
          <DataTable
            label="Dependencies"
            columns={COLUMNS}
            rows={rows}
            idOf={({ id }) => id}
            nameOf={nameOf}
            actions={
              mayWrite
                ? (row) => (
                    <RowMenu
                      name={nameOf(row)}
                      actions={[
                        {
                          label: "Delete dependency",
                          icon: Trash2,
                          isDestructive: true,
                          run: () => removal.removeOne(row.id, nameOf(row)),
                        },
                      ]}
                    />
                  )
                : undefined
            }
          />
        )}
        {total > dependencies.length && (
          <PartRemark>
            The first {dependencies.length} of {total.toLocaleString("en-GB")}.
          </PartRemark>
        )}
      </Part>
      {isAdding && <DependencyWindow host={host} serviceId={serviceId} onClose={() => setAdding(false)} />}
    </>
  );
}

/** Such as `uses nas: Photos at 443/tcp`. */
function nameOf({ uses, other, there }: NeedRow): string {
  const name = other?.name ?? "a host";
  return `${uses ? "uses" : "used by"} ${name}${there === "" ? "" : `: ${there}`}`;
}

const COLUMNS: readonly Column<NeedRow>[] = [
  { id: "direction", label: "Direction", narrow: true, cell: ({ uses }) => (uses ? "uses" : "used by") },
  {
    id: "there",
    label: "Other end",
    cell: ({ other, otherId, there }) => (
      <>
        <Anchor component={Link} to={hostPath(otherId)} size="sm" underline="always">
          {other?.name ?? "…"}
        </Anchor>
        {there !== "" && <Text component="span" inherit>{` ${there}`}</Text>}
      </>
    ),
  },
  { id: "here", label: "Here", cell: ({ here }) => (here === "" ? "the host" : here) },
  {
    id: "since",
    label: "Since",
    narrow: true,
    cell: ({ id, dependency: { created_at: since } }) => (
      <Anchor component={Link} to={dependencyPath(id)} size="sm">
        <When at={since} />
      </Anchor>
    ),
  },
  {
    id: "note",
    label: "Note",
    cell: ({ dependency: { note, source } }) => note ?? (source === "Discovery" ? "discovered" : null),
  },
];
