import { lazy, type ReactNode, Suspense } from "react";

/** The editors that the palette can open. */
export type EditorName = "host" | "service" | "subnet" | "network" | "tag" | "invite";

const HostEditor = lazy(async () => ({ default: (await import("../hosts/host-editor.js")).HostEditor }));
const ServiceEditor = lazy(async () => ({ default: (await import("../services/service-editor.js")).ServiceEditor }));
const SubnetEditor = lazy(async () => ({ default: (await import("../subnets/subnet-editor.js")).SubnetEditor }));
const NetworkEditor = lazy(async () => ({ default: (await import("../networks/network-editor.js")).NetworkEditor }));
const TagEditor = lazy(async () => ({ default: (await import("../tags/tag-editor.js")).TagEditor }));
const InviteEditor = lazy(async () => ({ default: (await import("../users/invite-editor.js")).InviteEditor }));

interface EditorProps {
  readonly name: EditorName;
  /** The host of a new service. */
  readonly hostId: string;
  readonly onClose: () => void;
}

/** An editor, loaded on demand. */
export function Editor({ name, hostId, onClose }: EditorProps): ReactNode {
  const editors: Readonly<Record<EditorName, ReactNode>> = {
    host: <HostEditor id={null} onClose={onClose} />,
    service: <ServiceEditor hostId={hostId} id={null} onClose={onClose} />,
    subnet: <SubnetEditor id={null} onClose={onClose} />,
    network: <NetworkEditor id={null} onClose={onClose} />,
    tag: <TagEditor id={null} onClose={onClose} />,
    invite: <InviteEditor onClose={onClose} />,
  };
  return <Suspense>{editors[name]}</Suspense>;
}
