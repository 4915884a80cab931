import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { BrowserRouter, Route, Routes } from "react-router";
import { createQueries } from "./api/query-client.js";
import { PATHS } from "./paths.js";
import { Waiting } from "./parts/waiting.js";
import { SignedIn, SignedOut } from "./session/guard.js";
import { Home } from "./shell/home.js";
import { NotFound } from "./shell/not-found.js";
import { Shell } from "./shell/shell.js";
import { theme } from "./theme.js";

const SignIn = lazy(() => import("./session/sign-in.js"));
const SignUp = lazy(() => import("./session/sign-up.js"));
const Picture = lazy(() => import("./picture/picture.js"));

const queries = createQueries();

/** The console: what surrounds every page, and which path leads to which page. Each page is loaded when it is needed. */
export function App(): ReactNode {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queries}>
        <BrowserRouter>
          <Suspense fallback={<Waiting page />}>
            <Routes>
              <Route element={<SignedOut />}>
                <Route path={PATHS.signIn} element={<SignIn />} />
                <Route path={PATHS.signUp} element={<SignUp />} />
              </Route>
              <Route element={<SignedIn />}>
                <Route element={<Shell />}>
                  <Route path={PATHS.home} element={<Home />} />
                  <Route path={PATHS.topology} element={<Picture />} />
                  <Route path="*" element={<NotFound />} />
                </Route>
              </Route>
            </Routes>
          </Suspense>
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  );
}
