import type { Field } from '../field.ts'
import { compareReleases } from '../release.ts'
import { toolLabel } from './tool-label.ts'

/** What a field is, how its values are written, and which builds and servers have it. */
export function fieldLines(field: Field, serverRelease?: string): string[] {
  const lines = [`${field.meaning}.`, writingLine(field)]
  if (field.values) lines.push(`Its values are ${field.values.join(', ')}.`)
  if (field.tool) lines.push(`Only builds by ${toolLabel(field.tool)} have it.`)
  const release = releaseLine(field, serverRelease)
  return release === undefined ? lines : [...lines, release]
}

function writingLine({ name, type, values }: Field): string {
  if (values) return `One word, in any case of letters: ${name}:${values.at(-1) ?? '*'}.`
  switch (type) {
    case 'text':
      return `Text, in any case of letters: ${name}:main. A * stands for any run of characters: ${name}:release/*. Quotes go around spaces: ${name}:"a b".`
    case 'pair':
      return `A name and a value: ${name}:"Git branch=main". A * stands for any run of characters: ${name}:"Git branch=release/*".`
    case 'duration':
      return `A duration in d, h, m, s or ms: ${name}>5m, ${name}<=1h30m, ${name}:[1m to 5m].`
    case 'instant':
      return `A date, a time, or how long ago: ${name}:2024-01-31, ${name}>=2024-01-31T10:30, ${name}>-7d.`
    case 'boolean':
      return `${name} alone is true; ${name}:false is known to be false; !${name} is not known to be true; ${name}:* is known.`
    case 'number':
      return `A number: ${name}:4, ${name}>4, ${name}:[2 to 8].`
    case 'size':
      return `Bytes, also in k, m, g and t (1000) or ki, mi, gi and ti (1024): ${name}>=2gi, ${name}:[512mi to 4gi].`
  }
}

function releaseLine(
  { since, until, replacedBy }: Field,
  serverRelease: string | undefined,
): string | undefined {
  if (until !== undefined) {
    const now = replacedBy === undefined ? 'It is gone since' : `It is called ${replacedBy} now`
    return `Servers had it ${since === undefined ? '' : `from release ${since} `}to ${until}. ${now}.`
  }
  if (since === undefined) return undefined
  const isMissing = serverRelease !== undefined && (compareReleases(serverRelease, since) ?? 0) < 0
  const own = isMissing ? ` This one has release ${serverRelease} and does not have it yet.` : ''
  return `Servers have it since release ${since}.${own}`
}
