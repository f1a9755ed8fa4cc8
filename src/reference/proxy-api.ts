import { z } from 'zod'
import { version } from '../../package.json'
import { type Permission, rolesFor } from '../protocol/permission.ts'
import { problemJson } from '../protocol/problem.ts'
import {
  type AccessRow,
  accessTable,
  buildDataPrefix,
  governorPrefix,
} from '../server/proxy/access.ts'
import type { AllowList } from '../server/proxy/upstream/allow-list.ts'
import { buildDataAllowList, governorAllowList } from '../server/proxy/upstream/routes.ts'
import { blockOf, codeOf, pageOf, tableOf } from './markdown-page.ts'
import { type Content, namedSchemas, type Operation, operations } from './operations.ts'

/** A route of the access table, with what is said of it. */
interface DescribedRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** As the access table has it. */
  readonly path: string
  readonly needs: AccessRow['needs']
  readonly operation: Operation
}

type Json = Readonly<Record<string, unknown>>

/** The rows of the access table that are operations: no pages, and not the answer that there is nothing. */
export const operationRows: readonly AccessRow[] = accessTable.filter(
  ({ method, path }) => method !== 'ALL' && path !== '/*',
)

/** Throws an Error that names a route of which nothing is said. */
function describedRoutes(): readonly DescribedRoute[] {
  return operationRows.map(({ method, path, needs }) => {
    const operation = operations[`${method} ${path}`]
    if (operation === undefined || method === 'ALL') {
      throw new Error(`src/reference/operations.ts doesn't describe ${method} ${path}`)
    }
    return { method, path, needs, operation }
  })
}

/** The description of all routes of the proxy, as OpenAPI 3.1. */
export function openApi(): Json {
  const routes = describedRoutes()
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    const methods = (paths[templateOf(route.path)] ??= {})
    methods[route.method.toLowerCase()] = operationOf(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sightline',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      summary: 'What the proxy of Sightline answers to browsers and scripts.',
      description:
        'Times are epoch milliseconds. Objects may have members that are not described. In what is sent, a text of nothing but spaces counts as empty, no text holds the character U+0000, no package or policy scan that a board evaluates holds half of a surrogate pair, and a whole number is at most 2^53 - 1. Written from the source by `npm run docs`; docs/reference/proxy-api.md has examples.',
    },
    servers: [{ url: '/', description: 'The address at which people open Sightline.' }],
    tags: [...new Set(routes.map(({ operation }) => operation.group))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of `POST /session`, or an access token (`slt_…`).',
        },
      },
      responses: {
        Problem: {
          description: 'Why not, as problem details (RFC 9457).',
          content: { [problemJson]: { schema: { $ref: '#/components/schemas/ProblemDetail' } } },
        },
      },
      schemas: schemasByName,
    },
  }
}

function operationOf({ method, path, needs, operation }: DescribedRoute): Json {
  const { group, summary, more, body } = operation
  const description = [more, whoMay(needs)].filter((part) => part !== undefined).join(' ')
  const parameters = [...pathParameters(path), ...queryParameters(method, path, operation)]
  return {
    operationId: operationId(method, path),
    tags: [group],
    summary,
    description,
    ...(needs === 'free' ? { security: [] } : { security: [{ session: [] }] }),
    ...(needs === 'free' ? {} : { 'x-permission': needs }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { content: contentOf(body) } }),
    responses: responsesOf(needs, operation),
  }
}

function whoMay(needs: AccessRow['needs']): string {
  if (needs === 'free') return 'Takes no session.'
  return needs === 'watch'
    ? `Open to every session, those of screens included.`
    : `Requires the role ${rolesFor(needs)} (permission ${codeOf(needs)}).`
}

function responsesOf(needs: AccessRow['needs'], { answers, problems = {} }: Operation): Json {
  const described = Object.entries(answers).map(([status, { is, content }]): [string, Json] => [
    status,
    { description: is, ...(content === undefined ? {} : { content: contentOf(content) }) },
  ])
  const refused: Record<string, string> = {
    ...(needs === 'free' ? {} : { 401: 'No session, or one that has ended.' }),
    ...(needs === 'free' ? {} : { 403: 'Not allowed; `requires` names the permission.' }),
    ...problems,
  }
  const answered: Json = Object.fromEntries(described)
  return {
    ...answered,
    ...Object.fromEntries(
      Object.entries(refused)
        .filter(([status]) => !(status in answers))
        .map(([status, description]) => [status, { description, content: problemContent }]),
    ),
    default: { $ref: '#/components/responses/Problem' },
  }
}

const problemContent: Json = {
  [problemJson]: { schema: { $ref: '#/components/schemas/ProblemDetail' } },
}

function contentOf(contents: readonly Content[]): Json {
  return Object.fromEntries(
    contents.map(({ mediaType, schema, events }) => {
      if (events !== undefined) {
        return [
          mediaType,
          {
            schema: { type: 'string', description: 'Server-sent events.' },
            'x-events': Object.fromEntries(
              Object.entries(events).map(([name, event]) => [name, schemaOf(event)]),
            ),
          },
        ]
      }
      if (schema === undefined) return [mediaType, {}]
      // OpenAPI 3.1 has no word for a sequence of documents: the schema is that of one line.
      return mediaType === 'application/x-ndjson'
        ? [mediaType, { schema: { type: 'string' }, 'x-line': schemaOf(schema) }]
        : [mediaType, { schema: schemaOf(schema) }]
    }),
  )
}

const registry = z.registry<{ id: string }>()
for (const [name, schema] of Object.entries(namedSchemas)) registry.add(schema, { id: name })

/** As it is written on the wire, where what has a default may be left out. */
const settings = { io: 'input', unrepresentable: 'any', target: 'draft-2020-12' } as const

const schemasByName: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries(
    z.toJSONSchema(registry, { ...settings, uri: (id) => `#/components/schemas/${id}` }).schemas,
  )
    .filter(([name]) => name !== '__shared')
    .map(([name, schema]): [string, Json] => [name, withoutHeader(schema)]),
)

function schemaOf(schema: z.core.$ZodType): Json {
  const name = registry.get(schema)?.id
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  // The element of a list may have a name.
  if (schema instanceof z.core.$ZodArray) {
    return { type: 'array', items: schemaOf(schema._zod.def.element) }
  }
  if (schema instanceof z.core.$ZodUnion) {
    return { anyOf: schema._zod.def.options.map((option) => schemaOf(option)) }
  }
  return withoutHeader(z.toJSONSchema(schema, settings))
}

/** Any JSON is any schema: nothing of a document refers into itself. */
function withoutHeader(schema: unknown): Json {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    ['$schema', '$id', '$defs'].includes(key) || isLargest(key, value)
      ? undefined
      : isAnyJson(value)
        ? {}
        : value,
  )
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
}

/** Whole numbers are as large as JavaScript has them, which says nothing of a field. */
function isLargest(key: string, value: unknown): boolean {
  return (
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
    (key === 'minimum' && value === Number.MIN_SAFE_INTEGER)
  )
}

function isAnyJson(value: unknown): boolean {
  const read = z.object({ $ref: z.string() }).safeParse(value)
  return read.success && read.data.$ref.includes('/$defs/')
}

/** `/screens/{id}`, as OpenAPI writes it. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

function operationId(method: string, path: string): string {
  const words = path.split(/[/:-]+/).filter((word) => word !== '')
  const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
  return `${method.toLowerCase()}${words.map(capital).join('')}`
}

function pathParameters(path: string): readonly Json[] {
  const rules = listOf(path)?.list.parameters ?? {}
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: {
      type: 'string',
      ...patternOf(rules[name]),
    },
  }))
}

function queryParameters(method: string, path: string, { query = {} }: Operation): readonly Json[] {
  const own = Object.entries(query).map(([name, { is, schema, isRequired }]) => ({
    name,
    in: 'query',
    ...(isRequired === true ? { required: true } : {}),
    description: is,
    schema: schema === undefined ? { type: 'string' } : schemaOf(schema),
  }))
  const found = listOf(path)
  const forwarded = found?.list.routes.find(
    (route) => route.method === method && `${found.prefix}${route.pattern}` === path,
  )
  const rules = Object.entries(forwarded?.query ?? {}).map(([name, { value, repeated }]) => {
    const schema = { type: 'string', ...patternOf(value) }
    return {
      name,
      in: 'query',
      schema: repeated === true ? { type: 'array', items: schema } : schema,
    }
  })
  return [...own, ...rules]
}

/** JSON Schema knows no flags: what has some is only described by its name. */
function patternOf(rule: RegExp | undefined): Json {
  return rule?.flags === '' ? { pattern: rule.source } : {}
}

const lists: readonly { readonly prefix: string; readonly list: AllowList }[] = [
  { prefix: buildDataPrefix, list: buildDataAllowList },
  { prefix: governorPrefix, list: governorAllowList },
]

function listOf(path: string): (typeof lists)[number] | undefined {
  return lists.find(({ prefix }) => path.startsWith(`${prefix}/`))
}

/** The page with all routes, and examples. */
export function proxyApiPage(): string {
  const routes = describedRoutes()
  const groups = [...new Set(routes.map(({ operation }) => operation.group))]
  return pageOf(
    'Proxy API',
    `What the proxy answers to browsers and scripts. Every route with its parameters, bodies and responses is in
[proxy-api.json](proxy-api.json) (OpenAPI 3.1); a test holds both against the running proxy. Routes that begin with \`/upstream/\` are
those of the servers behind Sightline, whose promises are in [services.md](../services.md).`,
    '## Sessions',
    `Everything but \`/healthz\`, \`/session\` and the pages needs a bearer token. Where nobody has to sign in, the proxy gives one:`,
    blockOf(
      'sh',
      `TOKEN=$(curl -s -X POST http://127.0.0.1:8080/session | node -p 'JSON.parse(fs.readFileSync(0)).token')
curl -s -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/config`,
    ),
    `Where people sign in, scripts send an [access token](../sign-in.md#access-tokens-for-small-teams-and-scripts) instead:`,
    blockOf(
      'sh',
      `curl -s -H "Authorization: Bearer $SIGHTLINE_TOKEN" https://sightline.example.com/upstream/report`,
    ),
    `A token never stands in an address. Requests that a browser sends for a page of another site are refused, and so are host names that
aren't Sightline's own.`,
    '## Examples',
    'Follow builds as they arrive, and resume after the last one:',
    blockOf(
      'sh',
      `curl -sN -H "Authorization: Bearer $TOKEN" 'http://127.0.0.1:8080/live/builds?since=now'
curl -sN -H "Authorization: Bearer $TOKEN" -H 'Last-Event-ID: k3j7a2b9c4d5e' http://127.0.0.1:8080/live/builds`,
    ),
    'Search for builds, and read what is known of them:',
    blockOf(
      'sh',
      `curl -sG -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/upstream/build-data/api/builds \\
  --data-urlencode 'query=buildOutcome:failed buildStartTime>-1d' -d maxBuilds=10 -d reverse=true -d fromInstant=$(date +%s)000`,
    ),
    'Evaluate a policy scan, and download the evidence of the recorded run:',
    blockOf(
      'sh',
      `curl -s -D- -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  http://127.0.0.1:8080/upstream/governor/packages/oci/checkout/2.4.0/policy-scans/release \\
  -d '{"sha256": "6e41…", "repositoryUrl": "registry.example.com/shop"}'       # header sightline-evaluation: <id>
curl -s -H "Authorization: Bearer $TOKEN" 'http://127.0.0.1:8080/history/bundle?run=<id>' -o evidence.zip`,
    ),
    '## Problems',
    `What isn't possible is answered with problem details (RFC 9457, ${codeOf(problemJson)}): \`detail\` is a sentence for people, \`type\`
the code for programs (\`urn:sightline:problem:…\`). 401 has no session, 403 names the missing permission in \`requires\`, 405 the methods in
\`Allow\`, 409 what somebody else did meanwhile, and 429 and 503 the time to wait in \`Retry-After\`. A response that streams and can't be
finished breaks off.`,
    '## Routes',
    ...groups.flatMap((group) => [
      `### ${group}`,
      tableOf(
        ['Method', 'Path', 'Role', 'What it does'],
        routes
          .filter(({ operation }) => operation.group === group)
          .map(({ method, path, needs, operation }) => [
            method,
            codeOf(templateOf(path)),
            roleOf(needs),
            operation.summary,
          ]),
      ),
    ]),
  )
}

function roleOf(needs: Permission | 'free'): string {
  if (needs === 'free') return 'no session'
  return needs === 'watch' ? 'any, screens too' : (rolesFor(needs).split(/,| or /)[0] ?? '')
}
