// Works with the client that openapi-generator makes for Rust by default.
use openapi::apis::{changes_api, configuration::Configuration, hosts_api, imports_api, services_api, Error};
use openapi::models;
use std::env::var;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let configuration = Configuration {
        base_path: var("NTS_URL")?,
        bearer_access_token: Some(var("NTS_API_KEY")?),
        ..Configuration::new()
    };
    let network = var("NTS_NETWORK")?;
    let network_id: uuid::Uuid = network.parse()?;
    let follow = |after: Option<String>, wait: Option<i32>| {
        let (configuration, network) = (&configuration, &network);
        async move {
            changes_api::list_changes(
                configuration, Some(network), None, None, None, None, None, None, None, None, None, None, Some(1000),
                after.as_deref(), wait,
            )
            .await
        }
    };
    let start = follow(None, None).await?.meta.next.flatten();

    let nas = models::HostCreate {
        interfaces: Some(vec![models::InterfaceOfNewHost::new("10.0.0.5".into(), var("NTS_SUBNET")?.parse()?)]),
        ports: Some(vec![models::PortOfNewHost::new(443, models::Protocol::PROTOCOL_TCP)]),
        services: Some(vec![models::ServiceOfNewHost::new("files".into(), "Nextcloud".into())]),
        ..models::HostCreate::new(network_id, "nas".into())
    };
    let made = hosts_api::create_host(&configuration, nas.clone(), None, None, None, Some(&network), None).await?.data;
    let again = hosts_api::create_host(&configuration, nas, None, None, None, Some(&network), None).await?.data;
    assert_eq!((again.id, made.interfaces[0].ip_address.as_str(), made.ports[0].number), (made.id, "10.0.0.5", 443));
    for name in ["printer", "router"] {
        let host = models::HostCreate::new(network_id, name.into());
        hosts_api::create_host(&configuration, host, None, None, None, None, None).await?;
    }

    let list = |cursor: Option<String>| {
        let (configuration, network) = (&configuration, &network);
        async move {
            hosts_api::list_hosts(
                configuration, None, Some(network), None, None, None, None, None, None, None, None, None, None, None,
                None, None, Some(2), None, cursor.as_deref(),
            )
            .await
        }
    };
    let page = list(None).await?;
    let rest = list(page.meta.pagination.next.clone()).await?;
    let names: Vec<_> = page.data.iter().chain(&rest.data).map(|host| host.name.as_str()).collect();
    assert_eq!(names, ["nas", "printer", "router"]);

    // Its responses have no headers, so the ETag needs a request of its own.
    let id = made.services[0].id.to_string();
    let service = services_api::get_service_by_id(&configuration, &id, None, None, None).await?.data;
    let url = format!("{}/api/v1/services/{id}", configuration.base_path);
    let read = configuration.client.get(url).bearer_auth(var("NTS_API_KEY")?).send().await?;
    let etag = read.headers()["etag"].to_str()?.to_string();
    let renamed = models::ServiceUpdate::new(
        vec![], service.host_id, "cloud".into(), network_id, service.position, service.service_definition,
        models::EchoedSource::new("manual".into()), vec![],
    );
    let update = || services_api::update_service(&configuration, &id, renamed.clone(), None, None, Some(&etag), None, None, None);
    assert_eq!(update().await?.data.name, "cloud");
    match update().await {
        Err(Error::ResponseError(refused)) => {
            assert_eq!(refused.status.as_u16(), 412);
            // Of failures that look alike, its type has the first.
            let failure: models::Failure = serde_json::from_str(&refused.content)?;
            assert_eq!(failure.code, models::ErrorCode::ERROR_CODE_PRECONDITION_FAILED);
        }
        other => panic!("a stale update was not refused: {other:?}"),
    }
    let unknown = uuid::Uuid::new_v4().to_string();
    match hosts_api::get_host_by_id(&configuration, &unknown, None, None, None).await {
        Err(Error::ResponseError(refused)) => assert_eq!(refused.status.as_u16(), 404),
        other => panic!("a host that does not exist was found: {other:?}"),
    }

    let plan = imports_api::import_file(
        &configuration, models::ImportFormat::IMPORT_FORMAT_IP_NEIGH, &network, var("NTS_FILE")?.into(), None, None, None, None, None,
        None, None, None,
    )
    .await?;
    assert_eq!(plan.data.summary.hosts.create, 1);

    let changes = follow(start, Some(5)).await?.data;
    assert!(changes.iter().any(|change| change.name == "nas"));
    println!("works");
    Ok(())
}
