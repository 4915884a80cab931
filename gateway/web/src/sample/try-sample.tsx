import { Alert, Button, Progress, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useNavigate } from "react-router";
import { describeFailure } from "../api/failure.js";
import { readAgain } from "../api/queries.js";
import { PATHS } from "../paths.js";
import { useNetworkScope } from "../scope/networks.js";

interface Making {
  readonly done: number;
  readonly steps: number;
}

/** Creates the sample network in one click, and opens the map. */
export function TrySample(): ReactNode {
  const [making, setMaking] = useState<Making | null>(null);
  const [error, setError] = useState<unknown>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { choose } = useNetworkScope();
  const run = async (): Promise<void> => {
    setError(null);
    setMaking({ done: 0, steps: 1 });
    try {
      // Loaded on demand, because few need it.
      const { createSample, SAMPLE_STEPS } = await import("./create-sample.js");
      await createSample((done) => setMaking({ done, steps: SAMPLE_STEPS }));
      choose(null);
      await readAgain(queries);
      await navigate(PATHS.topology);
    } catch (failure) {
      setError(failure);
      await readAgain(queries);
    } finally {
      setMaking(null);
    }
  };
  return (
    <Stack gap="xs" align="flex-start">
      {error !== null && (
        <Alert color="red" role="alert" title={describeFailure(error).title}>
          {describeFailure(error).text}
        </Alert>
      )}
      <Button
        variant="default"
        leftSection={<FlaskConical size={16} aria-hidden />}
        loading={making !== null}
        onClick={() => void run()}
      >
        Try with sample data
      </Button>
      {making === null ? (
        <Text size="sm" c="dimmed">
          The network of an invented company, with 4 subnets and 34 hosts. One click removes it again.
        </Text>
      ) : (
        <>
          <Progress
            w="100%"
            value={(making.done / making.steps) * 100}
            aria-label="Creating sample data"
            transitionDuration={0}
          />
          <Text size="sm" c="dimmed" role="status">
            {making.done} of {making.steps} steps
          </Text>
        </>
      )}
    </Stack>
  );
}
