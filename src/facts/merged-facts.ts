import type { BuildMessage } from '../protocol/build-message.ts'
import type { Facts } from '../protocol/facts.ts'

/**
 * What is known of one build from several sources, the most trusted first: a later one fills in
 * what the ones before it do not know, or know no value of: null often only means that a source
 * never has one. Undefined where there is no source.
 */
export function mergedFacts(...sources: readonly (Facts | undefined)[]): Facts | undefined {
  const [first, ...rest] = sources.filter((facts) => facts !== undefined)
  if (first === undefined) return undefined
  return rest.reduce<Facts>(
    (known, more) => ({
      ...more,
      ...withoutUnknown(known, more),
      fields: { ...more.fields, ...known.fields },
    }),
    first,
  )
}

function withoutUnknown(facts: Facts, more: Facts): Facts {
  const others = new Map<string, unknown>(Object.entries(more))
  const known = { ...facts }
  for (const [key, value] of Object.entries(facts)) {
    const isNowhere = value === null && (others.get(key) ?? null) === null
    if (value === undefined || (value === null && !isNowhere)) Reflect.deleteProperty(known, key)
  }
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
