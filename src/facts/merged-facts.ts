import type { BuildMessage } from '../protocol/build-message.ts'
import type { Facts } from '../protocol/facts.ts'

/**
 * What is known of one build from several sources, the most trusted first: a later one fills in
 * what the ones before it do not know. Undefined where there is no source.
 */
export function mergedFacts(...sources: readonly (Facts | undefined)[]): Facts | undefined {
  const [first, ...rest] = sources.filter((facts) => facts !== undefined)
  if (first === undefined) return undefined
  return rest.reduce<Facts>(
    (known, more) => ({
      ...more,
      ...withoutUnknown(known),
      fields: { ...more.fields, ...known.fields },
    }),
    first,
  )
}

function withoutUnknown(facts: Facts): Facts {
  const known = { ...facts }
  for (const [key, value] of Object.entries(facts))
    if (value === undefined) Reflect.deleteProperty(known, key)
  return known
}

/** What the announcement of a build alone says: everything else is absent, so not known here. */
export function factsOfMessage(build: BuildMessage): Facts {
  return {
    buildId: build.buildId,
    receivedAt: build.timestamp,
    buildTool: build.toolType,
    buildToolVersion: build.toolVersion,
    agentVersion: build.agentVersion,
  }
}
