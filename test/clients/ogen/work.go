// Works with the client that ogen makes.
package main

import (
	"context"
	"fmt"
	"os"

	"example.com/work/api"

	"github.com/google/uuid"
	"github.com/ogen-go/ogen/ogenerrors"
)

type credentials struct{}

func (credentials) ApiKey(context.Context, api.OperationName) (api.ApiKey, error) {
	return api.ApiKey{Token: os.Getenv("NTS_API_KEY")}, nil
}

func (credentials) SessionCookie(context.Context, api.OperationName) (api.SessionCookie, error) {
	return api.SessionCookie{}, ogenerrors.ErrSkipClientSecurity
}

func (credentials) ShareSecret(context.Context, api.OperationName) (api.ShareSecret, error) {
	return api.ShareSecret{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	ctx := context.Background()
	client, err := api.NewClient(os.Getenv("NTS_URL"), credentials{})
	succeeds(err)
	network := idIn("NTS_NETWORK")
	follow := func(after api.OptString, wait api.OptInt32) api.ChangesEnvelope {
		read, err := client.ListChanges(ctx, api.ListChangesParams{
			NetworkID: api.NewOptUUID(network), Limit: api.NewOptInt32(1000), After: after, Wait: wait,
		})
		succeeds(err)
		return read.(*api.ChangesResponseHeaders).Response
	}
	start, _ := follow(api.OptString{}, api.OptInt32{}).Meta.Next.Get()

	nas := &api.HostCreate{
		NetworkID:  network,
		Name:       "nas",
		Interfaces: []api.InterfaceOfNewHost{{SubnetID: idIn("NTS_SUBNET"), IPAddress: "10.0.0.5"}},
		Ports:      []api.PortOfNewHost{{Number: 443, Protocol: api.ProtocolTCP}},
		Services:   []api.ServiceOfNewHost{{Name: "files", ServiceDefinition: "Nextcloud"}},
	}
	create := func(host *api.HostCreate, key string) api.Host {
		made, err := client.CreateHost(ctx, host, api.CreateHostParams{IdempotencyKey: api.NewOptString(key)})
		succeeds(err)
		return made.(*api.WrittenHostResponseHeaders).Response.Data
	}
	host := create(nas, "first")
	is(create(nas, "first").ID == host.ID && host.Interfaces[0].IPAddress == "10.0.0.5" && host.Ports[0].Number == 443, "created once")
	for _, name := range []string{"printer", "router"} {
		create(&api.HostCreate{NetworkID: network, Name: name}, name)
	}

	list := func(cursor api.OptString) api.HostListEnvelope {
		page, err := client.ListHosts(ctx, api.ListHostsParams{NetworkID: api.NewOptUUID(network), Limit: api.NewOptInt32(2), Cursor: cursor})
		succeeds(err)
		return page.(*api.HostListEnvelopeHeaders).Response
	}
	page := list(api.OptString{})
	rest := list(page.Meta.Pagination.Next)
	is(len(page.Data) == 2 && page.Data[0].Name == "nas" && len(rest.Data) == 1 && rest.Data[0].Name == "router", "pages")

	read, err := client.GetServiceByID(ctx, api.GetServiceByIDParams{ID: host.Services[0].ID})
	succeeds(err)
	found := read.(*api.ServiceEnvelopeHeaders)
	service := found.Response.Data
	renamed := &api.ServiceUpdate{
		Bindings:          []api.BindingInput{},
		HostID:            service.HostID,
		Name:              "cloud",
		NetworkID:         network,
		Position:          int32(service.Position),
		ServiceDefinition: service.ServiceDefinition,
		Source:            api.EchoedSource{Type: "manual"},
		Tags:              api.Tags{},
	}
	update := func() api.UpdateServiceRes {
		answer, err := client.UpdateService(ctx, renamed, api.UpdateServiceParams{ID: service.ID, IfMatch: found.ETag})
		succeeds(err)
		return answer
	}
	is(update().(*api.WrittenServiceResponseHeaders).Response.Data.Name == "cloud", "updated")
	is(update().(*api.PreconditionFailedFailureHeaders).Response.Code == api.ErrorCodePreconditionFailed, "412")
	missing, err := client.GetHostByID(ctx, api.GetHostByIDParams{ID: api.UUID(uuid.New())})
	succeeds(err)
	is(missing.(*api.NotFoundFailureHeaders).Response.Code == api.ErrorCodeNotFound, "404")

	file, err := os.Open(os.Getenv("NTS_FILE"))
	succeeds(err)
	plan, err := client.ImportFile(ctx, api.ImportFileReq{Data: file}, api.ImportFileParams{Format: api.ImportFormatIPNeigh, NetworkID: network})
	succeeds(err)
	is(plan.(*api.ImportPlanResponseHeaders).Response.Data.Summary.Hosts.Create == 1, "imported")

	followed := false
	for _, change := range follow(api.NewOptString(start), api.NewOptInt32(5)).Data {
		followed = followed || change.Entity == api.ChangedEntityHost && change.Name == "nas"
	}
	is(followed, "followed")
	fmt.Println("works")
}

func idIn(name string) api.UUID { return api.UUID(uuid.MustParse(os.Getenv(name))) }
