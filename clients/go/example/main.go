// Command example prints the services of an inventory with their addresses, and what has changed since the last run.
//
//	NTS_URL=http://localhost:8080 NTS_API_KEY=nts_u_… go run ./example [FILE]
//
// FILE keeps the place in the change journal; example.cursor by default.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"time"

	"example.com/nts"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	place := "example.cursor"
	if len(os.Args) > 1 {
		place = os.Args[1]
	}
	client := nts.New(os.Getenv("NTS_URL"), os.Getenv("NTS_API_KEY"))
	if err := errors.Join(printServices(ctx, client), printChanges(ctx, client, place)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func printServices(ctx context.Context, client *nts.Client) error {
	params := nts.ListHostsParams{OrderBy: nts.HostOrderFieldName}
	for host, err := range nts.Rows(ctx, client.ListHosts, params) {
		if err != nil {
			return err
		}
		for _, service := range host.Services {
			fmt.Println(host.Name, service.Name, strings.Join(addressesOf(service, host), " "))
		}
	}
	return nil
}

// addressesOf returns where a service listens.
func addressesOf(service nts.Service, host nts.Host) []string {
	addresses := map[string]string{}
	for _, one := range host.Interfaces {
		addresses[one.ID] = one.IPAddress
	}
	numbers := map[string]int{}
	for _, one := range host.Ports {
		numbers[one.ID] = one.Number
	}
	var found []string
	for _, binding := range service.Bindings {
		address := "*"
		if binding.InterfaceID != nil {
			address = addresses[*binding.InterfaceID]
		}
		if binding.PortID != nil {
			address = fmt.Sprintf("%s:%d", address, numbers[*binding.PortID])
		}
		found = append(found, address)
	}
	return found
}

func printChanges(ctx context.Context, client *nts.Client, place string) error {
	after, err := os.ReadFile(place)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	last := strings.TrimSpace(string(after))
	for change, err := range nts.Rows(ctx, client.ListChanges, nts.ListChangesParams{After: last}) {
		if err != nil {
			return err
		}
		fmt.Println(change.At.Format(time.RFC3339), change.Action, change.Entity, change.Name)
		last = change.Cursor
	}
	return os.WriteFile(place, []byte(last), 0o600)
}
