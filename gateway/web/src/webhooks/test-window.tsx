import { Alert, Button, Group, Modal, Stack } from "@mantine/core";
import type { WebhookDelivery } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { describeFailure } from "../api/failure.js";
import { FactList } from "../parts/fact-list.js";
import { Waiting } from "../parts/waiting.js";
import { responseText } from "./texts.js";

interface TestWindowProps {
  readonly name: string;
  /** Undefined while pending. */
  readonly result: WebhookDelivery | undefined;
  /** Why nothing was sent. */
  readonly error: Error | null;
  readonly onClose: () => void;
}

/** Shows the result of a test message. */
export function TestWindow({ name, result, error, onClose }: TestWindowProps): ReactNode {
  return (
    <Modal opened onClose={onClose} title={`Test of ${name}`} closeButtonProps={{ "aria-label": "Close" }}>
      <Stack>
        {error !== null ? (
          <Alert color="red" role="alert" title={describeFailure(error).title}>
            {describeFailure(error).text}
          </Alert>
        ) : result === undefined ? (
          <Waiting />
        ) : (
          <Result result={result} />
        )}
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Result({ result }: { readonly result: WebhookDelivery }): ReactNode {
  const isDelivered = result.outcome === "delivered";
  return (
    <>
      <Alert
        role="status"
        color={isDelivered ? "teal" : "red"}
        title={isDelivered ? "The receiver accepted the test message" : "The test message was not accepted"}
      />
      <FactList
        facts={[
          ["Response", responseText(result)],
          ["Duration", `${result.duration_ms.toLocaleString("en")} ms`],
        ]}
      />
    </>
  );
}
