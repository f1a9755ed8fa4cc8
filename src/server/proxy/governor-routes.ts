import type { AllowList, Route } from './allow-list.ts'

/** Evaluating and publishing ask further services before they answer. */
const minutes2 = 120_000
const seconds30 = 30_000

/**
 * The three operations of the policy service (docs/services.md#policy-service), each with and
 * without a namespace. Only a namespace may hold encoded slashes (`github.com%2Facme`); names such
 * as `@acme` come percent-encoded or as they are.
 */
export const governorAllowList: AllowList = {
  name: 'attestation and policy scan service',
  parameters: {
    type: /^[a-z][a-z0-9.+-]{0,63}$/i,
    namespace: /^[^\\]{1,512}$/,
    name: /^[^/]{1,512}$/,
    version: /^[^/]{1,512}$/,
    scan: /^[^/]{1,256}$/,
    digest: /^[^/:]{1,32}:[^/:]{1,256}$/,
    instance: /^[^/]{1,256}$/,
    // Real ones are the base64url of a path in the store, about 280 characters.
    id: /^[^/]{1,2048}$/,
  },
  routes: withAndWithoutNamespace((address) => [
    post(`${address}/attestations`),
    post(`${address}/policy-scans/:scan`),
    {
      method: 'GET',
      pattern: `${address}/:digest/attestations/:instance/:id`,
      query: {},
      headersTimeoutMs: seconds30,
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
