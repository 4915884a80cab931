// Works with the client that openapi-generator makes for Go by default.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	api "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Getenv("NTS_URL")}}
	client := api.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), api.ContextAccessToken, os.Getenv("NTS_API_KEY"))
	network := os.Getenv("NTS_NETWORK")
	start, _, err := client.ChangesAPI.ListChanges(ctx).NetworkId(network).Limit(1000).Execute()
	succeeds(err)

	nas := api.NewHostCreate(network, "nas")
	nas.SetInterfaces([]api.InterfaceOfNewHost{*api.NewInterfaceOfNewHost("10.0.0.5", os.Getenv("NTS_SUBNET"))})
	nas.SetPorts([]api.PortOfNewHost{*api.NewPortOfNewHost(443, api.PROTOCOL_TCP)})
	nas.SetServices([]api.ServiceOfNewHost{*api.NewServiceOfNewHost("files", "Nextcloud")})
	made, _, err := client.HostsAPI.CreateHost(ctx).HostCreate(*nas).IdempotencyKey(network).Execute()
	succeeds(err)
	again, _, err := client.HostsAPI.CreateHost(ctx).HostCreate(*nas).IdempotencyKey(network).Execute()
	succeeds(err)
	is(again.Data.Id == made.Data.Id && made.Data.Interfaces[0].IpAddress == "10.0.0.5" && made.Data.Ports[0].Number == 443, "created once")
	for _, name := range []string{"printer", "router"} {
		_, _, err = client.HostsAPI.CreateHost(ctx).HostCreate(*api.NewHostCreate(network, name)).Execute()
		succeeds(err)
	}

	page, _, err := client.HostsAPI.ListHosts(ctx).NetworkId(network).Limit(2).Execute()
	succeeds(err)
	rest, _, err := client.HostsAPI.ListHosts(ctx).NetworkId(network).Limit(2).Cursor(page.Meta.Pagination.GetNext()).Execute()
	succeeds(err)
	is(len(page.Data) == 2 && page.Data[0].Name == "nas" && len(rest.Data) == 1 && rest.Data[0].Name == "router", "pages")

	read, response, err := client.ServicesAPI.GetServiceById(ctx, made.Data.Services[0].Id).Execute()
	succeeds(err)
	service, etag := read.Data, response.Header.Get("ETag")
	renamed := api.NewServiceUpdate([]api.BindingInput{}, service.HostId, "cloud", network, service.Position, service.ServiceDefinition, *api.NewEchoedSource("manual"), []string{})
	written, _, err := client.ServicesAPI.UpdateService(ctx, service.Id).ServiceUpdate(*renamed).IfMatch(etag).Execute()
	succeeds(err)
	is(written.Data.Name == "cloud", "updated")
	_, response, err = client.ServicesAPI.UpdateService(ctx, service.Id).ServiceUpdate(*renamed).IfMatch(etag).Execute()
	is(response.StatusCode == 412 && codeOf(err) == "precondition_failed", "412")
	_, response, err = client.HostsAPI.GetHostById(ctx, "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f").Execute()
	is(response.StatusCode == 404 && codeOf(err) == "not_found", "404")

	file, err := os.Open(os.Getenv("NTS_FILE"))
	succeeds(err)
	plan, _, err := client.ImportsAPI.ImportFile(ctx, "ip-neigh").NetworkId(network).Body(file).Execute()
	succeeds(err)
	is(plan.Data.Summary.Hosts.Create == 1, "imported")

	changes, _, err := client.ChangesAPI.ListChanges(ctx).NetworkId(network).After(start.Meta.GetNext()).Wait(5).Limit(1000).Execute()
	succeeds(err)
	found := false
	for _, change := range changes.Data {
		found = found || change.Entity == "Host" && change.Name == "nas"
	}
	is(found, "followed")
	fmt.Println("works")
}

func codeOf(err error) api.ErrorCode {
	var refused *api.GenericOpenAPIError
	if !errors.As(err, &refused) {
		return ""
	}
	failure, _ := refused.Model().(api.Failure)
	return failure.Code
}
