// Works with the client that oapi-codegen makes by default.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.com/work/api"

	"github.com/google/uuid"
)

func main() {
	ctx := context.Background()
	withKey := api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("NTS_API_KEY"))
		return nil
	})
	client, err := api.NewClientWithResponses(os.Getenv("NTS_URL"), withKey)
	succeeds(err)
	network := uuid.MustParse(os.Getenv("NTS_NETWORK"))
	all, two, wait := int32(1000), int32(2), int32(5)
	start, err := client.ListChangesWithResponse(ctx, &api.ListChangesParams{NetworkId: &network, Limit: &all})
	succeeds(err)

	nas := api.HostCreate{
		NetworkId:  network,
		Name:       "nas",
		Interfaces: &[]api.InterfaceOfNewHost{{SubnetId: uuid.MustParse(os.Getenv("NTS_SUBNET")), IpAddress: "10.0.0.5"}},
		Ports:      &[]api.PortOfNewHost{{Number: 443, Protocol: "Tcp"}},
		Services:   &[]api.ServiceOfNewHost{{Name: "files", ServiceDefinition: "Nextcloud"}},
	}
	key := network.String()
	made, err := client.CreateHostWithResponse(ctx, &api.CreateHostParams{IdempotencyKey: &key}, nas)
	succeeds(err)
	again, err := client.CreateHostWithResponse(ctx, &api.CreateHostParams{IdempotencyKey: &key}, nas)
	succeeds(err)
	host := made.JSON200.Data
	is(again.JSON200.Data.Id == host.Id && host.Interfaces[0].IpAddress == "10.0.0.5" && host.Ports[0].Number == 443, "created once")
	for _, name := range []string{"printer", "router"} {
		other, err := client.CreateHostWithResponse(ctx, nil, api.HostCreate{NetworkId: network, Name: name})
		succeeds(err)
		is(other.StatusCode() == 200, "created")
	}

	page, err := client.ListHostsWithResponse(ctx, &api.ListHostsParams{NetworkId: &network, Limit: &two})
	succeeds(err)
	rest, err := client.ListHostsWithResponse(ctx, &api.ListHostsParams{NetworkId: &network, Limit: &two, Cursor: page.JSON200.Meta.Pagination.Next})
	succeeds(err)
	is(page.JSON200.Data[0].Name == "nas" && rest.JSON200.Data[0].Name == "router", "pages")

	read, err := client.GetServiceByIdWithResponse(ctx, host.Services[0].Id, nil)
	succeeds(err)
	service, etag := read.JSON200.Data, read.HTTPResponse.Header.Get("ETag")
	renamed := api.ServiceUpdate{
		Bindings:          []api.BindingInput{},
		HostId:            service.HostId,
		Name:              "cloud",
		NetworkId:         network,
		Position:          int32(service.Position),
		ServiceDefinition: service.ServiceDefinition,
		Source:            api.EchoedSource{Type: "manual"},
		Tags:              []string{},
	}
	written, err := client.UpdateServiceWithResponse(ctx, service.Id, &api.UpdateServiceParams{IfMatch: &etag}, renamed)
	succeeds(err)
	is(written.JSON200.Data.Name == "cloud", "updated")
	stale, err := client.UpdateServiceWithResponse(ctx, service.Id, &api.UpdateServiceParams{IfMatch: &etag}, renamed)
	succeeds(err)
	is(stale.JSON412.Code == "precondition_failed", "412")
	missing, err := client.GetHostByIdWithResponse(ctx, uuid.New(), nil)
	succeeds(err)
	is(missing.JSON404.Code == "not_found", "404")

	file, err := os.Open(os.Getenv("NTS_FILE"))
	succeeds(err)
	plan, err := client.ImportFileWithBodyWithResponse(ctx, "ip-neigh", &api.ImportFileParams{NetworkId: network}, "application/octet-stream", file)
	succeeds(err)
	is(plan.JSON200.Data.Summary.Hosts.Create == 1, "imported")

	changes, err := client.ListChangesWithResponse(ctx, &api.ListChangesParams{NetworkId: &network, After: start.JSON200.Meta.Next, Wait: &wait, Limit: &all})
	succeeds(err)
	found := false
	for _, change := range changes.JSON200.Data {
		found = found || change.Entity == "Host" && change.Name == "nas"
	}
	is(found, "followed")
	fmt.Println("works")
}
