package nts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"time"
)

// Event is what [Client.Watch] tells: one of its members is set.
type Event struct {
	// State is the current state of an entity: only with Initial, before the first bookmark.
	State *EntityState
	// Change is an entry of the change journal.
	Change *Change
	// IsBookmark says that everything up to Cursor has come.
	IsBookmark bool
	// Reset says why what is held may be more or less than what may be seen: "rights_changed", "changes_gone" or
	// "interrupted". With Initial all of it comes again from here; without, read it anew.
	Reset string
	// Cursor is that of a change or bookmark: the one to keep, as After.
	Cursor string
}

// WatchParams are the parameters of [Client.Watch].
type WatchParams struct {
	// After is a cursor, such as that of the last event.
	After string `query:"-"`
	// Initial makes the current states come first.
	Initial   bool          `query:"initial"`
	NetworkID string        `query:"network_id"`
	HostID    string        `query:"host_id"`
	Entity    ChangedEntity `query:"entity"`
	EntityID  string        `query:"entity_id"`
	Action    ChangeAction  `query:"action"`
	UserID    string        `query:"user_id"`
	KeyID     string        `query:"key_id"`
	RequestID string        `query:"request_id"`
}

const (
	firstReconnect   = 500 * time.Millisecond
	longestReconnect = 30 * time.Second
	// Without even a bookmark for this long, the connection is considered dead.
	silence = 3 * BookmarkSeconds * time.Second
)

// Watch iterates over changes as they happen, until the context ends or an error that does not pass. A connection that
// breaks is resumed, so that no change is skipped or repeated. It does not yield the error of the context.
func (c *Client) Watch(ctx context.Context, params WatchParams) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		place := &place{cursor: params.After}
		for ctx.Err() == nil {
			err := c.followOnce(ctx, params, place, yield)
			if errors.Is(err, errStopped) || ctx.Err() != nil {
				return
			}
			var failed *Error
			if errors.As(err, &failed) {
				isGone := failed.Code == ErrorCodeChangesGone || failed.Code == ErrorCodeCursorInvalid
				if isGone && params.Initial && place.cursor != "" {
					place.cursor = ""
					if !yield(Event{Reset: "changes_gone"}, nil) {
						return
					}
				} else if !isPassing(failed) {
					yield(Event{}, err)
					return
				}
			}
			if place.isBeginning {
				place.isBeginning = false
				if !yield(Event{Reset: "interrupted"}, nil) {
					return
				}
			}
			// By half at random, so that those who were disconnected together do not return together.
			delay := min(longestReconnect, firstReconnect<<min(place.failures, 10))
			delay = delay/2 + time.Duration(rand.Int64N(int64(delay/2)))
			if failed != nil {
				delay = max(delay, failed.RetryAfter)
			}
			if pause(ctx, delay) != nil {
				return
			}
			place.failures++
		}
	}
}

// place is where a follower is.
type place struct {
	cursor string
	// States have come that no bookmark has confirmed.
	isBeginning bool
	failures    int
}

var errStopped = errors.New("stopped")

// followOnce follows one connection until it ends. A broken one is no error: the next resumes there.
func (c *Client) followOnce(ctx context.Context, params WatchParams, at *place, yield func(Event, error) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silent := time.AfterFunc(silence, cancel)
	defer silent.Stop()
	options := []Option{header("Accept", "text/event-stream")}
	if at.cursor != "" {
		options = append(options, query("after", at.cursor), header("Last-Event-ID", at.cursor))
	}
	made, err := c.newRequest(call{method: "GET", path: "/api/v1/changes/stream", params: params}, options)
	if err != nil {
		return err
	}
	response, err := c.open(ctx, made)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	reader := bufio.NewReader(response.Body)
	for {
		found, err := nextMessage(reader, func() { silent.Reset(silence) })
		if err != nil {
			return nil
		}
		event, isEvent, err := eventOf(found)
		if err != nil {
			return err
		}
		if !isEvent {
			continue
		}
		at.failures = 0
		at.isBeginning = event.State != nil
		if event.Cursor != "" {
			at.cursor = event.Cursor
		}
		if event.Reset != "" && params.Initial {
			at.cursor = ""
		}
		if !yield(event, nil) {
			return errStopped
		}
	}
}

type message struct {
	event, id string
	data      []byte
}

// nextMessage reads a message of a stream of Server-Sent Events, which ends with an empty line.
func nextMessage(reader *bufio.Reader, onLine func()) (found message, err error) {
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return found, errors.Join(err, io.ErrUnexpectedEOF)
		}
		onLine()
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if len(found.data) > 0 {
				return found, nil
			}
			found = message{}
			continue
		}
		name, value, _ := strings.Cut(string(line), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			found.event = value
		case "id":
			found.id = value
		case "data":
			if len(found.data) > 0 {
				found.data = append(found.data, '\n')
			}
			found.data = append(found.data, value...)
		}
	}
}

func eventOf(found message) (event Event, isEvent bool, err error) {
	switch found.event {
	case "state":
		err = json.Unmarshal(found.data, &event.State)
	case "change":
		event.Cursor = found.id
		err = json.Unmarshal(found.data, &event.Change)
	case "bookmark":
		event = Event{IsBookmark: true, Cursor: found.id}
	case "end":
		var end struct {
			Code string `json:"code"`
		}
		err = json.Unmarshal(found.data, &end)
		if end.Code != "rights_changed" {
			return event, false, err
		}
		event.Reset = end.Code
	default:
		return event, false, nil
	}
	return event, true, err
}

// isPassing says whether a failure is temporary: 501 lasts until the operator changes a setting.
func isPassing(failed *Error) bool {
	return failed.Status == 0 || failed.Status == 429 || failed.Status >= 500 && failed.Status != 501
}
