/**
 * Makes the page of the API from the OpenAPI document: `docs/api.md`.
 *
 *   node support/api-types.js    writes the file; unit/api-client.test.js fails while it is stale
 */

import { readFileSync } from 'node:fs';

import { DOCUMENT, doneOf, typeText } from './api-types.js';

/** The generated page. */
export const PAGE = new URL('../../../docs/api.md', import.meta.url);

/** @typedef {import('./api-types.js').Schema & {description?: string, default?: unknown}} Field */
/** @typedef {import('./api-client.js').Operation} Operation */

const HEAD = `# API

Generated from the OpenAPI document by \`node tests/ui/support/api-types.js\`; the running program serves the document at
\`GET /api/openapi.json\`.

Every request needs the header \`X-Service-Token\` with the text of \`server.token\` in the data directory; the port is in
\`server.port\`. A \`POST\` carries a JSON object. A refusal has a status of 400 or above and \`{"error", "code",
"request_id"}\`. Besides the codes that are listed, every route may answer \`BAD_REQUEST\` (400), \`UNAUTHORIZED\`,
\`BAD_HOST\` and \`ARCADE_KIOSK_LOCKED\` (403), \`RATE_LIMITED\` (429), \`INTERNAL_ERROR\` (500), and \`STATE_UNAVAILABLE\` (503) where
it needs the library.

While the kiosk is on, a client that entered its PIN names itself in the header \`X-Service-Session\`, or in the query
parameter \`session\` where it can send no header.

"Since" names the version of the API that added a route. The API has versions of its own, apart from those of the program.

Routes marked v1 are also served below \`/api/v1\` and do not change. The types of replies and a client for TypeScript are in
\`clients/typescript/service-launcher.ts\`. A collector of Prometheus finds \`GET /metrics\` when the program was started with
\`SERVICE_METRICS=1\`; it needs the token too.
`;

/** Codes that the head names. */
const EVERYWHERE = ['BAD_REQUEST', 'UNAUTHORIZED', 'BAD_HOST', 'ARCADE_KIOSK_LOCKED', 'RATE_LIMITED', 'INTERNAL_ERROR',
  'STATE_UNAVAILABLE'];

/**
 * @param {string} text
 * @returns {string} the text in a cell of a table
 */
function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/**
 * @param {string} name
 * @param {boolean} required
 * @param {Field} field
 * @param {string} about
 * @returns {string}
 */
function fieldRow(name, required, field, about) {
  const start = field.default === undefined ? '' : ` Default: ${JSON.stringify(field.default)}.`;
  return `| \`${name}\`${required ? ', required' : ''} | ${cell(`\`${typeText(field)}\``)} | ${cell(about + start)} |`;
}

/**
 * @param {string} path
 * @param {string} method
 * @param {Operation} operation
 * @param {boolean} isFrozen
 * @returns {string[]}
 */
function section(path, method, operation, isFrozen) {
  const query = (operation.parameters ?? []).map(({ name, required, description, schema }) =>
    fieldRow(name, required, schema, description)
  );
  const body = operation.requestBody?.content['application/json']?.schema;
  const required = new Set(body?.required);
  const fields = Object.entries(body?.properties ?? {}).map(([name, field]) =>
    fieldRow(name, required.has(name), field, /** @type {Field} */ (field).description ?? '')
  );
  const rows = [...query, ...fields];
  const reply = doneOf(operation)?.content ?? {};
  const [kind, shape] = Object.entries(reply)[0] ?? ['', undefined];
  const type = kind === 'application/json' && shape
    ? `\`${typeText(shape.schema)}\``
    : (doneOf(operation)?.description ?? '').replace(/\.$/, '');
  const codes = Object.values(operation.responses).flatMap((response) => response['x-codes'] ?? []).filter((code) =>
    !EVERYWHERE.includes(code)
  );
  return [
    `### ${method.toUpperCase()} ${path}`,
    '',
    `${operation.summary} Since ${operation['x-since']}${isFrozen ? ', v1' : ''}.`,
    '',
    ...(rows.length === 0 ? [] : ['| field | type | meaning |', '|---|---|---|', ...rows, '']),
    `Answers: ${type}${codes.length === 0 ? '' : `. Codes: ${codes.map((code) => `\`${code}\``).join(', ')}`}`,
    '',
  ];
}

/**
 * The text of the generated page.
 *
 * @returns {string}
 */
export function generateDocs() {
  const { paths } = /** @type {import('./api-client.js').Document} */ (JSON.parse(readFileSync(DOCUMENT, 'utf8')));
  /** @type {Map<string, string[]>} */
  const families = new Map();
  for (const [path, methods] of Object.entries(paths)) {
    if (path.startsWith('/api/v1/')) continue;
    const isFrozen = path.replace('/api/', '/api/v1/') in paths;
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? '';
      const lines = families.get(tag) ?? [];
      lines.push(...section(path, method, operation, isFrozen));
      families.set(tag, lines);
    }
  }
  const tags = [...families.keys()].sort();
  return [
    HEAD,
    ...tags.map((tag) => `- [${tag}](#${tag})`),
    '',
    ...tags.flatMap((tag) => [`## ${tag}`, '', ...(families.get(tag) ?? [])]),
  ].join('\n');
}
