// Works with the client that openapi-generator makes for Java by default.
import java.io.File;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.ChangesApi;
import org.openapitools.client.api.HostsApi;
import org.openapitools.client.api.ImportsApi;
import org.openapitools.client.api.ServicesApi;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.*;

public class Work {
  interface Call {
    Object run() throws ApiException;
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, String> env = System.getenv();
    ApiClient client = new ApiClient();
    client.setBasePath(env.get("NTS_URL"));
    ((HttpBearerAuth) client.getAuthentication("apiKey")).setBearerToken(env.get("NTS_API_KEY"));
    HostsApi hosts = new HostsApi(client);
    ServicesApi services = new ServicesApi(client);
    ChangesApi changes = new ChangesApi(client);
    UUID network = UUID.fromString(env.get("NTS_NETWORK"));
    String start = follow(changes, network, null, null).getMeta().getNext();

    HostCreate nas =
        new HostCreate()
            .networkId(network)
            .name("nas")
            .addInterfacesItem(
                new InterfaceOfNewHost().subnetId(UUID.fromString(env.get("NTS_SUBNET"))).ipAddress("10.0.0.5"))
            .addPortsItem(new PortOfNewHost().number(443).protocol(Protocol.PROTOCOL_TCP))
            .addServicesItem(new ServiceOfNewHost().name("files").serviceDefinition("Nextcloud"));
    Host made = hosts.createHost(nas, null, null, null, network.toString(), null).getData();
    Host again = hosts.createHost(nas, null, null, null, network.toString(), null).getData();
    is(again.getId().equals(made.getId()) && made.getPorts().get(0).getNumber() == 443, "created once");
    for (String name : List.of("printer", "router"))
      hosts.createHost(new HostCreate().networkId(network).name(name), null, null, null, null, null);

    HostListEnvelope page = list(hosts, network, null);
    HostListEnvelope rest = list(hosts, network, page.getMeta().getPagination().getNext());
    is(page.getData().get(0).getName().equals("nas"), "first page");
    is(rest.getData().get(0).getName().equals("router"), "second page");

    ApiResponse<ServiceEnvelope> read = services.getServiceByIdWithHttpInfo(made.getServices().get(0).getId(), null, null, null);
    Service service = read.getData().getData();
    String etag = read.getHeaders().get("etag").get(0);
    ServiceUpdate renamed =
        new ServiceUpdate()
            .bindings(List.of())
            .hostId(service.getHostId())
            .name("cloud")
            .networkId(network)
            .position(service.getPosition().intValue())
            .serviceDefinition(service.getServiceDefinition())
            .source(new EchoedSource().type("manual"))
            .tags(List.of());
    Call update = () -> services.updateService(service.getId(), renamed, null, null, etag, null, null, null);
    update.run();
    is(refusalOf(update).equals("412 precondition_failed"), "412");
    is(refusalOf(() -> hosts.getHostById(UUID.randomUUID(), null, null, null)).equals("404 not_found"), "404");

    ImportPlan plan =
        new ImportsApi(client)
            .importFile(
                ImportFormat.fromValue("ip-neigh"), network, new File(env.get("NTS_FILE")), null, null, null, null,
                null, null, null, null)
            .getData();
    is(plan.getSummary().getHosts().getCreate() == 1, "imported");

    List<Change> followed = follow(changes, network, start, 5).getData();
    is(followed.stream().anyMatch(change -> change.getName().equals("nas")), "followed");
    System.out.println("works");
  }

  static ChangesEnvelope follow(ChangesApi changes, UUID network, String after, Integer wait) throws ApiException {
    return changes.listChanges(
        network, null, null, null, null, null, null, null, null, null, null, 1000, after, wait);
  }

  static HostListEnvelope list(HostsApi hosts, UUID network, String cursor) throws ApiException {
    return hosts.listHosts(
        null, network, null, null, null, null, null, null, null, null, null, null, null, null, null, 2, null, cursor);
  }

  static String refusalOf(Call call) throws Exception {
    try {
      call.run();
      return "accepted";
    } catch (ApiException refused) {
      return refused.getCode() + " " + Failure.fromJson(refused.getResponseBody()).getCode().getValue();
    }
  }

  static void is(boolean fact, String what) {
    if (!fact) throw new AssertionError("not " + what);
  }
}
