/**
 * Requests that could be parsed differently by two readers, with the expected response, and the message that reaches a
 * service: none by default.
 */

/** The message that a service receives, without the header fields that the gateway adds to each. */
export interface Arrival {
  readonly line: string;
  /** Header fields as they are sent, in any order. */
  readonly fields: readonly string[];
  readonly body: string;
}

export interface HostileRequest {
  readonly what: string;
  /** One character per byte; `<key>` is replaced by a valid API key. */
  readonly bytes: string;
  /** Status and code of the response. */
  readonly response: string;
  /** The connection serves the next request; otherwise it is closed after the response. */
  readonly goesOn: boolean;
  readonly arrives: Arrival | null;
}

export const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";

const ONE = `/api/v1/hosts/${ID}`;
const GET = `GET ${ONE} HTTP/1.1`;
const POST = "POST /api/v1/hosts HTTP/1.1";
const KEY = "Authorization: Bearer <key>";
const JSON_TYPE = "Content-Type: application/json";
const CHUNKED = "Transfer-Encoding: chunked";
const EMPTY_CHUNKS = "0\r\n\r\n";
const TWO_IN_CHUNKS = `2\r\n{}\r\n${EMPTY_CHUNKS}`;

const head = (...lines: string[]): string => [...lines, "", ""].join("\r\n");
const get = (...fields: string[]): string => head(GET, "Host: a", KEY, ...fields);
const line = (text: string): string => head(text, "Host: a", KEY);
const post = (body: string, ...fields: string[]): string => head(POST, "Host: a", KEY, JSON_TYPE, ...fields) + body;

const MALFORMED = "400 malformed_request";
const NOT_FOUND = "404 not_found";
const WRONG_METHOD = "405 method_not_allowed";

type Row = readonly [what: string, bytes: string];

const closed = (response: string, rows: readonly Row[]): HostileRequest[] =>
  rows.map(([what, bytes]) => ({ what, bytes, response, goesOn: false, arrives: null }));
const refused = (response: string, rows: readonly Row[]): HostileRequest[] =>
  rows.map(([what, bytes]) => ({ what, bytes, response, goesOn: true, arrives: null }));

const LINES = closed(MALFORMED, [
  ["nonsense", head("nonsense")],
  ["a request of HTTP/0.9", "GET /api/version\r\n\r\n"],
  ["a line that names HTTP/0.9", line("GET /api/version HTTP/0.9")],
  ["a line that names HTTP/1.2", line("GET /api/version HTTP/1.2")],
  ["a line that names HTTP/2.0", line("GET /api/version HTTP/2.0")],
  ["the first bytes of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a version of three digits", line("GET /api/version HTTP/01.1")],
  ["a protocol in lower case", line("GET /api/version http/1.1")],
  ["another protocol", line("GET /api/version HTTPS/1.1")],
  ["a method in lower case", line("get /api/version HTTP/1.1")],
  ["an unknown method", line("BREW /api/version HTTP/1.1")],
  ["a method of 5,000 letters", line(`${"G".repeat(5_000)} /api/version HTTP/1.1`)],
  ["a space before the line", line(" GET /api/version HTTP/1.1")],
  ["tabs in the line", line("GET\t/api/version\tHTTP/1.1")],
  ["a space in the address", line("GET /api/ver sion HTTP/1.1")],
  ["no address", line("GET HTTP/1.1")],
  ["NUL in the address", line("GET /api/version\0 HTTP/1.1")],
  ["bytes beyond ASCII in the address", line("GET /api/v1/hosts?tag_ids=\xc3\xa4 HTTP/1.1")],
  ["a fragment in the address", line("GET /api/v1/hosts?limit=1#x HTTP/1.1")],
  ["an address that begins with a backslash", line("GET \\api\\v1\\hosts HTTP/1.1")],
  ["an authority for an address", line("GET a:80 HTTP/1.1")],
]);

const FIELDS = closed(MALFORMED, [
  ["no Host", head("GET /api/version HTTP/1.1")],
  ["two Host", head("GET /api/version HTTP/1.1", "Host: a", "Host: b")],
  ["the same Host twice in HTTP/1.0", head("GET /api/version HTTP/1.0", "Host: a", "Host: a")],
  ["two names in one Host", head("GET /api/version HTTP/1.1", "Host: a, b")],
  ["a space in Host", head("GET /api/version HTTP/1.1", "Host: a b")],
  ["a path in Host", head("GET /api/version HTTP/1.1", "Host: a/b")],
  ["a user in Host", head("GET /api/version HTTP/1.1", "Host: me@a")],
  ["a port that is not a number in Host", head("GET /api/version HTTP/1.1", "Host: a:b")],
  ["two Authorization", get("AUTHORIZATION: Bearer x")],
  ["a space before the colon", get("X-Note : b")],
  ["a field without a name", get(": b")],
  ["a field without a colon", get("nonsense")],
  ["a name of two words", get("X Note: b")],
  ["a name with a parenthesis", get("X(Note): b")],
  ["a name beyond ASCII", get("X-\xc3\xa4: b")],
  ["NUL in a name", get("X-\0Note: b")],
  ["NUL in a value", get("X-Note: a\0b")],
  ["a control character in a value", get("X-Note: a\x01b")],
  ["DEL in a value", get("X-Note: a\x7fb")],
  ["a folded field", get("X-Note: a", " X-Tenancy: forged")],
  ["a folded first field", head(GET, " Host: a", KEY)],
  ["a bare CR in a value", get("X-Note: a\rX-Tenancy: forged")],
  ["a bare LF in a value", get("X-Note: a\nX-Tenancy: forged")],
  ["lines that end in LF", get().replaceAll("\r\n", "\n")],
  ["lines that end in CR", get().replaceAll("\r\n", "\r")],
]);

const SESSIONS = refused(MALFORMED, [
  ["two sessions in a Cookie", head("GET /api/auth/me HTTP/1.1", "Host: a", "Cookie: session_id=a; session_id=b")],
  ["two Cookies", head("GET /api/auth/me HTTP/1.1", "Host: a", "Cookie: session_id=a", "Cookie: session_id=b")],
]);

const FRAMING = closed(MALFORMED, [
  ["a length together with chunks", post(EMPTY_CHUNKS, "Content-Length: 6", CHUNKED)],
  ["chunks together with a length", post(EMPTY_CHUNKS, CHUNKED, "Content-Length: 6")],
  ["two lengths", post("{}", "Content-Length: 2", "Content-Length: 3")],
  ["one length twice", post("{}", "Content-Length: 2", "Content-Length: 2")],
  ["a list of lengths", post("{}", "Content-Length: 2, 2")],
  ["a length with a sign", post("{}", "Content-Length: +2")],
  ["a negative length", post("{}", "Content-Length: -2")],
  ["a hexadecimal length", post("{}", "Content-Length: 0x2")],
  ["a length of two words", post("{}", "Content-Length: 2 2")],
  ["an empty length", post("{}", "Content-Length:")],
  ["a length beyond all numbers", post("{}", `Content-Length: ${"9".repeat(30)}`)],
  ["chunks in HTTP/1.0", post(TWO_IN_CHUNKS, CHUNKED).replace("HTTP/1.1", "HTTP/1.0")],
  ["compressed chunks", post(TWO_IN_CHUNKS, "Transfer-Encoding: gzip, chunked")],
  ["an encoding after the chunks", post(TWO_IN_CHUNKS, "Transfer-Encoding: chunked, gzip")],
  ["an encoding that looks like chunks", post(TWO_IN_CHUNKS, "Transfer-Encoding: xchunked")],
  ["an encoding with a vertical tab", post(TWO_IN_CHUNKS, "Transfer-Encoding: \x0bchunked")],
  ["an encoding that is none", post("{}", "Transfer-Encoding: identity", "Content-Length: 2")],
  ["chunks announced twice", post(TWO_IN_CHUNKS, CHUNKED, CHUNKED)],
  ["a space before the colon of an encoding", post(TWO_IN_CHUNKS, "Transfer-Encoding : chunked")],
  ["a negative size of a chunk", post(`-2\r\n{}\r\n${EMPTY_CHUNKS}`, CHUNKED)],
  ["a size of a chunk with a prefix", post(`0x2\r\n{}\r\n${EMPTY_CHUNKS}`, CHUNKED)],
  ["a size of a chunk beyond all numbers", post(`${"f".repeat(16)}2\r\n{}\r\n${EMPTY_CHUNKS}`, CHUNKED)],
  ["a chunk longer than its size", post(`1\r\n{}\r\n${EMPTY_CHUNKS}`, CHUNKED)],
  ["chunks that end in LF", post(TWO_IN_CHUNKS.replaceAll("\r\n", "\n"), CHUNKED)],
]);

const TOO_LARGE = closed("431 malformed_request", [
  ["a header field of 16 KiB", get(`X-Note: ${"x".repeat(16_384)}`)],
  ["4,000 short header fields", get(...Array.from({ length: 4_000 }, () => "a:"))],
  ["an address of 48 KiB", line(`GET /api/v1/hosts?ids=${"x".repeat(49_152)} HTTP/1.1`)],
]);

const PATHS = refused(
  NOT_FOUND,
  [
    ...["/api/v1/hosts/", "/api/v1//hosts", "//api/v1/hosts", "/api/v1/./hosts", "/api/v1/x/../hosts", "/API/v1/hosts"],
    ...["/api/v1/h%6fsts", "/api%2fv1/hosts", "/api/v1/%2e%2e/v1/hosts", "/api/v1/hosts;x=1", "/api/v1/hosts%00"],
    ...["/api/v1/hosts/..", "/api/v1/hosts/%2e%2E", "/api/v1/hosts/x%2f..%2fnetworks", "/api/v1/hosts/..%5cnetworks"],
    ...["/api\\v1\\hosts", "/api/v1/hosts/%", "/api/v1/hosts/%ff", "/internal/verify", "/api", "*"],
    ...["http://b/api/v1/hosts", "http://169.254.169.254/", "http://me@a/api/v1/hosts", "/metrics", "/readyz"],
    ...[
      "/index.html",
      "/site.json",
      "/hosts/",
      "//hosts",
      "/hosts/x",
      "/./hosts",
      "/hosts%2f",
      "/assets/..",
      "/assets/",
    ],
  ].map((path) => [`the address ${path}`, line(`GET ${path} HTTP/1.1`)]),
);

const METHODS = [
  ...refused(
    WRONG_METHOD,
    ["PATCH", "TRACE", "PROPFIND", "DELETE", "SOURCE"].map((method) => [
      `${method} on a path that has other methods`,
      line(`${method} /api/v1/hosts HTTP/1.1`),
    ]),
  ),
  ...refused(WRONG_METHOD, [
    ["TRACE on a path that does not exist", line("TRACE /nowhere HTTP/1.1")],
    ["PUT on a written path, as if it were a parameter", line("PUT /api/v1/hosts/bulk-delete HTTP/1.1")],
  ]),
  ...closed(WRONG_METHOD, [
    ["CONNECT to an inner address", line("CONNECT 169.254.169.254:80 HTTP/1.1")],
    ["CONNECT to a path", line("CONNECT /api/version HTTP/1.1")],
    ["CONNECT with a request inside of the tunnel", line("CONNECT a:80 HTTP/1.1") + line("GET /api/version HTTP/1.1")],
  ]),
  ...closed(MALFORMED, [["CONNECT without Host", head("CONNECT a:80 HTTP/1.1")]]),
];

const arriving = (arrival: Partial<Arrival>, rows: readonly Row[]): HostileRequest[] =>
  rows.map(([what, bytes]) => ({
    what,
    bytes,
    response: "200 ok",
    goesOn: true,
    arrives: { line: GET, fields: [], body: "", ...arrival },
  }));

const closing = (request: HostileRequest): HostileRequest => ({ ...request, goesOn: false });

const OF_JSON = "content-type: application/json";
const HIDDEN = "DELETE /api/v1/hosts HTTP/1.1\r\nHost: a\r\n\r\n";
const WITH_LENGTH = { line: POST, fields: ["content-length: 2", OF_JSON], body: "{}" };

const PASSING = [
  ...arriving({}, [
    ["a wish for a web socket", get("Connection: Upgrade", "Upgrade: websocket")],
    [
      "a wish for HTTP/2",
      get("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"),
    ],
  ]).map(closing),
  ...arriving(WITH_LENGTH, [
    ["a wish for TLS with a body", post("{}", "Content-Length: 2", "Connection: Upgrade", "Upgrade: TLS/1.2")],
  ]).map(closing),
  ...arriving({}, [
    [
      "a request with forged headers of ours",
      get(...["Tenancy", "Request-Id", "Client-Address", "List-Total"].map((name) => `X-${name}: forged`)),
    ],
    [
      "forged headers of ours, with underscores",
      get("X_Tenancy: forged", "X-Client_Address: 6.6.6.6", "x_request_id: forged"),
    ],
    ["a header with the name of a prototype", get("__proto__: x")],
    [
      "a forged origin of the request",
      get("X-Forwarded-For: 6.6.6.6", "Forwarded: for=6.6.6.6", "X-Real-IP: 6.6.6.6", "X-Forwarded-Host: b"),
    ],
    ["a credential for proxies", get("Proxy-Authorization: Basic YTpi", "Proxy-Connection: keep-alive")],
    ["Connection that names headers of ours", get("Connection: keep-alive, X-Tenancy, X-Client-Address, X-Request-Id")],
    [
      "headers of this connection only",
      get("Connection: keep-alive, X-Hop", "X-Hop: 1", "Keep-Alive: timeout=9", "TE: trailers"),
    ],
    ["a request hidden in a body that the operation does not take", get(`Content-Length: ${HIDDEN.length}`) + HIDDEN],
    [
      "a request hidden in chunks that the operation does not take",
      get(CHUNKED) + `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n${EMPTY_CHUNKS}`,
    ],
    ["other cookies together with the key", get("Cookie: session_id=x; other=1")],
    ["its own address in absolute form", get().replace(ONE, `http://A${ONE}`)],
    ["two spaces in the line", get().replace("GET ", "GET  ")],
    ["empty lines before the request", `\r\n\r\n${get()}`],
  ]),
  ...arriving({ fields: ["x-note: a\xe4b"] }, [["bytes beyond ASCII in a value", get("X-Note: a\xe4b")]]),
  ...arriving({ fields: ['if-match: "1", "2"'] }, [
    ["a condition in two fields", get('If-Match: "1"', 'If-Match: "2"')],
  ]),
  ...arriving({ line: GET.replace(" HTTP", "?a=%2F&a=//b&c=[]{}|^ HTTP") }, [
    ["a query of odd characters", get().replace(ONE, `${ONE}?a=%2F&a=//b&c=[]{}|^`)],
  ]),
  ...arriving({ fields: ["x-http-method-override: DELETE", "x-original-url: /internal/verify"] }, [
    [
      "another method and address in header fields",
      get("X-HTTP-Method-Override: DELETE", "X-Original-URL: /internal/verify"),
    ],
  ]),
  ...arriving(WITH_LENGTH, [
    ["a second encoding with an underscore", post("{}", "Content-Length: 2", "Transfer_Encoding: chunked")],
    ["an unknown expectation", post("{}", "Content-Length: 2", "Expect: tea")],
  ]),
  ...arriving(WITH_LENGTH, [
    ["chunks in capitals", post(TWO_IN_CHUNKS, "Transfer-Encoding: CHUNKED")],
    ["chunks with extensions", post(TWO_IN_CHUNKS.replace("2", "2;a=b;c"), CHUNKED)],
    ["chunks with leading zeros", post(TWO_IN_CHUNKS.replace("2", "0002"), CHUNKED)],
    [
      "headers of ours after the chunks",
      post(
        TWO_IN_CHUNKS.replace(/\r\n$/, "X-Tenancy: forged\r\nX-Client-Address: 6.6.6.6\r\n\r\n"),
        CHUNKED,
        "Trailer: X-Tenancy",
      ),
    ],
    ["Connection that removes the length", post("{}", "Connection: keep-alive, Content-Length", "Content-Length: 2")],
  ]),
  ...arriving({ ...WITH_LENGTH, fields: ["content-length: 2", "content-type: text/plain"] }, [
    [
      "two types of the body, of which the first counts",
      head(POST, "Host: a", KEY, "Content-Type: text/plain", JSON_TYPE, "Content-Length: 2") + "{}",
    ],
  ]),
];

export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  ...LINES,
  ...FIELDS,
  ...SESSIONS,
  ...FRAMING,
  ...TOO_LARGE,
  ...PATHS,
  ...METHODS,
  ...PASSING,
];
