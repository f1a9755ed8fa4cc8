import { rewrite } from './condition-diagnostics.ts'
import { type Diagnostic, error, info } from '../diagnostic.ts'
import { compareReleases, type Field } from '../fields/field.ts'
import { fields, findField } from '../fields/fields.ts'
import { nearest } from './nearest.ts'
import type { FieldName, Flag, Term } from '../tree.ts'
import type { AssistContext } from '../assist/completion.ts'
import { listed, shown } from '../values/reading.ts'
import { plainText, quoteValue } from '../values/text.ts'

const current = fields.filter(({ replacedBy }) => replacedBy === undefined)
const names = current.map(({ name }) => name)
const flagNames = current.filter(({ type }) => type === 'boolean').map(({ name }) => name)

/** What other tools and languages call a field. */
const otherNames = new Map([
  ['status', 'buildOutcome'],
  ['result', 'buildOutcome'],
  ['task', 'requested'],
  ['goal', 'requested'],
  ['target', 'requested'],
  ['username', 'user'],
  ['author', 'user'],
  ['committer', 'user'],
  ['version', 'buildToolVersion'],
  ['gradleversion', 'buildToolVersion'],
  ['gradle.version', 'buildToolVersion'],
  ['mavenversion', 'buildToolVersion'],
  ['maven.version', 'buildToolVersion'],
  ['time', 'buildStartTime'],
  ['date', 'buildStartTime'],
  ['label', 'tag'],
])

/** The names that an unknown one may stand for, the likeliest first. */
export function namesMeant(name: string, isFlag: boolean): string[] {
  if (isFlag) return nearest(name, flagNames)
  const folded = name.toLowerCase()
  const other = otherNames.get(folded) ?? otherNames.get(folded.replace(/s$/, ''))
  return other ? [other] : nearest(name, names)
}

/** What plug-ins name the custom values that people look for by one word. */
const pairNames = new Map([
  ['branch', 'Git branch'],
  ['gitbranch', 'Git branch'],
  ['commit', 'Git commit id'],
  ['sha', 'Git commit id'],
  ['gitcommit', 'Git commit id'],
  ['repository', 'Git repository'],
  ['repo', 'Git repository'],
  ['gitrepository', 'Git repository'],
  ['ci', 'CI provider'],
])

/** `has:user`, as other languages have it: the term that looks for any value. Undefined for all else. */
export function presenceTerm({ field, operator, pattern }: Term): string | undefined {
  const word = pattern.type === 'word' ? plainText(pattern) : undefined
  if (operator.symbol !== ':' || word === undefined || !/^(?:has|exists?)$/i.test(field.name)) {
    return undefined
  }
  return presenceOf(word)
}

/** The term that looks for any value of a field; undefined where there is no such field. */
export function presenceOf(name: string): string | undefined {
  const known = findField(name)
  return known && (known.type === 'boolean' ? known.name : `${known.name}:*`)
}

/**
 * The term that looks for the value in the pair that a name stands for, as for `branch:main`:
 * one of the data that was seen, or one that the common plug-ins write. Undefined where there is none,
 * or the term is no equality with a value.
 */
export function pairTerm(
  { field, operator, pattern }: Term,
  { values }: AssistContext,
): string | undefined {
  if (pattern.type !== 'word' || /^[<>]/.test(operator.symbol)) return undefined
  const folded = plainName(field.name)
  const seen = values?.('value').map(({ value }) => value) ?? []
  const usual = pairNames.get(folded)
  const name =
    seen.find((one) => plainName(one) === folded) ??
    seen.find((one) => usual !== undefined && plainName(one) === plainName(usual)) ??
    usual
  if (name === undefined) return undefined
  const value = pattern.segments.map((it) => (it.type === 'text' ? it.text : '*')).join('')
  return `${operator.symbol === '!=' ? '-' : ''}value:${quoteValue(`${name}=${value}`)}`
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s._-]/g, '')
}

/**
 * A name that no field has. `meant` are the names it may stand for, `elsewhere` are terms that
 * look for what was typed in other fields; `pair` is the one that looks for it among the custom values.
 */
export function unknownField(
  part: Term | Flag,
  meant: readonly string[],
  elsewhere: readonly string[],
  pair?: string,
  presence?: string,
): Diagnostic {
  const { from, to, name } = part.field
  if (presence !== undefined) {
    const message = `${shown(name)} isn't a field. Use ${shown(presence)} to match any value.`
    return error({ from, to }, 'field.unknown', message, [rewrite(part, presence)])
  }
  if (pair !== undefined) {
    const message = `${shown(name)} isn't a field but a custom value. Use ${shown(pair)}.`
    return error({ from, to }, 'field.unknown', message, [rewrite(part, pair)])
  }
  const advice =
    meant.length > 0
      ? `Did you mean ${listed(meant, 'or')}?`
      : 'To search for text, name a field: requested:"*…*".'
  return error({ from, to }, 'field.unknown', `Unknown field ${shown(name)}. ${advice}`, [
    ...meant.map((instead) => rewrite({ from, to }, instead)),
    ...elsewhere.map((term) => rewrite(part, term)),
  ])
}

/** What the server's release says of a field: not yet, or no longer. Without one only replacements are mentioned. */
export function releaseDiagnostic(
  { from, to, name }: FieldName,
  field: Field,
  serverRelease = '',
): Diagnostic | undefined {
  const { since, until, replacedBy } = field
  if (since !== undefined && isBefore(serverRelease, since)) {
    const former = fields.find((it) => it.replacedBy === field.name)
    return error(
      { from, to },
      'field.not-since',
      `${name} needs server release ${since}, but this server has ${serverRelease}. Remove it${former ? `, or use ${former.name} instead` : ''}.`,
      former ? [renamed(former.name)] : [],
    )
  }
  const isGone = until !== undefined && isBefore(until, serverRelease)
  const isKnownToBeThere =
    until !== undefined && compareReleases(until, serverRelease) !== undefined
  if (until === undefined || (isKnownToBeThere && !isGone)) return undefined
  return (isGone ? error : info)(
    { from, to },
    'field.deprecated',
    `${name} exists only in server releases ${since ?? ''} to ${until}. Use ${replacedBy ?? 'another field'} instead.`,
    replacedBy === undefined ? [] : [renamed(replacedBy)],
  )

  function renamed(other: string) {
    const isOwn = name.includes('.develocitySettings.')
    return rewrite({ from, to }, isOwn ? other.replace('platform', 'develocity') : other)
  }
}

function isBefore(a: string, b: string): boolean {
  return (compareReleases(a, b) ?? 0) < 0
}
