package nts

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	firstDelay   = 250 * time.Millisecond
	longestDelay = 8 * time.Second
)

// retryDelay returns how long to wait before a retry, and whether there is one.
//
// isSafe: a second request has no second effect, because it is a read or has an idempotency key. chance: from 0 to 1, so
// that callers that failed together do not return together.
func (c *Client) retryDelay(failed *Error, isSafe bool, attempt int, chance float64) (time.Duration, bool) {
	isRetryable := failed.Status == 429
	switch failed.Code {
	case "idempotency_in_progress", "write_conflict": // refused before any effect, or the first is still in progress
		isRetryable = true
	}
	switch failed.Status {
	case 0, 502, 503, 504: // whether it had an effect is unknown
		isRetryable = isRetryable || isSafe
	}
	if !isRetryable || attempt >= c.Retries || failed.RetryAfter > c.LongestWait {
		return 0, false
	}
	backoff := min(longestDelay, firstDelay<<min(attempt, 10))
	return failed.RetryAfter + time.Duration(chance*float64(backoff)), true
}

func retrying[Result any](ctx context.Context, c *Client, isSafe bool, attempt func() (Result, error)) (Result, error) {
	for count := 0; ; count++ {
		result, err := attempt()
		var failed *Error
		if !errors.As(err, &failed) {
			return result, err
		}
		delay, again := c.retryDelay(failed, isSafe, count, rand.Float64())
		if !again {
			return result, err
		}
		if err := pause(ctx, delay); err != nil {
			return result, err
		}
	}
}

func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
