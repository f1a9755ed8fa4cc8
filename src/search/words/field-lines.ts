import type { Field } from '../field.ts'
import { compareReleases } from '../release.ts'
import { toolLabel } from './tool-label.ts'

/** What a field is, how its values are written, and which builds and servers have it. */
export function fieldLines(field: Field, serverRelease?: string): string[] {
  const lines = [`${field.meaning}.`, writingLine(field)]
  if (field.values) lines.push(`Values: ${field.values.join(', ')}.`)
  if (field.tool) lines.push(`${toolLabel(field.tool)} builds only.`)
  const release = releaseLine(field, serverRelease)
  return release === undefined ? lines : [...lines, release]
}

function writingLine({ name, type, values }: Field): string {
  if (values) return `One of the values, case-insensitive: ${name}:${values.at(-1) ?? '*'}.`
  switch (type) {
    case 'text':
      return `Text, case-insensitive: ${name}:main. * matches any characters: ${name}:release/*. Quote values with spaces: ${name}:"a b".`
    case 'pair':
      return `A name and a value: ${name}:"Git branch=main". * matches any characters: ${name}:"Git branch=release/*".`
    case 'duration':
      return `A duration in d, h, m, s or ms: ${name}>5m, ${name}<=1h30m, ${name}:[1m to 5m].`
    case 'instant':
      return `A date, a time, or an age: ${name}:2024-01-31, ${name}>=2024-01-31T10:30, ${name}>-7d.`
    case 'boolean':
      return `${name} matches true, ${name}:false matches false, !${name} matches false or unknown, ${name}:* matches any known value.`
    case 'number':
      return `A number: ${name}:4, ${name}>4, ${name}:[2 to 8].`
    case 'size':
      return `Bytes, with an optional unit: k, m, g, t (powers of 1000) or ki, mi, gi, ti (powers of 1024), such as ${name}>=2gi, ${name}:[512mi to 4gi].`
  }
}

function releaseLine(
  { since, until, replacedBy }: Field,
  serverRelease: string | undefined,
): string | undefined {
  if (until !== undefined) {
    const now = replacedBy === undefined ? 'It has been removed' : `It's now called ${replacedBy}`
    return `Available on servers ${since === undefined ? '' : `from release ${since} `}to ${until}. ${now}.`
  }
  if (since === undefined) return undefined
  const isMissing = serverRelease !== undefined && (compareReleases(serverRelease, since) ?? 0) < 0
  const own = isMissing ? ` This server has ${serverRelease}, which doesn't support it.` : ''
  return `Available since server release ${since}.${own}`
}
