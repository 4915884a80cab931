package nts

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestRetries(t *testing.T) {
	client := New("http://nts", "")
	delay := func(status int, code ErrorCode, after time.Duration, isSafe bool, attempt int) time.Duration {
		failed := &Error{Status: status, Code: code, RetryAfter: after}
		delay, again := client.retryDelay(failed, isSafe, attempt, 1)
		if !again {
			return -1
		}
		return delay
	}
	for _, status := range []int{0, 502, 503, 504} {
		is(t, delay(status, "", 0, true, 0), 250*time.Millisecond)
		is(t, delay(status, "", 0, false, 0), -1)
	}
	is(t, delay(429, "", 0, false, 0), 250*time.Millisecond)
	is(t, delay(409, "write_conflict", 0, false, 0), 250*time.Millisecond)
	is(t, delay(409, "already_exists", 0, true, 0), -1)
	is(t, delay(500, "", 0, true, 0), -1)
	is(t, delay(429, "", 3*time.Second, false, 0), 3250*time.Millisecond)
	is(t, delay(429, "", 61*time.Second, false, 0), -1)
	is(t, delay(503, "", 0, true, 3), 2*time.Second)
	is(t, delay(503, "", 0, true, 4), -1)
}

// serving calls a handler with the number of the request.
func serving(t *testing.T, handler func(count int, w http.ResponseWriter, r *http.Request)) *Client {
	count := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count++
		handler(count, w, r)
	}))
	t.Cleanup(server.Close)
	return New(server.URL, "key")
}

func TestRepeatedWriteHasTheSameKey(t *testing.T) {
	keys := map[string]int{}
	client := serving(t, func(count int, w http.ResponseWriter, r *http.Request) {
		keys[r.Header.Get("Idempotency-Key")]++
		if count == 1 {
			panic(http.ErrAbortHandler) // closes the connection
		}
		_, _ = w.Write([]byte(`{"success":true,"data":{"id":"1"},"meta":{}}`))
	})
	created, err := client.CreateTag(context.Background(), TagInput{Name: "a"})
	is(t, err, nil)
	is(t, created.Data.ID, "1")
	is(t, len(keys), 1)
}

func TestResponsesOfSomethingElse(t *testing.T) {
	client := serving(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	})
	client.Retries = 0
	_, err := client.ListHosts(context.Background(), ListHostsParams{})
	is(t, HasCode(err, UnreadableAnswer), true)
}

func TestNotModified(t *testing.T) {
	client := serving(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		is(t, r.URL.EscapedPath(), "/api/v1/hosts/a%2Fb")
		is(t, r.Header.Get("If-None-Match"), `"1"`)
		w.WriteHeader(http.StatusNotModified)
	})
	_, err := client.GetHostByID(context.Background(), "a/b", IfNoneMatch(`"1"`))
	is(t, errors.Is(err, ErrNotModified), true)
}

func TestLateFailure(t *testing.T) {
	client := serving(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"success":false,"error":"no","code":"internal_error","params":{},"meta":{"request_id":"r"}}`))
	})
	_, err := client.ListHosts(context.Background(), ListHostsParams{})
	var failed *Error
	is(t, errors.As(err, &failed), true)
	is(t, failed.RequestID, "r")
}

func TestContextEnds(t *testing.T) {
	ended := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	client := serving(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		cancel(ended)
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	_, err := client.ListHosts(ctx, ListHostsParams{})
	is(t, errors.Is(err, ended), true)
}

func TestQueries(t *testing.T) {
	params := ListHostsParams{TagIDs: []string{"a,b", "c"}, Missed: Ptr(false), Limit: Ptr(0), SeenBefore: time.Unix(0, 0)}
	is(t, queryOf(params).Encode(), "limit=0&missed=false&seen_before=1970-01-01T00%3A00%3A00Z&tag_ids=a%5C%2Cb&tag_ids=c")
}

func TestAbsentNullAndValue(t *testing.T) {
	text := func(body any) string {
		text, err := json.Marshal(body)
		is(t, err, nil)
		return string(text)
	}
	is(t, text(HostPatch{}), `{}`)
	is(t, text(HostPatch{Hostname: Null[string]()}), `{"hostname":null}`)
	is(t, text(HostPatch{Hostname: Set("a"), Tags: []string{}}), `{"hostname":"a","tags":[]}`)
	var read HostPatch
	is(t, json.Unmarshal([]byte(`{"hostname":null}`), &read), nil)
	is(t, read.Hostname.IsNull(), true)
}

func TestWatchResumes(t *testing.T) {
	client := serving(t, func(count int, w http.ResponseWriter, r *http.Request) {
		switch count {
		case 1:
			is(t, r.URL.RawQuery, "after=1&initial=true")
			w.WriteHeader(http.StatusGone)
			_, _ = w.Write([]byte(`{"success":false,"error":"","code":"changes_gone","params":{},"meta":{}}`))
		case 2:
			is(t, r.URL.RawQuery, "initial=true")
			_, _ = w.Write([]byte("event: state\ndata: {\"name\":\"a\"}\n\n"))
		case 3:
			_, _ = w.Write([]byte("event: bookmark\r\nid: 9\r\ndata: {}\r\n\r\n"))
		default:
			is(t, r.Header.Get("Last-Event-ID"), "9")
			_, _ = w.Write([]byte("event: change\nid: 10\ndata: {\"name\":\"b\"}\n\n"))
		}
	})
	var seen []string
	for event, err := range client.Watch(context.Background(), WatchParams{After: "1", Initial: true}) {
		is(t, err, nil)
		switch {
		case event.State != nil:
			seen = append(seen, "state "+event.State.Name)
		case event.Change != nil:
			seen = append(seen, "change "+event.Change.Name)
		default:
			seen = append(seen, event.Reset+event.Cursor)
		}
		if event.Change != nil {
			break
		}
	}
	text, _ := json.Marshal(seen)
	is(t, string(text), `["changes_gone","state a","interrupted","9","change b"]`)
}

func is[Value comparable](t *testing.T, got, want Value) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
