import { toolsWithAttributes } from '../../protocol/attributes.ts'
import type { AllowList, QueryRule, Route } from './allow-list.ts'

const buildId: QueryRule = { value: /^[a-z0-9]{13}$/ }
const flag: QueryRule = { value: /^(?:true|false)$/ }
const whole: QueryRule = { value: /^\d{1,16}$/ }
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
 * the further query keys and the attributes of one build that the published description has. Tokens
 * are not to be had through the proxy: `/api/auth/token` is missing on purpose.
 */
export const buildDataAllowList: AllowList = {
  name: 'build data server',
  parameters: {
    exportVersion: /^v[12]$/,
    date: /^(?:now|\d{1,16})$/,
    buildId: /^[a-z0-9]{13}$/,
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
