import { toolsWithAttributes } from '../../../protocol/build-data.ts'
import type { AllowList, QueryRule, Route } from './allow-list.ts'

const buildId: QueryRule = { value: /^[\w.~-]{13}$/ }
const flag: QueryRule = { value: /^(?:true|false)$/ }
const whole: QueryRule = { value: /^\d{1,16}$/ }
const word: QueryRule = { value: /^[a-z]{1,32}$/ }
const seconds: QueryRule = { value: /^\d{1,3}$/ }
const models: QueryRule = { value: /^[a-z0-9-]{1,64}$/, repeated: true }
/** Any value, also none, turns streaming on (docs/services.md#export-streaming). */
const stream: QueryRule = { value: /^[\w.-]{0,32}$/ }
/** Up to 200 names with commas between. */
const eventTypes: QueryRule = { value: /^\w{1,100}(?:,\w{1,100}){0,199}$/ }

const seconds10 = 10_000
/** A list may wait 20 s for builds, and takes long with many models. */
const seconds60 = 60_000

/**
 * All of the export stream, both versions, and of the build data API what is used here, with
 * the further query keys and the attributes of one build that the published description has, and two
 * operations that are optional (docs/services.md#build-groups). Tokens
 * are not to be had through the proxy: `/api/auth/token` is missing on purpose.
 */
export const buildDataAllowList: AllowList = {
  name: 'build server',
  parameters: {
    exportVersion: /^v[12]$/,
    date: /^(?:now|\d{1,16})$/,
    buildId: /^[\w.~-]{13}$/,
    attributes: new RegExp(`^(?:${toolsWithAttributes.join('|')})-attributes$`),
  },
  routes: [
    get('/build-export/:exportVersion/builds/since/:date', { stream }),
    get('/build-export/:exportVersion/builds/sinceBuild/:buildId', { stream }),
    get('/build-export/:exportVersion/build/:buildId/events', { stream, eventTypes }),
    get(
      '/api/builds',
      {
        since: whole,
        sinceBuild: buildId,
        fromInstant: whole,
        fromBuild: buildId,
        reverse: flag,
        maxBuilds: whole,
        maxWaitSecs: seconds,
        query: {},
        models,
        allModels: flag,
        skipUnavailableModels: flag,
      },
      seconds60,
    ),
    get('/api/builds/groups', { query: {}, by: word }, seconds60),
    get('/api/builds/trends', { query: {}, by: word, from: whole, to: whole }, seconds60),
    get(
      '/api/builds/:buildId',
      {
        models,
        allModels: flag,
        skipUnavailableModels: flag,
        availabilityWaitTimeoutSecs: seconds,
      },
      seconds60,
    ),
    get('/api/builds/:buildId/:attributes', { availabilityWaitTimeoutSecs: seconds }, seconds60),
    get('/api/version', {}),
  ],
}

function get(pattern: string, query: Route['query'], headersTimeoutMs: number = seconds10): Route {
  return { method: 'GET', pattern, query, headersTimeoutMs }
}

/** Evaluating and publishing ask further services before they answer. */
const minutes2 = 120_000
const seconds30 = 30_000

/**
 * The three operations of the policy service (docs/services.md#policy-service), each with and
 * without a namespace. Every part may hold encoded slashes (`github.com%2Facme`), which are sent on
 * as they are; names such as `@acme` come percent-encoded or as they are.
 */
export const governorAllowList: AllowList = {
  name: 'policy service',
  parameters: {
    type: /^[a-z][a-z0-9.+-]{0,63}$/i,
    namespace: /^[^\\]{1,512}$/,
    name: /^[^\\]{1,512}$/,
    version: /^[^\\]{1,512}$/,
    scan: /^[^\\]{1,256}$/,
    digest: /^[^/:]{1,32}:[^/:]{1,256}$/,
    instance: /^[^\\]{1,256}$/,
    // Real ones are the base64url of a path in the store, about 280 characters.
    id: /^[^\\]{1,2048}$/,
  },
  routes: withAndWithoutNamespace((address) => [
    { ...post(`${address}/attestations`), isFinal: true },
    { ...post(`${address}/policy-scans/:scan`), needsData: true },
    {
      method: 'GET',
      pattern: `${address}/:digest/attestations/:instance/:id`,
      query: {},
      headersTimeoutMs: seconds30,
      needsData: true,
    },
  ]),
}

function withAndWithoutNamespace(routes: (address: string) => Route[]): readonly Route[] {
  return [
    ...routes('/packages/:type/:namespace/:name/:version'),
    ...routes('/packages/:type/:name/:version'),
  ]
}

function post(pattern: string): Route {
  return { method: 'POST', pattern, query: {}, headersTimeoutMs: minutes2 }
}
