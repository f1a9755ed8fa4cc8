import { toolName } from '../../protocol/build-tool.ts'
import type { Field } from '../fields/field.ts'
import type { Condition, TextPattern } from '../values/condition.ts'
import { amountBounds, type AmountCondition, instantWords } from './amount-text.ts'

/** What a condition, or unless `positive` its opposite, says of builds; times in the zone (IANA), or local or UTC. */
export function conditionWords(
  field: Field,
  condition: Condition,
  positive: boolean,
  timeZone?: string,
): Phrase {
  switch (condition.type) {
    case 'known':
      return knownWords(field, positive)
    case 'boolean':
      return booleanWords(field, condition.wanted, positive)
    case 'text':
      return textWords(field, condition.pattern, positive)
    case 'pair':
      return pairWords(condition.name, condition.value, positive)
    case 'amount':
      return amountWords(field, condition, positive)
    case 'instant':
      return thatWords(positive, 'started', 'start', instantWords(condition, timeZone))
  }
}

/** How the fields that everybody knows are spoken of; the others are called by their name. */
interface Speech {
  /** Before the one value it has: "of project". */
  readonly short?: string
  /** Before what its value begins with or contains: "whose project". */
  readonly whose: string
  /** The value itself, behind "with" and "without". */
  readonly any: string
  /** Before what one of its many values begins with, and none of them. */
  readonly list?: readonly [one: string, none: string]
}

const speech = new Map<string, Speech>([
  ['user', { short: 'by user', whose: 'whose user', any: 'a known user' }],
  ['hostname', { short: 'on host', whose: 'whose host', any: 'a known host' }],
  ['project', { short: 'of project', whose: 'whose project', any: 'a known project' }],
  ['rootProjectName', { short: 'of project', whose: 'whose project', any: 'a known project' }],
  [
    'requested',
    {
      whose: '',
      any: 'requested work',
      list: ['with requested work that', 'with no requested work that'],
    },
  ],
  ['buildTool', { short: 'by', whose: 'whose build tool', any: 'a known build tool' }],
  ['buildToolVersion', { whose: 'whose build tool version', any: 'a known build tool version' }],
  [
    'tag',
    { short: 'tagged', whose: '', any: 'a tag', list: ['with a tag that', 'with no tag that'] },
  ],
  ['value', { whose: '', any: 'a custom value' }],
  ['buildOutcome', { whose: 'whose outcome', any: 'a known outcome' }],
  ['buildDuration', { whose: '', any: 'a known duration' }],
  ['buildStartTime', { whose: '', any: 'a known start time' }],
  ['hasVerificationFailure', { whose: '', any: 'known kinds of failures' }],
  ['hasNonVerificationFailure', { whose: '', any: 'known kinds of failures' }],
])

function knownWords({ name }: Field, positive: boolean): Phrase {
  const spoken = speech.get(name)
  if (spoken) return { text: `${positive ? 'with' : 'without'} ${spoken.any}` }
  return { lead: `where ${name}`, text: positive ? 'is known' : 'is not known' }
}

const failureKinds = new Map([
  ['hasVerificationFailure', 'a verification failure'],
  ['hasNonVerificationFailure', 'a non-verification failure'],
])

function booleanWords({ name }: Field, wanted: boolean, positive: boolean): Phrase {
  const kind = failureKinds.get(name)
  if (kind !== undefined && wanted) return { text: `${positive ? 'with' : 'without'} ${kind}` }
  return { lead: `where ${name}`, text: isWords(positive, String(wanted)) }
}

/** The opposite holds also where there is no value (docs/services.md#search-negation). */
function isWords(positive: boolean, value: string): string {
  return positive ? `is ${value}` : `is not ${value} (or unknown)`
}

function textWords({ name }: Field, pattern: TextPattern, positive: boolean): Phrase {
  const exact = exactText(pattern)
  const outcome = exact === undefined ? undefined : outcomeVerbs.get(exact.toLowerCase())
  if (name === 'buildOutcome' && outcome) return thatWords(positive, ...outcome)
  const spoken = speech.get(name)
  const { short, whose, list } = spoken ?? { whose: `where ${name}` }
  if (exact !== undefined) {
    const value = name === 'buildTool' ? toolName(exact) : valueText(exact)
    if (name === 'requested') return thatWords(positive, 'requested', 'request', value)
    if (short !== undefined) {
      return positive ? { lead: short, text: value } : { text: `not ${short} ${value}` }
    }
  }
  if (list === undefined && !positive && spoken) {
    const noun = whose.replace('whose ', '')
    const article = /^[aeiou]/.test(noun) && name !== 'user' ? 'an' : 'a'
    return { text: `without ${article} ${noun} that ${patternWords(pattern, true)}` }
  }
  if (list === undefined) {
    const words = patternWords(pattern, positive)
    return { lead: whose, text: positive ? words : `${words} (or unknown)` }
  }
  const [one, none] = list
  const words = patternWords(pattern, true)
  return positive ? { lead: one, text: words } : { text: `${none} ${words}` }
}

const outcomeVerbs = new Map<string, [past: string, plain: string]>([
  ['succeeded', ['succeeded', 'succeed']],
  ['failed', ['failed', 'fail']],
])

function thatWords(positive: boolean, past: string, plain: string, rest = ''): Phrase {
  const verb = positive ? past : `did not ${plain}`
  return { lead: 'that', text: rest === '' ? verb : `${verb} ${rest}` }
}

function pairWords(name: TextPattern, value: TextPattern, positive: boolean): Phrase {
  const exactName = exactText(name)
  if (exactName === undefined) {
    const pair = valueText(`${name.join('*')}=${value.join('*')}`)
    return { text: `${positive ? 'with' : 'without'} a custom value like ${pair}` }
  }
  const isAny = value.length > 1 && value.every((part) => part === '')
  if (isAny) return { text: `${positive ? 'with' : 'without'} a value ${nameText(exactName)}` }
  const words = patternWords(value, true)
  return positive
    ? { lead: `whose value ${nameText(exactName)}`, text: words }
    : { text: `without a value ${nameText(exactName)} that ${words}` }
}

function amountWords(field: Field, condition: AmountCondition, positive: boolean): Phrase {
  const bounds = amountBounds(condition, field.type)
  if (field.type === 'duration') return thatWords(positive, 'took', 'take', bounds)
  const words = bounds.replace(/^exactly /, '')
  return { lead: `where ${field.name}`, text: isWords(positive, words) }
}

/** What a pattern says of its text: `is main`, `does not begin with release/`. */
export function patternWords(pattern: TextPattern, positive: boolean): string {
  const [first, ...rest] = pattern
  if (rest.length === 0) return `${positive ? 'is' : 'is not'} ${valueText(first)}`
  const [verb, part] = verbOf(pattern)
  return `${positive ? verb.positive : `does not ${verb.plain}`} ${valueText(part)}`
}

/** The text of a pattern without wildcards. */
function exactText(pattern: TextPattern): string | undefined {
  return pattern.length === 1 ? pattern[0] : undefined
}

/** A value as it stands in a sentence: in quotes where it could be taken for more or less than itself. */
export function valueText(value: string): string {
  const isPlain =
    /^[^\s,;()"]*[^\s,;()".:?!]$/.test(value) && !sentenceWords.has(value.toLowerCase())
  return isPlain ? value : `“${value}”`
}

/** A name as it stands in a sentence; spaces do no harm there. */
function nameText(name: string): string {
  return /^[\p{L}\p{N}_./-]+(?: [\p{L}\p{N}_./-]+)*$/u.test(name) ? name : `“${name}”`
}

const sentenceWords = new Set(['and', 'or', 'not', 'is', 'either', 'both', 'that', 'whose'])

interface Verb {
  readonly positive: string
  readonly plain: string
}

const beginning: Verb = { positive: 'begins with', plain: 'begin with' }
const ending: Verb = { positive: 'ends with', plain: 'end with' }
const containing: Verb = { positive: 'contains', plain: 'contain' }
const likeness: Verb = { positive: 'looks like', plain: 'look like' }

function verbOf(pattern: TextPattern): [Verb, string] {
  const written = pattern.filter((part) => part !== '')
  const [part = ''] = written
  if (written.length !== 1 || pattern.length > 3) return [likeness, pattern.join('*')]
  if (pattern.length === 3)
    return pattern[1] === '' ? [likeness, pattern.join('*')] : [containing, part]
  return [pattern[0] === '' ? ending : beginning, part]
}

/** Words that follow "Builds". Phrases with the same lead may share it: "tagged CI or main". */
export interface Phrase {
  /** Undefined where sharing would change the meaning, as behind "not tagged". */
  readonly lead?: string | undefined
  /** The words behind the lead. */
  readonly text: string
}

/** A phrase with its lead. */
export function phraseText({ lead, text }: Phrase): string {
  return lead === undefined ? text : `${lead} ${text}`
}
