import { Anchor } from "@mantine/core";
import { type EndingCertificate, reportCertificates } from "@nts/shared/contract";
import { BadgeCheck } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useOne } from "../api/queries.js";
import { CertificateText } from "../observed/observed.js";
import { portText } from "../parts/socket-texts.js";
import { ImportLink } from "../imports/import-link.js";
import type { Column } from "../list/data-table.js";
import { ChoiceFilter } from "../list/filters.js";
import { useListState } from "../list/list-state.js";
import { ListView } from "../list/list-view.js";
import { reportRows } from "../list/report-rows.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";
import { When } from "../parts/when.js";
import { hostPath } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";

const USUAL_DAYS = "30";
const DAYS = [
  { value: "0", label: "Already ended" },
  { value: "7", label: "Ends within a week" },
  { value: USUAL_DAYS, label: "Ends within 30 days" },
  { value: "90", label: "Ends within 90 days" },
  { value: "3650", label: "Ends within 10 years" },
];

/** Certificates that scans have seen, soonest to end first. */
export default function CertificatesPage(): ReactNode {
  const state = useListState();
  const may = useHasLevel("Member");
  const { networkId, nameOf, networks } = useNetworkScope();
  const days = state.valuesOf("days")[0] ?? USUAL_DAYS;
  const report = useOne(reportCertificates, { query: { days: Number(days), network_id: networkId ?? undefined } });
  const rows = reportRows(report, report.data?.data.certificates ?? [], state);
  return (
    <Page
      title="Certificates"
      actions={<ChoiceFilter state={state} name="days" label="Ends within" data={DAYS} usual={USUAL_DAYS} />}
    >
      <ListView
        label="Certificates that end"
        rows={rows}
        state={state}
        columns={columnsFor(nameOf, networks.length > 1)}
        idOf={({ port_id }) => port_id}
        nameOf={({ certificate }) => certificate.subject}
        empty={
          <EmptyState icon={BadgeCheck} title="No certificate ends in this time" actions={may && <ImportLink />}>
            Certificates are those that imported scans have seen: scan with <code>nmap -sV --script ssl-cert</code>.
          </EmptyState>
        }
      />
    </Page>
  );
}

const columnsFor = (
  nameOf: (networkId: string) => string,
  hasNetworks: boolean,
): readonly Column<EndingCertificate>[] => [
  {
    id: "certificate",
    label: "Certificate",
    cell: ({ certificate }) => <CertificateText observed={{ certificate, title: null }} />,
  },
  {
    id: "host",
    label: "Host",
    cell: ({ host_id, host_name }) => (
      <Anchor component={Link} to={hostPath(host_id)} fw={600} inherit>
        {host_name}
      </Anchor>
    ),
  },
  { id: "port", label: "Port", narrow: true, cell: (port) => <span className="mono">{portText(port)}</span> },
  ...(hasNetworks
    ? [{ id: "network", label: "Network", cell: ({ network_id }: EndingCertificate) => nameOf(network_id) }]
    : []),
  {
    id: "ends",
    label: "Ends",
    numbers: true,
    narrow: true,
    cell: ({ certificate }) => <When at={certificate.not_after} />,
  },
];
