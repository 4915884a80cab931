import { Stepper, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { Page, Panel } from "../parts/page.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { HostsStep } from "./hosts-step.js";
import { MapStep } from "./map-step.js";
import { NetworkStep } from "./network-step.js";

/** The first minutes: a network, what is in it, and the map. */
export default function WelcomePage(): ReactNode {
  const { networks, networkId } = useNetworkScope();
  const may = useHasLevel("Admin");
  const isNarrow = useMediaQuery("(max-width: 48em)", matchMedia("(max-width: 48em)").matches);
  const [made, setMade] = useState<string | null>(null);
  const [step, setStep] = useState<number | null>(null);
  const network = networks.find(({ id }) => id === (made ?? networkId)) ?? networks[0];
  const active = step ?? (network === undefined ? 0 : 1);
  if (!may && network === undefined)
    return (
      <Page narrow title="Welcome">
        <Panel pad>
          <Text>You do not have access to any network yet. Ask an Owner or Admin of your organization.</Text>
        </Panel>
      </Page>
    );
  return (
    <Page narrow title="Welcome" about="Three steps to see your network.">
      <Panel pad>
        <Stepper
          orientation={isNarrow ? "vertical" : "horizontal"}
          active={active}
          onStepClick={setStep}
          size="sm"
          allowNextStepsSelect={network !== undefined}
        >
          <Stepper.Step label="Network" description="Name your network">
            <NetworkStep
              network={network}
              onDone={(id) => {
                setMade(id);
                setStep(1);
              }}
            />
          </Stepper.Step>
          <Stepper.Step label="Hosts" description="Import or add">
            {network !== undefined && <HostsStep network={network} onNext={() => setStep(2)} />}
          </Stepper.Step>
          <Stepper.Step label="Map" description="See it">
            <MapStep />
          </Stepper.Step>
        </Stepper>
      </Panel>
    </Page>
  );
}
