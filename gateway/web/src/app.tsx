import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { BrowserRouter, Route, Routes } from "react-router";
import { createQueries } from "./api/query-client.js";
import { PATHS } from "./paths.js";
import { Boundary } from "./parts/boundary.js";
import { Reports } from "./parts/reports.js";
import { Waiting } from "./parts/waiting.js";
import { SignedIn, SignedOut } from "./sign-in/guard.js";
import { Home } from "./shell/home.js";
import { NotFound } from "./shell/not-found.js";
import { Shell } from "./shell/shell.js";
import { theme } from "./theme.js";

const mapPage = () => import("./map/map-page.js");

// The page that is opened most loads beside the session, not after it. If that fails, it is tried again when it is shown.
if (window.location.pathname === PATHS.topology) mapPage().catch(() => undefined);

const SignIn = lazy(() => import("./sign-in/sign-in.js"));
const SignUp = lazy(() => import("./sign-in/sign-up.js"));
const ForgotPassword = lazy(() => import("./mail/forgot-password.js"));
const ResetPassword = lazy(() => import("./mail/reset-password.js"));
const VerifyEmail = lazy(() => import("./mail/verify-email.js"));
const Device = lazy(() => import("./sign-in/device-page.js"));
const Authorize = lazy(() => import("./sign-in/authorize-page.js"));
const Welcome = lazy(() => import("./welcome/welcome-page.js"));
const Hosts = lazy(() => import("./hosts/hosts-page.js"));
const Host = lazy(() => import("./hosts/host-page.js"));
const Duplicates = lazy(() => import("./hosts/duplicates-page.js"));
const NotSeen = lazy(() => import("./not-seen/not-seen-page.js"));
const Certificates = lazy(() => import("./certificates/certificates-page.js"));
const Services = lazy(() => import("./services/services-page.js"));
const Service = lazy(() => import("./services/service-page.js"));
const Dependency = lazy(() => import("./dependencies/dependency-page.js"));
const Networks = lazy(() => import("./networks/networks-page.js"));
const Network = lazy(() => import("./networks/network-page.js"));
const Subnets = lazy(() => import("./subnets/subnets-page.js"));
const Subnet = lazy(() => import("./subnets/subnet-page.js"));
const Vlans = lazy(() => import("./links/vlans-page.js"));
const Links = lazy(() => import("./links/links-page.js"));
const Tags = lazy(() => import("./tags/tags-page.js"));
const Activity = lazy(() => import("./activity/activity-page.js"));
const Collectors = lazy(() => import("./collectors/collectors-page.js"));
const Collector = lazy(() => import("./collectors/collector-page.js"));
const Import = lazy(() => import("./imports/import-page.js"));
const Keys = lazy(() => import("./keys/keys-page.js"));
const Users = lazy(() => import("./users/users-page.js"));
const Audit = lazy(() => import("./audit/audit-page.js"));
const Settings = lazy(() => import("./settings/settings-page.js"));
const Archive = lazy(() => import("./archive/archive-page.js"));
const Webhooks = lazy(() => import("./webhooks/webhooks-page.js"));
const Webhook = lazy(() => import("./webhooks/webhook-page.js"));
const SharePage = lazy(() => import("./map/share-page.js"));
const TopologyMap = lazy(mapPage);

const queries = createQueries();

/** The routes of the console. Pages are loaded on demand. */
export function App(): ReactNode {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <Reports />
      <QueryClientProvider client={queries}>
        <BrowserRouter>
          <Boundary>
            <Suspense fallback={<Waiting page />}>
              <Routes>
                <Route element={<SignedOut />}>
                  <Route path={PATHS.signIn} element={<SignIn />} />
                  <Route path={PATHS.signUp} element={<SignUp />} />
                </Route>
                <Route path={PATHS.share} element={<SharePage />} />
                <Route path={PATHS.forgotPassword} element={<ForgotPassword />} />
                <Route path={PATHS.resetPassword} element={<ResetPassword />} />
                <Route element={<SignedIn />}>
                  <Route element={<Shell />}>
                    <Route path={PATHS.home} element={<Home />} />
                    <Route path={PATHS.verifyEmail} element={<VerifyEmail />} />
                    <Route path={PATHS.device} element={<Device />} />
                    <Route path={PATHS.authorize} element={<Authorize />} />
                    <Route path={PATHS.topology} element={<TopologyMap />} />
                    <Route path={PATHS.welcome} element={<Welcome />} />
                    <Route path={PATHS.hosts} element={<Hosts />} />
                    <Route path={PATHS.host} element={<Host />} />
                    <Route path={PATHS.notSeen} element={<NotSeen />} />
                    <Route path={PATHS.certificates} element={<Certificates />} />
                    <Route path={PATHS.duplicates} element={<Duplicates />} />
                    <Route path={PATHS.services} element={<Services />} />
                    <Route path={PATHS.service} element={<Service />} />
                    <Route path={PATHS.dependency} element={<Dependency />} />
                    <Route path={PATHS.networks} element={<Networks />} />
                    <Route path={PATHS.network} element={<Network />} />
                    <Route path={PATHS.subnets} element={<Subnets />} />
                    <Route path={PATHS.subnet} element={<Subnet />} />
                    <Route path={PATHS.vlans} element={<Vlans />} />
                    <Route path={PATHS.links} element={<Links />} />
                    <Route path={PATHS.tags} element={<Tags />} />
                    <Route path={PATHS.activity} element={<Activity />} />
                    <Route path={PATHS.collectors} element={<Collectors />} />
                    <Route path={PATHS.collector} element={<Collector />} />
                    <Route path={PATHS.importScan} element={<Import />} />
                    <Route path={PATHS.keys} element={<Keys />} />
                    <Route path={PATHS.users} element={<Users />} />
                    <Route path={PATHS.audit} element={<Audit />} />
                    <Route path={PATHS.settings} element={<Settings />} />
                    <Route path={PATHS.archive} element={<Archive />} />
                    <Route path={PATHS.webhooks} element={<Webhooks />} />
                    <Route path={PATHS.webhook} element={<Webhook />} />
                    <Route path="*" element={<NotFound />} />
                  </Route>
                </Route>
              </Routes>
            </Suspense>
          </Boundary>
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  );
}
